import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { LanguageClient } from "../language/languageClient.ts";
import { least, quantile, type BenchRow } from "../row.ts";

const bundle = fileURLToPath(new URL("../../dist/server.cjs", import.meta.url));
const files = 5000;
/** Reward files, each with a hundred interventions that edit it. */
const rewards = 25;
/** Interventions that a change of one reward concerns, and diagnostics with a mistake from the start. */
const [affected, wrong] = [100, 200];
const rewardOf = (i: number) => `harness/part-${i}.reward.yaml`;
const head = "apiVersion: evotrainer/v1\n";

const reward = (i: number): string => `${head}kind: Reward
name: part-${i}
components:
  correctness: { shape: flat, weight: 1 }
  brevity: { shape: linear, weight: 0 }
`;

const diagnostic = (i: number): string => `${head}kind: Diagnostic
name: d-${i}
description: Label number ${i}, for a project that has many.
layer: behaviour
params: { streak: ${2 + (i % 9)} }
label:
  when: longest_tool_streak >= params.streak && outcome != "pass"
  evidence: turn.tool == streak_tool
  ${i < wrong ? "severty" : "severity"}: warning
alert: { metric: rate, above: 0.1, critical: 0.25 }
examples:
  - { rollout: { outcome: pass, turns: [] }, expect: clear }
`;

const intervention = (i: number): string => `${head}kind: Intervention
name: i-${i}
hypothesis: { change: components.correctness.shape, metric: solve_rate, direction: increase, because: shorter answers are surer }
targets: [d-${i}]
factor: reward
edit:
  - { file: ${rewardOf(Math.floor(i / affected))}, path: components.correctness.shape, from: flat, to: binary }
predicts: { fixes: [d-${i}], risks: [] }
success: { atLeast: 0.02 }
guardrails: [{ metric: length_reward_correlation, atMost: 0.3 }]
`;

const project = `${head}kind: Project
name: many
domain: swe
trainer: { command: [python, train.py] }
evaluation: { splits: { train: a.jsonl, selection: b.jsonl, audit: c.jsonl } }
surfaces:
${Array.from({ length: rewards }, (_, i) => `  - { factor: reward, file: ${rewardOf(i)}, paths: [components] }\n`).join("")}reward: ${rewardOf(0)}
`;

/** The spec that is checked last has a mistake: once that is told, all of them were checked. */
const last = "harness/z.diagnostic.yaml";

async function writeProject(root: string): Promise<void> {
  const texts = new Map([["evotrainer.yaml", project]]);
  for (let i = 0; i < rewards; i++) texts.set(rewardOf(i), reward(i));
  for (const name of ["a", "b", "c"]) texts.set(`${name}.jsonl`, `{"id":"${name}"}\n`);
  texts.set(last, diagnostic(0).replace("name: d-0", "name: z"));
  for (let i = 0; i < files - 2 - rewards; i++) {
    const half = i >> 1;
    if (i % 2 === 0) texts.set(`harness/diagnostics/d-${half}.diagnostic.yaml`, diagnostic(half));
    else texts.set(`harness/interventions/i-${half}.intervention.yaml`, intervention(half));
  }
  for (const [file, text] of texts) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  }
}

/** A project of 5,000 specs: the first findings, what an edit costs that concerns others, requests, memory. */
export async function benchWorkspace(options: {
  readonly rounds: number;
  readonly edits: number;
}): Promise<BenchRow[]> {
  const root = await mkdtemp(join(tmpdir(), "evotrainer-bench-"));
  try {
    await writeProject(root);
    const uriOf = (file: string) => pathToFileURL(join(root, file)).href;
    const starts: { readonly first: number; readonly names: number }[] = [];
    const begin = async (): Promise<LanguageClient> => {
      const client = new LanguageClient(bundle);
      const start = performance.now();
      await client.start(root);
      await client.until(() => client.filesWithFindings > wrong && client.count(uriOf(last)) > 0);
      const first = performance.now() - start;
      await client.connection.sendRequest("workspace/symbol", { query: "d-1" });
      starts.push({ first, names: performance.now() - start });
      return client;
    };
    for (let i = 0; i < 2; i++) await (await begin()).stop();
    const client = await begin();
    const first = least(starts.map((one) => one.first));
    const names = least(starts.map((one) => one.names));
    const before = client.filesWithFindings;
    // An edit is told by findings in files that had none: with findings everywhere it would be waited for in vain.
    if (before > 2 * wrong)
      throw new Error(
        `${before} files have findings, not about ${wrong}: a rule finds something in the specs above.`,
      );

    const rewardUri = uriOf(rewardOf(3));
    await client.open(rewardUri, reward(3), "evotrainer-spec");
    const rewardLines = reward(3).split("\n");
    const line = rewardLines.findIndex((one) => one.includes("flat"));
    const from = rewardLines[line]?.indexOf("flat") ?? 0;
    const edit: number[] = [];
    const shapes = ["linear", "flat"] as const;
    let version = 2;
    const type = (round: number): Promise<void> => {
      const [now, next] = [shapes[Math.abs(round + 1) % 2] ?? "flat", shapes[Math.abs(round) % 2] ?? "flat"];
      return client.replace(rewardUri, version++, { line, from, to: from + now.length, text: next });
    };
    for (let round = -4; round < options.rounds; round++) {
      const began = performance.now();
      await type(round);
      const wanted = round % 2 === 0 ? before + affected : before;
      await client.until(() => client.filesWithFindings === wanted);
      if (round >= 0) edit.push(performance.now() - began);
    }
    if (options.rounds % 2 === 1) await type(1);

    const spec = "harness/interventions/i-7.intervention.yaml";
    const text = intervention(7);
    await client.open(uriOf(spec), text, "evotrainer-spec");
    const lines = text.split("\n");
    const ask = async (method: string, word: string): Promise<number[]> => {
      const at = lines.findIndex((one) => one.includes(word));
      const position = { line: at, character: (lines[at]?.indexOf(word) ?? 0) + word.length };
      const times: number[] = [];
      for (let round = -5; round < 2 * options.rounds; round++) {
        const began = performance.now();
        await client.connection.sendRequest(method, { textDocument: { uri: uriOf(spec) }, position });
        if (round >= 0) times.push(performance.now() - began);
      }
      return times;
    };
    const completion = [
      ...(await ask("textDocument/completion", "targets: [d-")),
      ...(await ask("textDocument/completion", "factor: re")),
      ...(await ask("textDocument/completion", "path: components.")),
    ];
    const hover = [
      ...(await ask("textDocument/hover", "targets")),
      ...(await ask("textDocument/hover", "targets: [d-")),
    ];
    const memory = await benchMemoryOfEdits(client, uriOf(spec), lines, options.edits);
    await client.stop();
    const ms = (times: readonly number[]) =>
      `p50 ${quantile(times, 0.5).toFixed(1)}, most ${Math.max(...times).toFixed(0)} ms`;
    return [
      {
        name: "first findings of 5,000 specs",
        measured: first,
        target: 3000,
        unit: "ms",
        detail: `from the start of the process, ${starts.map((one) => one.first.toFixed(0)).join(", ")}; ${before} specs with findings; all names after ${names.toFixed(0)} ms`,
      },
      {
        name: "an edit that concerns 100 of 5,000 specs, p95",
        measured: quantile(edit, 0.95),
        target: 100,
        unit: "ms",
        detail: `until all of them are told; ${ms(edit)}`,
      },
      {
        name: "completion among 5,000 specs, p95",
        measured: quantile(completion, 0.95),
        target: 20,
        unit: "ms",
        detail: ms(completion),
      },
      {
        name: "hover among 5,000 specs, p95",
        measured: quantile(hover, 0.95),
        target: 20,
        unit: "ms",
        detail: ms(hover),
      },
      memory,
    ];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Memory of the server after many edits over that after a hundred. */
async function benchMemoryOfEdits(
  client: LanguageClient,
  uri: string,
  lines: readonly string[],
  edits: number,
): Promise<BenchRow> {
  const line = lines.findIndex((text) => text.startsWith("name:"));
  let version = 2;
  const type = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) {
      const isIn = n % 2 === 0;
      await client.replace(uri, version++, { line, from: 6, to: isIn ? 6 : 7, text: isIn ? "x" : "" });
      // An answer now and then, as an editor waits for one: otherwise the server only reads.
      if (n % 10 === 9)
        await client.connection.sendRequest("textDocument/hover", {
          textDocument: { uri },
          position: { line, character: 1 },
        });
    }
  };
  await type(100);
  const after100 = await client.memory();
  await type(edits - 100);
  const after = await client.memory();
  return {
    name: `memory after ${edits} edits / after 100`,
    measured: after / after100,
    target: 1.1,
    unit: "ratio",
    detail: `${after.toFixed(0)} against ${after100.toFixed(0)} MB in use`,
  };
}
