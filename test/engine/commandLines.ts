// Tests run this as a program. It runs many command lines in one process, each with its own folder, and writes a
// separator to both streams after each.
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { runCommandLine } from "../../server/src/commands/commandLine.ts";

const Work = z.object({
  separator: z.string(),
  lines: z.array(z.object({ cwd: z.string(), words: z.array(z.string()) })),
});

const dist = resolve(import.meta.dirname, "../../dist");
// The bundle knows its own folder by this name.
Object.assign(globalThis, { __dirname: dist });

async function main(file: string): Promise<void> {
  const { separator, lines } = Work.parse(JSON.parse(readFileSync(file, "utf8")));
  // What a verb makes beside its project lies beside the file.
  process.chdir(dirname(file));
  for (const { cwd, words } of lines) {
    await runCommandLine(words, {
      cwd,
      examples: join(dist, "examples"),
      serveEditor: () => Promise.resolve(),
      exitWith: () => undefined,
    });
    for (const stream of [process.stdout, process.stderr]) stream.write(separator);
  }
}

await main(process.argv[2] ?? "");
