import { isValueSurface } from "../../../../shared/spec/surface.ts";
import { apiVersion, Name } from "../../../../shared/spec/common.ts";
import type { SpecAction } from "../actions/action.ts";
import type { FeatureContext } from "../symbols/featureContext.ts";
import { isBuiltinMeasure } from "../symbols/occurrencesIn.ts";
import { isShipped, symbolAt } from "../symbols/symbolAt.ts";

/** Specs that the name under the cursor calls for: a diagnostic for a label that nothing sets, an intervention for one that nothing answers. */
export function createSpecs(context: FeatureContext, offset: number): SpecAction[] {
  const symbol = symbolAt(context, offset);
  const { symbols, project } = context;
  if (symbol?.kind !== "label" || !project?.spec || !Name.safeParse(symbol.name).success) return [];
  const { name } = symbol;
  const isSet = symbols.defined("label").includes(name) || isShipped(name);
  if (!isSet) {
    if (isBuiltinMeasure(name)) return [];
    const path = `${folder(project.spec.diagnostics, "harness/diagnostics")}/${name}.diagnostic.yaml`;
    return [action(`Create the diagnostic ${name}`, path, diagnosticText(name))];
  }
  const isAnswered = symbols
    .of("label", name)
    .some(({ path, role }) => role === "use" && path[0] === "targets");
  if (isAnswered) return [];
  const own = project.spec.interventions;
  const path = `${folder(own, "harness/interventions")}/answer-${name}.intervention.yaml`;
  return [action(`Create an intervention that answers ${name}`, path, interventionText(context, name))];
}

const folder = (folders: readonly string[], otherwise: string) => folders[0] ?? otherwise;
const action = (title: string, path: string, text: string): SpecAction => ({
  title,
  edits: [],
  creates: [{ path, text }],
});

const diagnosticText = (name: string) => `apiVersion: ${apiVersion}
kind: Diagnostic
name: ${name}
description: What it means for the researcher, in a sentence.
label:
  when: outcome != "pass"
  severity: warning
alert: { above: 0.1 }
`;

/** A start with the first value that a surface lets be changed; what it should become is for the researcher to say. */
function interventionText({ project }: FeatureContext, label: string): string {
  const surface = project?.spec?.surfaces.find(isValueSurface);
  const path = surface?.paths?.[0] ?? "path.to.value";
  return `apiVersion: ${apiVersion}
kind: Intervention
name: answer-${label}
hypothesis: { change: ${path}, metric: ${label}, direction: decrease, because: why it should }
targets: [${label}]
factor: ${surface?.factor ?? "reward"}
edit:
  - { file: ${surface?.file ?? "harness/main.reward.yaml"}, path: ${path}, from: null, to: to-be-said }
predicts: { fixes: [${label}], risks: [] }
success: { atLeast: 0.02 }
guardrails: []
`;
}
