// Simulates how often the intervals hold the truth. Prints the tables; --write puts them into docs/statistics.md, --check
// says whether those there are of this code.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatted } from "./formatted.ts";
import { fingerprint } from "./simulation/fingerprint.ts";
import { fullEffort, simulate } from "./simulation/tables.ts";

const page = join(import.meta.dirname, "..", "docs", "statistics.md");
const stamp = /<!-- simulated by scripts\/simulate\.ts, fingerprint ([0-9a-f]*) -->/;

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--check")) {
    const fresh = stamp.exec(await readFile(page, "utf8"))?.[1] === fingerprint();
    if (!fresh) process.stdout.write("docs/statistics.md is stale: run npm run simulate -- --write\n");
    return fresh ? 0 : 1;
  }
  const tables = simulate(fullEffort((what) => void process.stderr.write(`${what}\n`)));
  for (const [name, lines] of Object.entries(tables))
    process.stdout.write(`${name}\n\n${lines.join("\n")}\n\n`);
  if (args.includes("--write")) await writeFile(page, await withTables(await readFile(page, "utf8"), tables));
  return 0;
}

async function withTables(
  text: string,
  tables: Readonly<Record<string, readonly string[]>>,
): Promise<string> {
  let filled = text.replace(stamp, `<!-- simulated by scripts/simulate.ts, fingerprint ${fingerprint()} -->`);
  for (const [name, lines] of Object.entries(tables)) {
    const [open, close] = [`<!-- simulated: ${name} -->`, `<!-- /simulated: ${name} -->`];
    const [start, end] = [filled.indexOf(open), filled.indexOf(close)];
    if (start === -1 || end < start)
      throw new Error(`docs/statistics.md has lost the marks of its table ${name}.`);
    filled = `${filled.slice(0, start)}${open}\n\n${lines.join("\n")}\n\n${filled.slice(end)}`;
  }
  return formatted(page, filled);
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
