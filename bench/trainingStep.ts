import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Adam } from "../examples/swe-gym/trainer/src/adam.ts";
import {
  buildBatch,
  logitsOf,
  logProbabilities,
  slopesFor,
  type Batch,
} from "../examples/swe-gym/trainer/src/batch.ts";
import { demonstrate } from "../examples/swe-gym/trainer/src/demonstrator.ts";
import { generateItem } from "../examples/swe-gym/trainer/src/generator.ts";
import { lossSlopes } from "../examples/swe-gym/trainer/src/grpo.ts";
import { plainBackend, wasmBackend, type Backend } from "../examples/swe-gym/trainer/src/matrix.ts";
import { Network, pointerNames } from "../examples/swe-gym/trainer/src/network.ts";
import { policyShape } from "../examples/swe-gym/trainer/src/policy.ts";
import { Random } from "../examples/swe-gym/trainer/src/random.ts";
import { parseItem } from "../examples/swe-gym/trainer/src/repository.ts";

/** One line of the benchmark table; `measured` is NaN where it could not be measured, with the reason in `detail`. */
export interface BenchRow {
  readonly name: string;
  readonly measured: number;
  readonly target: number;
  readonly unit: "ratio";
  readonly detail: string;
}

const rounds = 15;
const decisionCount = 1024;
const loss = { clip: 0.2, kl: 0.03, entropy: 0, temperature: 1 };

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** A fixed batch with the real network's widths and the real mix of tools. */
function fixedBatch(): Batch {
  const random = new Random(1);
  const items = Array.from({ length: 20 }, (_, i) => parseItem(generateItem(i, `bench-${i}`)));
  const decisions = [];
  while (decisions.length < decisionCount) decisions.push(...demonstrate(random.pick(items), random, 12));
  const credited = decisions
    .slice(0, decisionCount)
    .map((decision, i) => ({ decision, advantage: i % 2 === 0 ? 1 : -1 }));
  return buildBatch(credited);
}

/** A function that does one step (forward, backward, update) and answers its milliseconds. */
function stepper(backend: Backend, batch: Batch): () => number {
  const network = new Network(backend, policyShape);
  network.initialise(new Random(2));
  const adam = new Adam(network.parameters.length);
  const reference = logProbabilities(network.forward(batch.states, batch.choices), batch, loss.temperature);
  return () => {
    const began = performance.now();
    backend.release();
    const pass = network.forward(batch.states, batch.choices);
    const logits = logitsOf(pass);
    const slopes = slopesFor(network, logits);
    lossSlopes(logits, reference, batch, loss, slopes);
    network.backward(pass, slopes);
    adam.step(network.parameters, network.gradients, 1e-3);
    return performance.now() - began;
  };
}

function batchSizes(batch: Batch): string {
  const heads = pointerNames.map((name) => {
    const { states, starts } = batch.choices[name];
    return { name, states, counts: states.map((_, i) => (starts[i + 1] ?? 0) - (starts[i] ?? 0)) };
  });
  return JSON.stringify({ rows: batch.states.length, shape: policyShape, rounds, heads });
}

interface TorchResult {
  readonly ms: number;
  readonly version: string;
}

/** Milliseconds of the same step in torch on one thread, with the first interpreter that has it. */
function torchStep(batch: Batch): TorchResult | undefined {
  const script = fileURLToPath(new URL("torchStep.py", import.meta.url));
  for (const python of [process.env["EVOTRAINER_PYTHON"], "python3"]) {
    if (python === undefined || python === "") continue;
    try {
      execFileSync(python, ["-c", "import torch"], { stdio: "ignore", timeout: 120_000 });
    } catch {
      continue;
    }
    const options = { input: batchSizes(batch), encoding: "utf8", timeout: 300_000 } as const;
    const [ms, version] = execFileSync(python, [script], options).trim().split(" ");
    return { ms: Number(ms), version: version ?? "" };
  }
  return undefined;
}

/** Measures one policy training step: the WASM SIMD backend against plain typed arrays and, where it is installed, torch. */
export function benchTrainingStep(): Promise<BenchRow[]> {
  const batch = fixedBatch();
  const wasm = wasmBackend();
  const plain = stepper(plainBackend(), batch);
  const fast = wasm === undefined ? undefined : stepper(wasm, batch);
  const plainMs: number[] = [];
  const fastMs: number[] = [];
  for (let round = 0; round < rounds + 3; round++) {
    const samples = [plain(), fast?.() ?? NaN];
    if (round < 3) continue;
    plainMs.push(samples[0] ?? NaN);
    fastMs.push(samples[1] ?? NaN);
  }
  const p = median(plainMs);
  const f = median(fastMs);
  const torch = torchStep(batch);
  const size = `${decisionCount} decisions`;
  return Promise.resolve([
    {
      name: "training step, WASM SIMD / plain typed arrays",
      measured: f / p,
      target: 0.35,
      unit: "ratio",
      detail:
        fast === undefined
          ? "not measured: this runtime has no WASM SIMD"
          : `${f.toFixed(1)} ms / ${p.toFixed(1)} ms, ${size}`,
    },
    {
      name: "training step, WASM SIMD / torch on one thread",
      measured: torch === undefined ? NaN : f / torch.ms,
      target: 6,
      unit: "ratio",
      detail:
        torch === undefined
          ? "not measured: torch is not installed for python3 or EVOTRAINER_PYTHON"
          : `${f.toFixed(1)} ms / ${torch.ms.toFixed(1)} ms, torch ${torch.version}, ${size}`,
    },
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const row of await benchTrainingStep())
    process.stdout.write(`${row.name}: ${row.measured.toFixed(3)} (target ${row.target}) ${row.detail}\n`);
}
