import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Adam } from "../../examples/gym/src/adam.ts";
import {
  buildBatch,
  logitsOf,
  logProbabilities,
  slopesFor,
  type Batch,
} from "../../examples/gym/src/batch.ts";
import { demonstrate } from "../../examples/swe-gym/trainer/src/demonstrator.ts";
import { generateItem } from "../../examples/swe-gym/trainer/src/generator.ts";
import { lossSlopes } from "../../examples/gym/src/grpo.ts";
import { plainBackend } from "../../examples/gym/src/kernels/plainBackend.ts";
import { wasmBackend } from "../../examples/gym/src/kernels/wasmBackend.ts";
import { elementOf, type Backend } from "../../examples/gym/src/matrix.ts";
import { Network } from "../../examples/gym/src/network.ts";
import { pointerNames, policyShape } from "../../examples/swe-gym/trainer/src/policy.ts";
import { Random } from "../../examples/gym/src/random.ts";
import { parseItem } from "../../examples/swe-gym/trainer/src/repository.ts";
import { median, type BenchRow, type SkippedRow } from "../row.ts";

const rounds = 15;
const decisionCount = 1024;
const loss = { clip: 0.2, kl: 0.03, entropy: 0, temperature: 1 };

/** A fixed batch with the real network's widths and the real mix of tools. */
function fixedBatch(): Batch {
  const random = new Random(1);
  const items = Array.from({ length: 20 }, (_, i) => parseItem(generateItem(i, `bench-${i}`)));
  const decisions = [];
  while (decisions.length < decisionCount) decisions.push(...demonstrate(random.pick(items), random, 12));
  const credited = decisions
    .slice(0, decisionCount)
    .map((decision, i) => ({ decision, advantage: i % 2 === 0 ? 1 : -1 }));
  return buildBatch(credited, policyShape);
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
  const heads = pointerNames.map((name, i) => {
    const { states, starts } = elementOf(batch.choices, i);
    return { name, states, counts: states.map((_, c) => (starts[c + 1] ?? 0) - (starts[c] ?? 0)) };
  });
  const widths = Object.fromEntries(pointerNames.map((name, i) => [name, policyShape.candidates[i]]));
  const shape = { ...policyShape, candidates: widths };
  return JSON.stringify({ rows: batch.states.starts.length - 1, shape, rounds, heads });
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
export function benchTrainingStep(): (BenchRow | SkippedRow)[] {
  const [ownName, torchName] = [
    "training step, WASM SIMD / plain typed arrays",
    "training step, WASM SIMD / torch on one thread",
  ];
  const wasm = wasmBackend();
  if (wasm === undefined)
    return [ownName, torchName].map((name) => ({ name, skipped: "this runtime has no WASM SIMD" }));
  const batch = fixedBatch();
  const steps = { plain: stepper(plainBackend(), batch), fast: stepper(wasm, batch) };
  const times: Record<keyof typeof steps, number[]> = { plain: [], fast: [] };
  for (let round = 0; round < rounds + 3; round++)
    for (const side of ["plain", "fast"] as const) {
      const ms = steps[side]();
      if (round >= 3) times[side].push(ms);
    }
  const [plain, fast] = [median(times.plain), median(times.fast)];
  const torch = torchStep(batch);
  const size = `${decisionCount} decisions`;
  return [
    {
      name: ownName,
      measured: fast / plain,
      target: 0.35,
      unit: "ratio",
      detail: `${fast.toFixed(1)} ms against ${plain.toFixed(1)} ms, ${size}`,
    },
    torch === undefined
      ? { name: torchName, skipped: "torch is not installed for python3 or EVOTRAINER_PYTHON" }
      : {
          name: torchName,
          measured: fast / torch.ms,
          target: 6,
          unit: "ratio",
          detail: `${fast.toFixed(1)} ms against ${torch.ms.toFixed(1)} ms, torch ${torch.version}, ${size}`,
        },
  ];
}
