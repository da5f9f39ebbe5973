// Simulates how often the intervals hold the truth, and how often versions are kept wrongly. Prints the tables; --write puts
// them into docs/statistics.md, --check says whether those there are of this code, --only does one part: intervals or
// evolutions.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatted } from "./formatted.ts";
import { evolutionFingerprint } from "./simulation/evolution/evolutionFingerprint.ts";
import { evolutionTables } from "./simulation/evolution/evolutionTables.ts";
import { fingerprint } from "./simulation/fingerprint.ts";
import { fullEffort, simulate, type Effort } from "./simulation/tables.ts";

const page = join(import.meta.dirname, "..", "docs", "statistics.md");

interface Part {
  readonly name: string;
  readonly tables: (effort: Effort) => Readonly<Record<string, readonly string[]>>;
  readonly fingerprint: () => string;
}

const parts: readonly Part[] = [
  { name: "intervals", tables: simulate, fingerprint },
  { name: "evolutions", tables: evolutionTables, fingerprint: evolutionFingerprint },
];

const stampOf = ({ name }: Part): RegExp =>
  new RegExp(`<!-- ${name} simulated by scripts/simulate\\.ts, fingerprint ([0-9a-f]*) -->`);

async function main(args: readonly string[]): Promise<number> {
  const only = args.includes("--only") ? args[args.indexOf("--only") + 1] : undefined;
  const chosen = parts.filter(({ name }) => only === undefined || name === only);
  if (chosen.length === 0) {
    process.stderr.write(`--only takes ${parts.map(({ name }) => name).join(" or ")}\n`);
    return 2;
  }
  if (args.includes("--check")) {
    const text = await readFile(page, "utf8");
    const stale = chosen.filter((part) => stampOf(part).exec(text)?.[1] !== part.fingerprint());
    for (const { name } of stale)
      process.stdout.write(`docs/statistics.md is stale: run npm run simulate -- --write --only ${name}\n`);
    return stale.length > 0 ? 1 : 0;
  }
  for (const part of chosen) {
    const tables = part.tables(fullEffort((what) => void process.stderr.write(`${what}\n`)));
    for (const [name, lines] of Object.entries(tables))
      process.stdout.write(`${name}\n\n${lines.join("\n")}\n\n`);
    if (args.includes("--write"))
      await writeFile(page, await withTables(await readFile(page, "utf8"), part, tables));
  }
  return 0;
}

async function withTables(
  text: string,
  part: Part,
  tables: Readonly<Record<string, readonly string[]>>,
): Promise<string> {
  let filled = text.replace(
    stampOf(part),
    `<!-- ${part.name} simulated by scripts/simulate.ts, fingerprint ${part.fingerprint()} -->`,
  );
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
