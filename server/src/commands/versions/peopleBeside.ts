import type { LabelByPeople } from "../../../../shared/protocol/results/people.ts";
import { HarnessError } from "../../base/errors.ts";
import { inLine } from "../../base/plainText.ts";
import { allHumanLabels, humanLabelsPath } from "../../diagnosis/judge/humanLabels.ts";
import { placeOf } from "../../engine/workspace/place.ts";
import { engineFolderOf } from "../../engine/workspace/workspace.ts";
import type { Io } from "../terminal/io.ts";

/** Of a report that lists labels: what people said of them; absent where nobody answered. */
export interface PeopleOnLabels {
  readonly people?: readonly LabelByPeople[];
}

/**
 * What people's answers say of labels, for lists that are made without the archive: it is asked only where somebody has answered.
 * If it cannot be asked, the list is shown all the same, and standard error says what is missing and why.
 */
export async function peopleBeside(
  io: Io,
  root: string,
  labels: readonly string[],
): Promise<readonly LabelByPeople[]> {
  if (labels.length === 0) return [];
  if ((await allHumanLabels(humanLabelsPath(engineFolderOf(root)))).length === 0) return [];
  // Most lists need neither the engine nor its database.
  const { withEngine } = await import("../../engine/owner/withEngine.ts");
  try {
    const asked = { labels: [...new Set(labels)] };
    const { people } = await withEngine(
      placeOf(root),
      (engine) => engine.request("rollouts.people", asked),
      // Whoever types a command trusts the folder that it is typed in.
      { trusted: true },
    );
    return people;
  } catch (e) {
    if (!HarnessError.is(e)) throw e;
    io.err(`What people said of the labels is missing here: ${inLine(e.message)}\n`);
    return [];
  }
}
