import { spawnSync } from "node:child_process";
import { createReadStream, createWriteStream } from "node:fs";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Environment } from "@marcbachmann/cel-js";
import { z } from "zod";
import { ensureDerived } from "../../server/src/evidence/store/derived.ts";
import { openStore, type Store } from "../../server/src/evidence/archive/store.ts";
import { compiledSql } from "./predicate.ts";
import { least, type BenchRow, type SkippedRow } from "../row.ts";
import { forget } from "./forget.ts";

const scalar = 'reward > 0.5 && outcome != "pass"';
const quantifier = 'turns.exists(t, t.tool == "bash" && !t.ok)';
const withLiteral = 'turns.exists(t, t.text.matches("Traceback.*[Ee]rror"))';
const withoutLiteral = 'turns.exists(t, t.text.matches("[A-Z][a-z]+Error"))';
const patterns = { [withLiteral]: "Traceback.*[Ee]rror", [withoutLiteral]: "[A-Z][a-z]+Error" } as const;

interface Given {
  readonly folder: string;
  readonly database: string;
  readonly jsonl: string;
  readonly rows: number;
  readonly rounds: number;
}

/**
 * T5 to T7: what conditions cost against the memory they touch, an interpreter of CEL, ripgrep, and turns that are kept in
 * a list per rollout. The least of several rounds on each side, both in one process or, for ripgrep, alternating.
 */
export async function benchConditions(given: Given): Promise<(BenchRow | SkippedRow)[]> {
  const store = await openStore({ path: given.database, evidenceRoot: "/", threads: 2 });
  try {
    await ensureDerived(store, "features");
    const scalarMs = await timeOf(store, given, scalar);
    return [
      memoryRow(scalarMs, given.rows),
      ...(await interpreterRows(scalarMs, given)),
      ...(await searchRows(store, given)),
      ...(await quantifierRows(store, given, scalarMs)),
    ];
  } finally {
    await store.close();
  }
}

async function timeOf(store: Store, { rounds }: Given, cel: string): Promise<number> {
  return timeSql(store, 4 * rounds, counting(cel));
}

/** What is asked of the turns counts only where there are messages, which the features tell. */
function counting(cel: string): string {
  const where = compiledSql(cel);
  const features = where.includes('f."') ? "JOIN features f ON f.rid = r.rid " : "";
  return `SELECT count(*) AS n FROM rollouts r ${features}WHERE ${where}`;
}

async function timeSql(store: Store, rounds: number, sql: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    await forget(store);
    const start = performance.now();
    await store.query({ sql, params: [] });
    if (round > 0) times.push(performance.now() - start);
  }
  return least(times);
}

/**
 * What the condition compares per rollout: a double and a byte of a choice. Compressed in the archive it is about a quarter;
 * what that saves of memory the processor pays for.
 */
const touchedBytes = 9;

function memoryRow(ms: number, rows: number): BenchRow {
  const bytesPerMs = memoryBandwidth();
  const limit = (touchedBytes * rows) / bytesPerMs;
  return {
    name: "T5 condition on scalars / memory bandwidth",
    measured: ms / limit,
    target: 20,
    unit: "ratio",
    detail: `${rows} rollouts: ${ms.toFixed(1)} ms; the ${touchedBytes} bytes of a DOUBLE and an ENUM each, not compressed, take ${limit.toFixed(2)} ms at ${(bytesPerMs / 1e6).toFixed(1)} GB/s, the faster of copying, counted both ways, and searching`,
  };
}

/** Bytes per millisecond to and from memory, of one thread: the most that was seen. */
function memoryBandwidth(): number {
  const from = Buffer.alloc(256 * 1024 * 1024, 1);
  const to = Buffer.alloc(from.length);
  const [copying, searching]: [number[], number[]] = [[], []];
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    from.copy(to);
    copying.push(performance.now() - start);
    if (from.includes(2)) throw new Error("The buffer holds only ones.");
    searching.push(performance.now() - start - (copying.at(-1) ?? 0));
  }
  return Math.max((2 * from.length) / least(copying), from.length / least(searching));
}

const Scored = z.object({ reward: z.number().nullable(), outcome: z.string() });

/** The library's own evaluator on parsed rollouts, and with the parsing of their lines. */
async function interpreterRows(ms: number, { jsonl, rows }: Given): Promise<BenchRow[]> {
  const env = new Environment().registerVariable("reward", "double").registerVariable("outcome", "string");
  const program = env.parse(scalar);
  const sample = 100_000;
  const lines: string[] = [];
  for await (const line of createInterface({ input: createReadStream(jsonl) })) {
    lines.push(line);
    if (lines.length === sample) break;
  }
  let start = performance.now();
  const parsed = lines.map((line) => Scored.parse(JSON.parse(line)));
  const parsing = performance.now() - start;
  start = performance.now();
  let held = 0;
  for (const { reward, outcome } of parsed)
    if (reward !== null && program({ reward, outcome }) === true) held++;
  const evaluating = performance.now() - start;
  const perRow = ms / rows;
  const row = (name: string, other: number, target: number): BenchRow => ({
    name,
    measured: perRow / (other / lines.length),
    target,
    unit: "ratio",
    detail: `${(1 / perRow / 1000).toFixed(1)} against ${(lines.length / other / 1000).toFixed(2)} million rollouts per second (${held} of ${lines.length} hold)`,
  });
  return [
    row("T5b condition on scalars / interpreted CEL over parsed rollouts", evaluating, 0.1),
    row("T5b condition on scalars / JSON.parse and interpreted CEL", parsing + evaluating, 0.002),
  ];
}

async function searchRows(store: Store, given: Given): Promise<(BenchRow | SkippedRow)[]> {
  const names = {
    [withLiteral]: "T6 regex with a text that it needs / ripgrep",
    [withoutLiteral]: "T6b regex without one / ripgrep",
  };
  const targets = { [withLiteral]: 3, [withoutLiteral]: 8 };
  if (spawnSync("rg", ["--version"]).status !== 0)
    return Object.values(names).map((name) => ({ name, skipped: "ripgrep is not installed" }));
  const texts = join(given.folder, "texts.txt");
  const bytes = await writeTexts(given.jsonl, texts);
  const found: BenchRow[] = [];
  for (const cel of [withLiteral, withoutLiteral] as const) {
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < Math.min(given.rounds, 7); round++) {
      ours.push(await timeSql(store, 1, counting(cel)));
      const start = performance.now();
      spawnSync("rg", ["-c", "--threads", "2", patterns[cel], texts]);
      theirs.push(performance.now() - start);
    }
    found.push({
      name: names[cel],
      measured: least(ours) / least(theirs),
      target: targets[cel],
      unit: "ratio",
      detail: `${(bytes / 1e6).toFixed(0)} MB of text, compressed in the archive: ${least(ours).toFixed(0)} ms against ${least(theirs).toFixed(0)} ms on plain text`,
    });
  }
  await rm(texts, { force: true });
  return found;
}

const Texts = z.object({ turns: z.array(z.object({ text: z.string() })) });

/** One line per turn. */
async function writeTexts(jsonl: string, path: string): Promise<number> {
  const out = createWriteStream(path, { highWaterMark: 1 << 22 });
  let bytes = 0;
  for await (const line of createInterface({ input: createReadStream(jsonl) })) {
    const { turns } = Texts.parse(JSON.parse(line));
    const text = turns.map((turn) => `${turn.text.replaceAll("\n", " ")}\n`).join("");
    bytes += Buffer.byteLength(text);
    if (!out.write(text)) await once(out, "drain");
  }
  out.end();
  await once(out, "close");
  return bytes;
}

async function quantifierRows(store: Store, given: Given, scalarMs: number): Promise<BenchRow[]> {
  const exploded = await timeOf(store, given, quantifier);
  await store.write((connection) =>
    connection.run(
      "CREATE TABLE nested AS SELECT rid, list({tool: tool, ok: ok, text: text} ORDER BY idx) AS turns FROM turns GROUP BY rid",
    ),
  );
  const nested = await timeSql(
    store,
    Math.min(given.rounds, 10),
    "SELECT count(*) AS n FROM nested WHERE len(list_filter(turns, lambda t: t.tool = 'bash' AND NOT t.ok)) > 0",
  );
  await store.write((connection) => connection.run("DROP TABLE nested"));
  const ms = (value: number): string => value.toFixed(1);
  return [
    {
      name: "T7 condition on turns / on scalars",
      measured: exploded / scalarMs,
      target: 10,
      unit: "ratio",
      detail: `${ms(exploded)} ms against ${ms(scalarMs)} ms`,
    },
    {
      name: "T7b condition on turns / on turns in a list per rollout",
      measured: exploded / nested,
      target: 0.3,
      unit: "ratio",
      detail: `${ms(exploded)} ms against ${ms(nested)} ms`,
    },
  ];
}
