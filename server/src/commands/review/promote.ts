import { sentences } from "../terminal/table.ts";
import { inLine } from "../../base/plainText.ts";
import { chooseVersion, inspect } from "../terminal/inspect.ts";
import { goOn } from "../terminal/goOn.ts";
import { interruptible } from "../terminal/interruptible.ts";
import { printResult, type Io } from "../terminal/io.ts";
import type { AddVerb } from "../terminal/verb.ts";

export const addPromote: AddVerb = (program, { io, cwd }) => {
  program
    .command("promote <version>")
    .description("open the audit split for a kept version, and report the generalisation gap")
    .option("--approve", "approve the completion gate if it waits for a person", false)
    .option("--one-seed", "promote it although no further seed has confirmed it", false)
    .action(async (version: string, o: { approve: boolean; oneSeed: boolean }) =>
      promote(io(), cwd, { version, ...o }),
    );
};

/** `evotrainer promote <version>`: opens the audit split for it, and reports the generalisation gap. */
export async function promote(
  io: Io,
  cwd: string,
  options: { readonly version: string; readonly approve: boolean; readonly oneSeed: boolean },
): Promise<void> {
  await inspect(cwd, async ({ engine, versions }) => {
    const { name } = chooseVersion(versions, options.version);
    const promoted = await interruptible(goOn.promote, (signal) =>
      engine.request(
        "versions.promote",
        { version: name, approve: options.approve, oneSeed: options.oneSeed, trusted: true },
        { signal, progress: ({ message }) => io.err(`${inLine(message)}\n`) },
      ),
    );
    printResult(io, promoted, (promoted) => `${inLine(name)} is promoted. ${sentences(promoted.reason)}`);
  });
}
