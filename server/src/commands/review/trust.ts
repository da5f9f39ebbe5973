import { engineKey } from "../../lineage/trust/engineKey.ts";
import { distrustKey, trustedByName, trustKey } from "../../lineage/trust/trustedKeys.ts";
import { HarnessError } from "../../base/errors.ts";
import { printResult, type Io } from "../terminal/io.ts";
import { table } from "../terminal/table.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

type TrustOptions = Given<{ name?: string; remove: boolean }>;

export const addTrust: AddVerb = (program, { io }) => {
  program
    .command("trust [key]")
    .description(
      "show the key that you sign with, or trust a teammate's key to make what it signed count here",
    )
    .option("--name <who>", "whose key it is")
    .option("--remove", "stop trusting this key, or the key of this name", false)
    .action(async (key: string | undefined, o: TrustOptions) => trust(io(), key, o));
};

/** `evotrainer trust [key]`: whose entries of the ledger count on this machine. */
async function trust(io: Io, key: string | undefined, { name, remove }: TrustOptions): Promise<void> {
  if (key === undefined) {
    if (name !== undefined || remove)
      throw new HarnessError("badInput", "Write the key behind `evotrainer trust`.");
    const shown = { key: engineKey().public, trusted: trustedByName() };
    printResult(io, shown, (shown) =>
      [
        `You sign with the key ${shown.key}. To make your answers count, a teammate runs \`evotrainer trust ${shown.key} --name <you>\`.`,
        shown.trusted.length === 0
          ? "You trust nobody else's key."
          : table(
              shown.trusted.map((one) => [`You trust ${one.name}`, one.key]),
              [],
              io,
            ),
      ].join("\n"),
    );
  } else if (remove) {
    const gone = await distrustKey(key);
    printResult(io, gone, (gone) => `You no longer trust ${gone.name}'s key ${gone.key}.`);
  } else {
    if (name === undefined || name.trim() === "")
      throw new HarnessError("badInput", "Say with --name whose key it is.");
    const given = { key, name: name.trim() };
    await trustKey(given);
    printResult(io, given, (given) => `You trust ${given.name}'s key: what it signed counts here.`);
  }
}
