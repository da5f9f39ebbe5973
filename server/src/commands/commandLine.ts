import { Command, CommanderError } from "commander";
import { HarnessError, messageOf } from "../base/errors.ts";
import { inHangingBlock } from "../base/plainText.ts";
import { release } from "../base/release.ts";
import { provideEvidenceTools } from "../engine/proposals/evidenceTools.ts";
import { writeError } from "../base/standardError.ts";
import { exitCodeOf, exitCodes, type Io } from "./terminal/io.ts";
import { noticesToTell } from "../lineage/trust/notices.ts";
import { standardIo } from "./terminal/standardIo.ts";
import type { VerbContext } from "./terminal/verb.ts";
import { verbsFor } from "./verbs.ts";

/** Where the command line runs; where it writes is always standard output and standard error. */
export type CommandLineContext = Omit<VerbContext, "io">;

/** Does what the words say, and says what went wrong; it never throws. */
export async function runCommandLine(given: readonly string[], context: CommandLineContext): Promise<void> {
  // Standing first it asks for the release; behind a verb it is the verb's own.
  provideEvidenceTools(async () => (await import("../assistant/evidenceTools.ts")).openEvidenceTools);
  const words = given.map((word, i) => (i === 0 && word === "--version" ? "-V" : word));
  try {
    await (await programFor(words, context)).parseAsync(words, { from: "user" });
  } catch (e) {
    sayWhatFailed(e, context.exitWith);
  }
  // What somebody did to the ledgers that were read is told last, so that it is not missed.
  for (const notice of noticesToTell()) writeError(inHangingBlock(`Notice: ${notice}`));
}

/** The program with the verb that the words ask for. */
async function programFor(words: readonly string[], context: CommandLineContext): Promise<Command> {
  const program = new Command("evotrainer")
    .description("Evolve a policy together with its training harness.")
    // Not --version: this option would be taken for the one of `import`, wherever it stands.
    .version(release, "-V", "print the release, as --version does")
    .option("--json", "print one JSON document on stdout, messages on stderr")
    .showHelpAfterError("(evotrainer <verb> --help shows the options)")
    .exitOverride();
  const io = (): Io => standardIo(program.opts<{ json?: boolean }>().json === true);
  program.configureOutput({
    writeOut: (text) => io().out(text),
    writeErr: (text) => io().err(text),
    outputError: (message, write) => write(`${inHangingBlock(message)}\n`),
  });
  for (const add of await verbsFor(words)) add(program, { ...context, io });
  for (const verb of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)])
    verb.exitOverride();
  return program;
}

/** Says what went wrong: what was expected in a sentence, a bug with where it happened. */
export function sayWhatFailed(e: unknown, exitWith: (code: number) => void): void {
  // Commander has said it already.
  if (e instanceof CommanderError) {
    exitWith(e.exitCode === 0 ? exitCodes.success : exitCodes.usage);
    return;
  }
  writeError(
    inHangingBlock(
      HarnessError.is(e)
        ? messageOf(e)
        : `This is a bug in evotrainer, please report it: ${e instanceof Error ? (e.stack ?? e.message) : String(e)}`,
    ),
  );
  exitWith(exitCodeOf(e));
}
