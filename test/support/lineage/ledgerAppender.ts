/** Tests run this as a program. Appends entries as a separate process, for tests of several writers: `ledgerAppender.ts <root> <name> <count>`. */
import { openLedger } from "../../../server/src/lineage/ledger.ts";
import { openRepository } from "../../../server/src/lineage/repository.ts";

const [, , root = "", name = "", count = "0"] = process.argv;
const ledger = openLedger(await openRepository(root));
for (let i = 0; i < Number(count); i++)
  await ledger.append([
    {
      id: `promotion:${name}:${i}`,
      at: new Date(Date.UTC(2026, 0, 1, 0, 0, i)).toISOString(),
      domain: "swe",
      type: "promotion",
      version: name,
      gap: i,
      reason: `entry ${i} of ${name}`,
    },
  ]);
