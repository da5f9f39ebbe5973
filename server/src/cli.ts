import { join } from "node:path";
import { Command, CommanderError } from "commander";
import { HarnessError, messageOf } from "./base/errors.ts";
import { release } from "./base/release.ts";
import { exitCodeOf, exitCodes, type Io } from "./commands/terminal/io.ts";
import { verbsFor } from "./commands/verbs.ts";

const program = new Command("evotrainer")
  .description("Evolve a policy together with its training harness.")
  // Not --version: this option would be taken for the one of `import`, wherever it stands.
  .version(release, "-V", "print the release, as --version does")
  .option("--json", "print one JSON document on stdout, messages on stderr")
  .showHelpAfterError("(evotrainer <verb> --help shows the options)")
  .exitOverride();

function io(): Io {
  const { stdout, stderr } = process;
  return {
    json: program.opts<{ json?: boolean }>().json === true,
    color: stdout.isTTY && stderr.isTTY && process.env["NO_COLOR"] === undefined,
    live: stderr.isTTY,
    columns: stderr.isTTY ? stderr.columns : 100,
    out: (text) => stdout.write(text),
    err: (text) => stderr.write(text),
  };
}

function exitWith(code: number): void {
  process.exitCode = code;
}

// A reader that went away (`| head`) is no error.
process.stdout.on("error", (e: NodeJS.ErrnoException) => {
  if (e.code === "EPIPE") process.exit(0);
  throw e;
});

// Standing first it asks for the release; behind a verb it is the verb's own.
const argv = process.argv.map((word, i) => (i === 2 && word === "--version" ? "-V" : word));

async function run(): Promise<void> {
  const context = {
    io,
    cwd: process.cwd(),
    examples: join(__dirname, "examples"),
    serveEditor: () => import("./main.ts"),
    exitWith,
  };
  for (const add of await verbsFor(argv.slice(2))) add(program, context);
  for (const verb of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)])
    verb.exitOverride();
  await program.parseAsync(argv);
}

run().catch((e: unknown) => {
  if (e instanceof CommanderError) {
    exitWith(e.exitCode === 0 ? exitCodes.success : exitCodes.usage);
    return;
  }
  if (HarnessError.is(e)) process.stderr.write(`${messageOf(e)}\n`);
  else
    process.stderr.write(
      `This is a bug in evotrainer, please report it: ${e instanceof Error ? (e.stack ?? e.message) : String(e)}\n`,
    );
  exitWith(exitCodeOf(e));
});
