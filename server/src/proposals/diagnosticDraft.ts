import { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { HarnessError } from "../base/errors.ts";
import { harnessFactor } from "../project/harnessPlaces.ts";
import { describeProblems, loadProject } from "../project/project.ts";
import { readSpec } from "../project/readSpec.ts";
import type { FileSource } from "../project/source.ts";
import { problemsText, type Draft } from "./draft.ts";
import { outcomeProblems } from "./outcomeProblems.ts";

/** A diagnostic as somebody wrote it, and where it lies, if in the project. */
export interface WrittenDiagnostic {
  readonly path: string;
  readonly text: string;
}

/**
 * A draft that adds a diagnostic to a version's harness, or replaces the one of the same name.
 * @throws HarnessError specInvalid for a text that is no diagnostic or changes nothing, badInput where the project has no
 * folder for it
 */
export async function diagnosticDraft(
  { path: asked, text }: WrittenDiagnostic,
  parent: FileSource,
): Promise<Draft> {
  const read = readSpec(asked, text, DiagnosticSpec);
  if (!read.ok) throw new HarnessError("specInvalid", describeProblems(read.problems));
  const { name, description } = read.value;
  const path = await placeOf(name, asked, parent);
  const before = (await parent.read(path)) ?? null;
  const files = [{ path, before, after: text }];
  const problems =
    before === text
      ? [`${path} is in force as it is, so there is nothing to propose.`]
      : await outcomeProblems(parent, files);
  if (problems.length > 0) throw new HarnessError("specInvalid", `${name}: ${problemsText(problems)}`);
  const because = description ?? `A person wrote ${before === null ? "a new label" : "another revision"}.`;
  return {
    ...{ files, because, finding: null },
    statement: `${before === null ? "A new label" : "Another revision of the label"} ${name} should say more about the rollouts: ${because}`,
    spec: {
      ...{ apiVersion: "evotrainer/v1", kind: "Intervention", name, factor: harnessFactor },
      hypothesis: { change: "label", metric: "solve_rate", direction: "increase", because },
      ...{ targets: [], edit: [], predicts: { fixes: [], risks: [] }, guardrails: [], rollback: "revert" },
      success: { metric: "solve_rate", atLeast: 0, confidence: 0.95 },
    },
  };
}

/** Where a diagnostic of this name lies, or is to lie. */
async function placeOf(name: string, asked: string, parent: FileSource): Promise<string> {
  const { diagnostics, spec } = await loadProject(parent);
  const folders = spec.diagnostics.map((folder) => folder.replace(/\/$/, ""));
  const known = diagnostics.find((d) => d.spec.name === name)?.path;
  const isInFolder = (path: string): boolean => folders.includes(path.slice(0, path.lastIndexOf("/")));
  if (known !== undefined && isInFolder(known)) return known;
  if (isInFolder(asked)) return asked;
  const [folder] = folders;
  if (folder === undefined)
    throw new HarnessError(
      "badInput",
      "evotrainer.yaml names no folder of diagnostics; add one under `diagnostics`.",
    );
  return `${folder}/${name}.diagnostic.yaml`;
}
