import type { Scalar } from "../../../../shared/spec/common.ts";
import {
  isParameter,
  isPatch,
  isValueEdit,
  type Edit,
  type GivenEdit,
} from "../../../../shared/spec/edit.ts";
import { valuesOf } from "../../project/parameters.ts";
import type { FileSource } from "../../project/source.ts";
import { configValue } from "../../project/configs/configText.ts";
import type { CandidateIdea, IdeaGround } from "./candidateIdea.ts";

/** How many values of a domain are looked at. */
const valuesTried = 5;

/** The project's interventions that start from what the parent has: of one with parameters, several values of each. */
export async function fromInterventions({ project, parent }: IdeaGround): Promise<CandidateIdea[]> {
  const ideas: CandidateIdea[] = [];
  for (const { spec } of project.interventions)
    for (const edit of await givenEdits(spec.edit, parent))
      ideas.push({
        origin: "intervention",
        spec: { ...spec, edit },
        declared: spec.success.metric === project.spec.metric.name ? spec.success.atLeast : null,
        isOpenEnded: false,
      });
  return ideas;
}

/** The ways to give every parameter a value; none where an edit does not fit what the parent has. */
async function givenEdits(edits: readonly Edit[], parent: FileSource): Promise<GivenEdit[][]> {
  const choices: GivenEdit[][] = [];
  for (const edit of edits) {
    const given = await choicesOf(edit, parent);
    if (given.length === 0) return [];
    choices.push(given);
  }
  const ways = Math.max(1, ...choices.map((given) => given.length));
  // Parameters of one intervention go up together: it is one change.
  return Array.from({ length: ways }, (_, way) =>
    choices.flatMap((given) => given[Math.min(way, given.length - 1)] ?? []),
  );
}

async function choicesOf(edit: Edit, parent: FileSource): Promise<GivenEdit[]> {
  // Whether a patch applies is found out when it is drafted.
  if (isPatch(edit)) return [edit];
  const text = await parent.read(edit.file);
  const current = text === undefined ? undefined : configValue(edit.file, text, edit.path);
  if (current === undefined) return [];
  if (isValueEdit(edit)) return current === edit.from ? [edit] : [];
  if (!isParameter(edit) || (edit.range !== undefined && typeof current !== "number")) return [];
  const { file, path } = edit;
  const toEdit = (to: Scalar): GivenEdit => ({ file, path, from: current, to });
  return valuesOf(edit, current, valuesTried).map(toEdit);
}
