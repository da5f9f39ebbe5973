import { once } from "node:events";
import { createWriteStream } from "node:fs";
import type { Rollout, Turn } from "../shared/model/rollout.ts";
import { seededRandom } from "../server/src/base/random.ts";

/** What to generate: `textBytes` is the mean text per rollout, without the JSON around it. */
export interface Synthetic {
  readonly rows: number;
  readonly textBytes: number;
  readonly seed: number;
  readonly run?: string;
  /** At most so many exchanges, but for loops; 3 when left out. */
  readonly exchanges?: number;
}

const groupSize = 8;
const syllables = "ka lo mi re tu sa ven dor pel ist qua ner fo bal zin cor ush ta".split(" ");
const fragments = [
  "def solve(n):\n    return sum(i * i for i in range(n))\n",
  'Traceback (most recent call last):\n  File "src/app.py", line 41, in run\n    raise ValueError(f"bad {key!r}")\n',
  "diff --git a/src/core.ts b/src/core.ts\n@@ -10,7 +10,9 @@\n-  const x = old(value);\n+  const x = next(value) ?? 0;\n",
  "$ pytest -q\n..F.s                                                    [100%]\n1 failed, 3 passed in 0.42s\n",
  "I need to look at the file before I change it. Let me search for the definition.\n",
  '{"path": "src/main.py", "start": 1, "end": 80}\n',
];
const tools = ["search", "open", "edit", "run_tests", "bash", "submit"];

/** Rollouts in contract version 1, the same for the same seed: Zipf text with code, 18 % dead groups, 3 % loops. */
export function* generateRollouts(options: Synthetic): Generator<Rollout> {
  const random = seededRandom(options.seed);
  const words = Array.from({ length: 4096 }, () =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(syllables, random)).join(""),
  );
  const zipf = zipfTable(words);
  for (let row = 0; row < options.rows;) {
    const group = Math.floor(row / groupSize);
    const dead = random() < 0.18;
    const groupReward = Math.round(random() * 100) / 100;
    const prompt = makeText(zipf, random, options.textBytes * 0.2);
    for (let sample = 0; sample < groupSize && row < options.rows; sample++, row++) {
      const reward = dead ? groupReward : Math.round(random() * 1000) / 1000;
      yield makeRollout({ options, random, zipf, row, group, sample, reward, prompt });
    }
  }
}

interface RowContext {
  readonly options: Synthetic;
  readonly random: () => number;
  readonly zipf: readonly string[];
  readonly row: number;
  readonly group: number;
  readonly sample: number;
  readonly reward: number;
  readonly prompt: string;
}

function makeRollout(c: RowContext): Rollout {
  const { random, row } = c;
  const looping = random() < 0.03;
  const exchanges = looping
    ? 10 + Math.floor(random() * 8)
    : Math.min(1 + Math.floor(random() * 2.2), c.options.exchanges ?? 3);
  const perTurn = (c.options.textBytes * 0.8) / (exchanges * 2 + 1);
  const turns: Turn[] = [{ role: "user", text: c.prompt, tokens: Math.ceil(c.prompt.length / 4) }];
  let tokens = 0;
  for (let i = 0; i < exchanges; i++) {
    const tool = looping ? "search" : pick(tools, random);
    const text = makeText(c.zipf, random, perTurn * 0.7);
    const spent = Math.ceil(text.length / 4);
    tokens += spent;
    turns.push({
      role: "assistant",
      text,
      tool,
      args: { path: `src/${pick(c.zipf, random)}.py`, line: Math.floor(random() * 500) },
      ok: random() > 0.12,
      tokens: spent,
      ms: Math.round(random() * 900),
    });
    turns.push({ role: "tool", text: makeText(c.zipf, random, perTurn * 1.3), tool });
  }
  turns.push({ role: "assistant", text: makeText(c.zipf, random, perTurn), tokens: 40 });
  const roll = random();
  const outcome = roll < 0.02 ? "unknown" : c.reward > 0.5 ? "pass" : "fail";
  return {
    id: `${c.group}-${c.sample}`,
    run: c.options.run ?? "bench",
    split: row % 10 === 0 ? "selection" : "train",
    step: Math.floor(c.group / 32),
    item: `item-${c.group % 500}`,
    group: `g${c.group}`,
    sample: c.sample,
    outcome,
    ...(outcome === "unknown" ? { unknown_reason: "the evaluator crashed" } : {}),
    reward: c.reward,
    components: {
      tests: Math.round(random() * 100) / 100,
      format: random() < 0.9 ? 1 : 0,
      length: tokens / 4096,
    },
    stop_reason: looping ? "echo_trap" : outcome === "pass" ? "success" : "fail",
    turns,
    tokens: tokens + 40,
    logprob_mean: -Math.round(random() * 1e4) / 1e4,
    policy: `ckpt-${Math.floor(c.group / 32)}`,
    harness: "0123456789abcdef0123456789abcdef01234567",
    seed: 1,
    started_at: "2026-01-01T00:00:00.000Z",
    duration_ms: Math.round(random() * 60_000),
    extra: { temperature: 1, host: "node-7" },
  };
}

function pick<T>(of: readonly T[], random: () => number): T {
  const value = of[Math.floor(random() * of.length)];
  if (value === undefined) throw new Error("pick needs a list that is not empty.");
  return value;
}

/** A table of words in which the k-th most frequent fills a share of 1/k: sampling it uniformly gives Zipf text. */
function zipfTable(words: readonly string[]): string[] {
  const table: string[] = [];
  words.forEach((word, i) => {
    for (let n = Math.max(1, Math.floor(4096 / (i + 1))); n > 0; n--) table.push(word);
  });
  return table;
}

function makeText(zipf: readonly string[], random: () => number, mean: number): string {
  const size = mean * (0.5 + random());
  let text = "";
  while (text.length < size) {
    text += random() < 0.02 ? `\n${pick(fragments, random)}` : `${pick(zipf, random)} `;
  }
  return text;
}

/** Writes the rollouts as JSONL and returns the number of bytes. */
export async function writeSynthetic(path: string, options: Synthetic): Promise<number> {
  const out = createWriteStream(path, { highWaterMark: 1 << 22 });
  let batch: string[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const data = Buffer.from(batch.join(""));
    bytes += data.length;
    batch = [];
    if (!out.write(data)) await once(out, "drain");
  };
  for (const rollout of generateRollouts(options)) {
    batch.push(`${JSON.stringify(rollout)}\n`);
    if (batch.length === 1000) await flush();
  }
  await flush();
  out.end();
  await once(out, "close");
  return bytes;
}
