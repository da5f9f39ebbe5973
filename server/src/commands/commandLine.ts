import { Command, CommanderError } from "commander";
import { HarnessError, messageOf } from "../base/errors.ts";
import { inHangingBlock, jsonText } from "../base/plainText.ts";
import { release } from "../base/release.ts";
import { provideEvidenceTools } from "../engine/proposals/evidenceTools.ts";
import { interruptedVerb } from "./interrupted.ts";
import { stopsInOrder } from "./terminal/interruptible.ts";
import { exitCodeOf, exitCodes, type Io } from "./terminal/io.ts";
import { takeNotices } from "../lineage/trust/notices.ts";
import { standardIo } from "./terminal/standardIo.ts";
import { fittedText } from "./terminal/table.ts";
import type { VerbContext } from "./terminal/verb.ts";
import { verbOf, verbsFor } from "./verbs.ts";

/** Where the command line runs; where it writes is always standard output and standard error. */
export type CommandLineContext = Omit<VerbContext, "io">;

/** Does what the words say, and says what went wrong; it never throws. */
export async function runCommandLine(given: readonly string[], context: CommandLineContext): Promise<void> {
  // Standing first it asks for the release; behind a verb it is the verb's own.
  provideEvidenceTools(async () => (await import("../assistant/evidenceTools.ts")).openEvidenceTools);
  const words = given.map((word, i) => (i === 0 && word === "--version" ? "-V" : word));
  const output: Output = { json: asksForJson(words), hasResult: false };
  const interrupt = (): void => {
    if (stopsInOrder()) return;
    sayWhatFailed(interruptedVerb(verbOf(words)), context.exitWith, output);
    process.exit();
  };
  process.on("SIGINT", interrupt);
  try {
    await (await programFor(words, context, output)).parseAsync(words, { from: "user" });
  } catch (e) {
    sayWhatFailed(e, context.exitWith, output);
  } finally {
    process.off("SIGINT", interrupt);
  }
  // What somebody did to the ledgers that were read is told last, so that it is not missed.
  for (const notice of takeNotices()) tellError(`Notice: ${notice}`);
}

/** What standard output is for: with --json one document, which is the result or else the error. */
interface Output {
  readonly json: boolean;
  hasResult: boolean;
}

/** Words behind `--` are no options. Commander is not asked, because it may be what fails. */
function asksForJson(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return (end === -1 ? words : words.slice(0, end)).includes("--json");
}

/** The program with the verb that the words ask for. */
async function programFor(
  words: readonly string[],
  context: CommandLineContext,
  output: Output,
): Promise<Command> {
  const program = new Command("evotrainer")
    .description("Evolve a policy together with its training harness.")
    // Not --version: this option would be taken for the one of `import`, wherever it stands.
    .version(release, "-V", "print the release, as --version does")
    .option("--json", "print one JSON document on stdout, messages on stderr")
    .showHelpAfterError("(evotrainer --help lists the verbs)")
    .exitOverride();
  const io = (): Io => {
    const standard = standardIo(program.opts<{ json?: boolean }>().json === true);
    const out = (text: string): void => {
      output.hasResult = true;
      standard.out(text);
    };
    return { ...standard, out };
  };
  program.configureOutput({
    writeOut: (text) => io().out(fittedText(text, io())),
    // With --json the error is said once, as JSON.
    writeErr: (text) => (output.json ? undefined : io().err(text)),
    outputError: (message, write) => write(`${inHangingBlock(message)}\n`),
  });
  for (const add of await verbsFor(words)) add(program, { ...context, io });
  for (const verb of [
    program,
    ...program.commands,
    ...program.commands.flatMap(({ commands }) => commands),
  ]) {
    verb.exitOverride();
    if (verb !== program) verb.showHelpAfterError(`(${pathOf(verb)} --help shows its options)`);
  }
  return program;
}

/** A verb as it is typed: `evotrainer rollouts show`. */
const pathOf = (verb: Command): string =>
  verb.parent === null ? verb.name() : `${pathOf(verb.parent)} ${verb.name()}`;

/**
 * Says what went wrong: what was expected in a sentence, a bug with where it happened. With --json it is the document on
 * standard output; where a verb has printed its result already, that stays the only document.
 */
export function sayWhatFailed(e: unknown, exitWith: (code: number) => void, output?: Output): void {
  const isUsage = e instanceof CommanderError;
  if (isUsage && e.exitCode === 0) {
    exitWith(exitCodes.success);
    return;
  }
  exitWith(isUsage ? exitCodes.usage : exitCodeOf(e));
  const { code, message } = errorOf(e);
  if (output?.json === true && !output.hasResult)
    standardIo(true).out(`${jsonText({ error: { code, message } }, 2)}\n`);
  // Commander has said it already.
  else if (!isUsage) tellError(message);
}

const tellError = (message: string): void => standardIo(false).err(`${inHangingBlock(message)}\n`);

/** What a program can go by, and what a person reads. */
function errorOf(e: unknown): { readonly code: string; readonly message: string } {
  if (e instanceof CommanderError)
    return {
      code: "badInput",
      message: e.code.startsWith("commander.help")
        ? "Name a verb; `evotrainer --help` lists them."
        : e.message.replace(/^error: /, ""),
    };
  if (HarnessError.is(e)) return { code: e.reason, message: messageOf(e) };
  const where = e instanceof Error ? (e.stack ?? e.message) : String(e);
  return { code: "bug", message: `This is a bug in evotrainer, please report it: ${where}` };
}
