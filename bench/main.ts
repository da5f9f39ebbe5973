import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, platform, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { benchEngineStart } from "./engineStart.ts";
import { writeSynthetic } from "./generate.ts";
import { benchIngest } from "./ingest.ts";
import { benchLabelling } from "./labelling.ts";
import { benchPredicates } from "./predicates.ts";
import type { BenchRow, SkippedRow } from "./row.ts";
import { benchSecondWindow } from "./secondWindow.ts";
import { benchTrainingStep } from "./trainingStep.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const results = join(here, "results");

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "200000" },
    rounds: { type: "string", default: "2" },
    only: { type: "string", default: "" },
    json: { type: "boolean", default: false },
  },
});

async function main(): Promise<number> {
  const folder = await mkdtemp(join(existsSync(results) ? results : tmpdir(), "bench-"));
  try {
    const rows = await measureAll(folder);
    const report = { at: new Date().toISOString(), machine: machineFacts(), rows: rows.map(withVerdict) };
    await mkdir(results, { recursive: true });
    await writeFile(join(results, "latest.json"), `${JSON.stringify(report, null, 2)}\n`);
    process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : tableOf(rows));
    return rows.every((row) => "skipped" in row || row.measured <= row.target) ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureAll(folder: string): Promise<(BenchRow | SkippedRow)[]> {
  const rows: (BenchRow | SkippedRow)[] = [];
  const wants = (name: string): boolean => options.only === "" || options.only.split(",").includes(name);
  if (wants("evidence")) {
    const jsonl = join(folder, "rollouts.jsonl");
    const count = Number(options.rows);
    progress(`generating ${count} rollouts`);
    const bytes = await writeSynthetic(jsonl, { rows: count, textBytes: 3100, seed: 1 });
    progress("ingest");
    rows.push(await benchIngest({ folder, jsonl, bytes, rows: count, rounds: Number(options.rounds) }));
    const database = join(folder, "archive.duckdb");
    progress("labelling");
    rows.push(await benchLabelling({ database, rounds: 32 }));
    progress("predicates");
    rows.push(await benchPredicates({ database, rounds: 100 }));
    progress("second window");
    rows.push(await benchSecondWindow({ database, turns: 5, rounds: 30 }));
    progress("engine start");
    rows.push(await benchEngineStart({ rounds: 9 }));
  }
  if (wants("training")) {
    progress("training step");
    rows.push(...benchTrainingStep());
  }
  return rows;
}

type Judged = SkippedRow | (BenchRow & { readonly ratio: number; readonly ok: boolean });

function withVerdict(row: BenchRow | SkippedRow): Judged {
  return "skipped" in row
    ? row
    : { ...row, ratio: row.measured / row.target, ok: row.measured <= row.target };
}

function tableOf(rows: readonly (BenchRow | SkippedRow)[]): string {
  const cells = rows
    .map(withVerdict)
    .map((row) =>
      "skipped" in row
        ? [row.name, "-", "-", "-", "skipped", row.skipped]
        : [
            row.name,
            format(row.measured, row.unit),
            format(row.target, row.unit),
            row.ratio.toFixed(2),
            row.ok ? "ok" : "MISSED",
            row.detail,
          ],
    );
  const lines = [["name", "measured", "target", "ratio", "verdict", "detail"], ...cells];
  const widths = [0, 1, 2, 3, 4].map((i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

function format(value: number, unit: BenchRow["unit"]): string {
  return unit === "ms" ? `${value.toFixed(0)} ms` : value.toFixed(2);
}

function machineFacts(): Readonly<Record<string, string | number>> {
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()}`,
    node: process.version,
    loadAverage: loadavg()[0] ?? 0,
  };
}

function progress(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}

process.exitCode = await main();
