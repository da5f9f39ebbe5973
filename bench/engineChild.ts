import { countRollouts } from "../server/src/evidence/query.ts";
import { openStore } from "../server/src/evidence/store.ts";

/** The engine's way to a first answer, bundled as the command line is: open the archive, count a split. */
async function main(): Promise<void> {
  const store = await openStore({ path: process.argv[2] ?? "", evidenceRoot: "/" });
  const { total } = await countRollouts(store, { split: "train" });
  process.stdout.write(`${total}\n`);
  process.exit(0);
}

void main();
