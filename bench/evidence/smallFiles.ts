import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { importEvidence } from "../../server/src/engine/importing/importEvidence.ts";
import { openStore } from "../../server/src/evidence/archive/store.ts";
import { generateRollouts } from "../generate.ts";
import type { BenchRow } from "../row.ts";

/** What one file may take, in milliseconds. */
const target = 4;

/**
 * A folder of small files: rollouts of the contract and of another tool, one in each file. Each kind is imported into an empty
 * archive, and once more, which changes nothing.
 */
export async function benchSmallFiles(options: {
  readonly folder: string;
  readonly files: number;
}): Promise<BenchRow[]> {
  const foreign = (_: string, i: number): string =>
    `${JSON.stringify({ input: `user\nitem ${i}\nassistant\n`, output: "4", score: i % 2, step: i })}\n`;
  const generated = generateRollouts({ rows: options.files, textBytes: 3100, seed: 3 });
  const lines = Array.from(generated, (rollout) => `${JSON.stringify(rollout)}\n`);
  const rows: BenchRow[] = [];
  for (const [kind, make] of [
    ["the contract", (line: string) => line],
    ["verl", foreign],
  ] as const) {
    const folder = join(options.folder, `small-${kind.replaceAll(" ", "-")}`);
    const dump = join(folder, "dump");
    await mkdir(dump, { recursive: true });
    for (const [i, line] of lines.entries()) await writeFile(join(dump, `${i}.jsonl`), make(line, i));
    const store = await openStore({ path: join(folder, "archive.duckdb"), evidenceRoot: folder, threads: 2 });
    for (const again of [false, true]) {
      const start = performance.now();
      const report = await importEvidence(
        store,
        { paths: [dump] },
        { diagnostics: [], domain: "imported", signal: new AbortController().signal },
      );
      const milliseconds = performance.now() - start;
      const taken = again ? report.files.unchanged : report.rollouts;
      if (taken !== options.files)
        throw new Error(`${taken} of ${options.files} files of ${kind} were read.`);
      rows.push({
        name: `import of ${options.files} small files of ${kind}${again ? ", once more" : ""}, each`,
        measured: milliseconds / options.files,
        target,
        unit: "ms",
        detail: `${(milliseconds / 1000).toFixed(1)} s for all`,
      });
    }
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
  return rows;
}
