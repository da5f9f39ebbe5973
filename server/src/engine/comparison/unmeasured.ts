import { counted } from "../../../../shared/words/numbers.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { numberOf } from "../../evidence/store/rows.ts";
import type { Evaluated } from "./chosen.ts";

/** What to do where one of two versions was not measured on the selection split; nothing where both were. */
export async function unmeasured(store: Store, [a, b]: readonly [Evaluated, Evaluated]): Promise<string> {
  const empty = [a, b].find(({ rollouts }) => rollouts.length === 0);
  if (empty === undefined) return "";
  const { name } = empty;
  const lacks = `${name} has no rollouts of the selection split, by which versions are compared.`;
  const [row] = await store.query({
    sql: "SELECT count(*) AS train FROM rollouts WHERE version = ? AND split = 'train'",
    params: [name],
  });
  const train = row === undefined ? 0 : numberOf(row, "train");
  return train === 0
    ? lacks
    : `${lacks} It has ${counted(train, "rollout")} of the train split: \`evotrainer compare ${a.name} ${b.name} --labels\` says which failures changed there. If an evaluation wrote them, import them again with --split selection.`;
}
