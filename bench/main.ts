import { benchGaps } from "./evidence/gaps.ts";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, platform, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { benchAttach } from "./evidence/attach.ts";
import { benchBootstrap } from "./evidence/bootstrap.ts";
import { benchConditions } from "./evidence/conditions.ts";
import { benchCrash } from "./evidence/crash.ts";
import { benchEngineStart } from "./engine/engineStart.ts";
import { writeSynthetic } from "./generate.ts";
import { benchIngest, runSide } from "./evidence/ingest.ts";
import { benchLabelling } from "./evidence/labelling.ts";
import { benchActivation } from "./views/activation.ts";
import { benchEvidenceView } from "./views/evidenceView.ts";
import { benchArchiveFacts } from "./evidence/archiveFacts.ts";
import { benchLanguage } from "./language/language.ts";
import { benchIntegrity } from "./engine/integrity.ts";
import { benchLedger } from "./engine/ledger.ts";
import { benchLibrary } from "./evidence/library.ts";
import { benchLibraryScan } from "./evidence/libraryScan.ts";
import { benchLive } from "./evidence/live.ts";
import { benchMemory } from "./evidence/memory.ts";
import { benchOpen } from "./evidence/open.ts";
import { benchPages } from "./evidence/pages.ts";
import { benchPredicates } from "./evidence/predicates.ts";
import { benchReplay } from "./evidence/replay.ts";
import type { BenchRow, SkippedRow } from "./row.ts";
import { benchScale } from "./evidence/scale.ts";
import { benchRunner } from "./engine/runner.ts";
import { benchSearch } from "./engine/search.ts";
import { benchSecondWindow } from "./evidence/secondWindow.ts";
import { benchSmallFiles } from "./evidence/smallFiles.ts";
import { benchTail } from "./evidence/tail.ts";
import { benchTrainingStep } from "./engine/trainingStep.ts";
import { benchViews } from "./views/views.ts";
import { benchWorkspace } from "./engine/workspace.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const results = join(here, "results");

const names = [
  "ingest",
  "small-files",
  "memory",
  "labelling",
  "predicates",
  "conditions",
  "library",
  "live",
  "replay",
  "gaps",
  "pages",
  "open",
  "tail",
  "attach",
  "second-window",
  "crash",
  "start",
  "training",
  "bootstrap",
  "language",
  "facts",
  "workspace",
  "ledger",
  "views",
  "evidence-view",
  "activation",
  "runner",
  "search",
  "integrity",
] as const;
/** Runs only where it is named: it takes half an hour and 15 GB of disk. */
const long = ["scale"] as const;
type Name = (typeof names)[number] | (typeof long)[number];

const { values: options } = parseArgs({
  options: {
    /** Rollouts of 4 KB, and of 0.95 KB; fewer for a quick run. */
    rows: { type: "string", default: "200000" },
    "small-rows": { type: "string", default: "1000000" },
    "scale-rows": { type: "string", default: "10000000" },
    rounds: { type: "string", default: "2" },
    kills: { type: "string", default: "100" },
    /** Names with commas between them; all when left out. */
    only: { type: "string", default: "" },
    json: { type: "boolean", default: false },
  },
});
const wanted = options.only === "" ? [...names] : options.only.split(",");
const known: readonly string[] = [...names, ...long];
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) throw new Error(`--only takes ${known.join(", ")}; not ${unknown.join(", ")}.`);
const wants = (...some: readonly Name[]): boolean => some.some((name) => wanted.includes(name));

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

type Rows = (BenchRow | SkippedRow)[];

async function measureAll(folder: string): Promise<Rows> {
  const rows: Rows = [];
  if (wants("search")) rows.push(...benchSearch());
  if (wants("ingest", "memory", "labelling", "library", "predicates")) await measureLarge(folder, rows);
  if (
    wants(
      "ingest",
      "conditions",
      "library",
      "live",
      "pages",
      "open",
      "tail",
      "second-window",
      "facts",
      "evidence-view",
    )
  )
    await measureMany(folder, rows);
  if (wants("small-files")) {
    progress("small files");
    rows.push(...(await benchSmallFiles({ folder, files: 10_000 })));
  }
  if (wants("attach")) {
    progress("attach");
    rows.push(await benchAttach({ folder, rows: 100_000, rounds: 5 }));
  }
  if (wants("replay")) await measureReplay(folder, rows);
  if (wants("gaps")) await measureGaps(folder, rows);
  if (wants("scale")) {
    progress("ten times as many rollouts");
    rows.push(...(await benchScale({ folder, rows: Number(options["scale-rows"]) })));
  }
  if (wants("crash")) {
    progress("kills");
    rows.push(...(await benchCrash({ folder, kills: Number(options.kills) })));
  }
  if (wants("start")) {
    progress("engine start");
    rows.push(await benchEngineStart({ rounds: 9 }));
  }
  if (wants("training")) {
    progress("training step");
    rows.push(...benchTrainingStep());
  }
  if (wants("bootstrap")) {
    progress("bootstrap");
    rows.push(...benchBootstrap({ rounds: 15 }));
  }
  if (wants("language")) {
    progress("language server, one spec");
    rows.push(...(await benchLanguage({ rounds: 40 })));
  }
  if (wants("workspace")) {
    progress("language server, 5,000 specs");
    rows.push(...(await benchWorkspace({ rounds: 60, edits: 10_000 })));
  }
  if (wants("ledger")) {
    progress("ledger");
    rows.push(...(await benchLedger({ versions: 100_000 })));
  }
  if (wants("views")) {
    progress("views");
    rows.push(...(await benchViews({ rounds: 9, frames: 400 })));
  }
  if (wants("runner")) {
    progress("jobs on a host");
    rows.push(...(await benchRunner({ rounds: 15 })));
  }
  if (wants("integrity")) {
    progress("what keeps evidence true");
    rows.push(...(await benchIntegrity({ rounds: 15, evolutions: Number(options.rounds) })));
  }
  if (wants("activation")) {
    progress("activation and package");
    rows.push(...(await benchActivation({ rounds: 3 })));
  }
  return rows;
}

/** What is measured on rollouts of 4 KB. */
async function measureLarge(folder: string, rows: Rows): Promise<void> {
  const count = Number(options.rows);
  const generated = await generate(folder, { shape: "4 KB rollouts", rows: count, textBytes: 3100 });
  await fill(generated, folder, rows);
  const { database } = generated;
  if (wants("memory")) {
    progress("memory of a file five times as large");
    rows.push(await benchMemory({ ...generated, folder }));
  }
  if (wants("labelling")) {
    progress("labelling");
    rows.push(await benchLabelling({ database, rounds: 32 }));
  }
  if (wants("library")) {
    progress("the library of diagnostics");
    rows.push(await benchLibrary({ ...generated, rounds: 2 }));
  }
  if (wants("predicates")) {
    progress("predicates");
    rows.push(await benchPredicates({ database, rounds: 100 }));
  }
  for (const file of [generated.jsonl, database]) await rm(file, { force: true });
}

/** A backtest reads the training split, which nine of ten generated rollouts are in. */
async function measureReplay(folder: string, rows: Rows): Promise<void> {
  const count = Math.ceil(Number(options.rows) / 0.9);
  const of = { shape: "rollouts of few words", rows: count, textBytes: 40, exchanges: 2 };
  const generated = await generate(folder, of);
  await runSide("archive", generated);
  progress("replay");
  rows.push(...(await benchReplay({ database: generated.database, rounds: 20 })));
  for (const file of [generated.jsonl, generated.database]) await rm(file, { force: true });
}

/** 50,000 rollouts of the training split, which nine of ten generated ones are in. */
async function measureGaps(folder: string, rows: Rows): Promise<void> {
  const generated = await generate(folder, { shape: "4 KB rollouts", rows: 55_555, textBytes: 3100 });
  await runSide("archive", generated);
  progress("drafts of diagnostics");
  rows.push(await benchGaps(generated));
  for (const file of [generated.jsonl, generated.database]) await rm(file, { force: true });
}

/** What is measured on a million of small rollouts. */
async function measureMany(folder: string, rows: Rows): Promise<void> {
  const count = Number(options["small-rows"]);
  const generated = await generate(folder, {
    shape: "0.95 KB rollouts",
    rows: count,
    textBytes: 150,
    exchanges: 1,
  });
  await fill(generated, folder, rows);
  const { database } = generated;
  if (wants("conditions")) {
    progress("conditions");
    rows.push(...(await benchConditions({ ...generated, folder, rows: count, rounds: 15 })));
  }
  if (wants("library")) {
    progress("the library of diagnostics");
    rows.push(await benchLibraryScan({ ...generated, rounds: 5 }));
  }
  if (wants("live")) {
    progress("live backtest");
    rows.push(...(await benchLive({ database, rows: count, rounds: 8 })));
  }
  if (wants("pages")) {
    progress("pages");
    rows.push(...(await benchPages({ database, rows: count })));
  }
  if (wants("open")) {
    progress("open a long rollout");
    rows.push(await benchOpen({ folder, database, rows: count }));
  }
  if (wants("second-window")) {
    progress("second window");
    rows.push(await benchSecondWindow({ database, turns: 5, rounds: 30 }));
  }
  if (wants("evidence-view")) {
    progress("evidence view");
    rows.push(...(await benchEvidenceView({ folder, database, rows: count })));
  }
  if (wants("facts")) {
    progress("what the archive holds, for the language server");
    rows.push(...(await benchArchiveFacts({ folder, database, rows: count, rounds: 100 })));
  }
  if (wants("tail")) {
    progress("tail");
    rows.push(...(await benchTail({ folder, database, rows: count, rounds: 100 })));
  }
  for (const file of [generated.jsonl, database]) await rm(file, { force: true });
}

interface Generated {
  readonly shape: string;
  readonly jsonl: string;
  readonly database: string;
  readonly rows: number;
  readonly bytes: number;
}

async function generate(
  folder: string,
  { shape, ...of }: { shape: string; rows: number; textBytes: number; exchanges?: number },
): Promise<Generated> {
  progress(`generating ${of.rows} ${shape}`);
  const jsonl = join(folder, "rollouts.jsonl");
  const bytes = await writeSynthetic(jsonl, { ...of, seed: 1 });
  return { shape, jsonl, database: join(folder, "archive.duckdb"), rows: of.rows, bytes };
}

/** Leaves an archive of the generated rollouts, and measures how it came to be if that was asked for. */
async function fill(generated: Generated, folder: string, rows: Rows): Promise<void> {
  progress("ingest");
  if (wants("ingest"))
    rows.push(...(await benchIngest({ ...generated, folder, rounds: Number(options.rounds) })));
  else await runSide("archive", generated);
}

type Judged = SkippedRow | (BenchRow & { readonly ratio: number; readonly ok: boolean });

function withVerdict(row: BenchRow | SkippedRow): Judged {
  return "skipped" in row
    ? row
    : {
        ...row,
        ratio: row.target === 0 ? row.measured : row.measured / row.target,
        ok: row.measured <= row.target,
      };
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
            row.target === 0 ? "-" : row.ratio.toFixed(2),
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
  if (unit === "count") return value.toFixed(0);
  return unit === "ratio" ? value.toFixed(2) : `${value.toFixed(0)} ${unit}`;
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
