import { HarnessError } from "../../base/errors.ts";
import { counted } from "../../../../shared/words/numbers.ts";
import { openWorkspace } from "../../engine/workspace/workspace.ts";
import { tellLater } from "../../lineage/trust/notices.ts";
import { acceptLedger as accept } from "../../lineage/watchLedger.ts";
import { printResult, type Io } from "../terminal/io.ts";

/** `evotrainer lineage accept`: takes the ledger as it is, although it was rewound, rewritten or changed by hand. */
export async function acceptLedger(io: Io, cwd: string): Promise<void> {
  const { repository, ledger } = await openWorkspace(cwd);
  const { head, entries, quarantined } = await ledger.read();
  if (head === undefined)
    throw new HarnessError(
      "notFound",
      "There is no ledger to accept; get it back, or run `evotrainer evolve` to begin one.",
    );
  await accept(repository, { head, entries: entries.length, quarantined: quarantined.length });
  tellLater(repository.commonDir, []);
  const accepted = { head, entries: entries.length, quarantined: quarantined.length };
  printResult(
    io,
    accepted,
    () =>
      `The ledger is accepted as it is at ${head.slice(0, 12)}, with ${counted(accepted.entries, "entry", "entries")}; ${accepted.quarantined} of its changes cannot be used.`,
  );
}
