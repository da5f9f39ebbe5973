import { parseDocument, stringify } from "yaml";
import { z } from "zod";
import { apiVersion, Factor, Scalar } from "../../../../shared/spec/common.ts";
import { changedFactors, configChanges } from "../project/configDiff.ts";
import { describeFactors } from "../project/describeFactors.ts";
import { defineRule } from "../rule/rule.ts";
import { scalarText } from "../syntax/scalarText.ts";
import { locate, spanFor } from "../syntax/parseSpec.ts";

const Data = z.object({
  /** What an intervention for each factor would edit; empty when other files have changed as well. */
  interventions: z.array(
    z.object({
      factor: Factor,
      edit: z.array(z.object({ file: z.string(), path: z.string(), from: Scalar, to: Scalar })),
    }),
  ),
});

export const severalFactors = defineRule({
  meta: {
    id: "several-factors",
    severity: "warning",
    kinds: ["config", "reward"],
    docs: "The work tree differs from the parent version in one factor at most. If two factors differ, nobody can say which one caused the result. Names, paths and save intervals are bookkeeping and do not count.",
    example: {
      wrong: `# the parent has lr 1.0e-6 and temperature 1.0\nactor: { optim: { lr: 2.0e-6 } }\nrollout: { temperature: 1.2 }`,
      right: `actor: { optim: { lr: 2.0e-6 } }\nrollout: { temperature: 1.0 }`,
    },
  },
  data: Data,
  *check({ spec, project, path }) {
    const parent = project?.parent;
    const factors = parent && changedFactors(project);
    const first = [...(factors?.values() ?? [])].flat().find(({ file }) => file === path);
    if (!factors || factors.size < 2 || !first) return;
    const ignored = configChanges(project).filter(({ isBookkeeping }) => isBookkeeping);
    const counted = [...factors.values()].flat();
    const canSplit = counted.every((c) => c.file === path && c.from !== undefined && c.to !== undefined);
    yield {
      span: spanFor(spec, first.path.split("."), "key"),
      message: `${factors.size} factors differ from ${parent.name}: ${describeFactors(factors)}. A version changes only one.${bookkeepingNote(ignored.map((change) => change.path))}`,
      data: {
        interventions: canSplit
          ? [...factors].map(([factor, changes]) => ({
              factor,
              edit: changes.flatMap(({ file, path: at, from, to }) =>
                from === undefined || to === undefined ? [] : [{ file, path: at, from, to }],
              ),
            }))
          : [],
      },
    };
  },
  fix({ spec, project }, { interventions }) {
    const folder = project?.spec?.interventions[0];
    if (folder === undefined || interventions.length === 0) return [];
    const edits = interventions
      .flatMap(({ edit }) => edit)
      .flatMap(({ path, from }) => {
        const span = locate(spec, path.split(".")).value;
        return span ? [{ span, text: scalarText(from, spec.text.slice(span.start, span.end)) }] : [];
      });
    return [
      {
        title: `Make ${interventions.length} interventions of this, one per factor`,
        edits,
        creates: interventions.map(({ factor, edit }) => ({
          path: `${folder}/try-${factor}.intervention.yaml`,
          text: interventionText(factor, edit),
        })),
      },
    ];
  },
});

/** Says what was not counted, so that nobody wonders. */
function bookkeepingNote(paths: readonly string[]): string {
  if (paths.length === 0) return " Names, paths and save intervals do not count.";
  const shown = paths.slice(0, 3).join(", ");
  return ` Bookkeeping does not count: ${shown}${paths.length > 3 ? ` and ${paths.length - 3} more` : ""}.`;
}

function interventionText(factor: Factor, edit: readonly { readonly path: string }[]): string {
  const document = parseDocument(
    stringify({
      apiVersion,
      kind: "Intervention",
      name: `try-${factor}`,
      hypothesis: {
        change: edit[0]?.path ?? factor,
        metric: "solve_rate",
        direction: "increase",
        because: "Say here why it should.",
      },
      targets: ["low-score"],
      factor,
      edit,
      success: { metric: "solve_rate", atLeast: 0.02 },
      guardrails: [],
    }),
  );
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
