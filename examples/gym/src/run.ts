import { readFileSync } from "node:fs";
import path from "node:path";
import { Split } from "../../../shared/model/rollout.ts";
import type { Domain, Settings, Task } from "./domain.ts";
import { EvidenceWriter } from "./evidence.ts";
import { evaluate } from "./evaluation.ts";
import { readHarness, type Harness } from "./harness.ts";
import { warmUp } from "./imitation.ts";
import { bestBackend } from "./kernels/bestBackend.ts";
import { Network } from "./network.ts";
import { loadPolicy, savePolicy } from "./policyFile.ts";
import { train } from "./training.ts";

/** The run took longer than EVO_BUDGET_SECONDS. */
export class BudgetExceeded extends Error {}

export interface RunRequest {
  readonly root: string;
  readonly runDir: string;
  readonly run: string;
  readonly harness: string;
  readonly seed: number;
  readonly policyIn: string | undefined;
  readonly policyOut: string | undefined;
  readonly splits: readonly Split[];
  readonly budgetSeconds: number;
}

function need(env: NodeJS.ProcessEnv, name: string, what: string): string {
  const value = env[name];
  if (value === undefined || value === "") throw new Error(`${name} is not set; ${what}.`);
  return value;
}

/** The request that the environment variables of the trainer contract make; throws one sentence when they do not. */
export function requestFrom(env: NodeJS.ProcessEnv, root: string): RunRequest {
  const seed = Number(env["EVO_SEED"] ?? "1");
  if (!Number.isSafeInteger(seed))
    throw new Error(`EVO_SEED must be an integer, not ${env["EVO_SEED"] ?? ""}.`);
  const names = need(env, "EVO_SPLITS", "name the splits, e.g. train,selection").split(",");
  const splits = names.map((name) => {
    const split = Split.safeParse(name.trim());
    if (!split.success) throw new Error(`EVO_SPLITS names ${name}; use train, selection and audit.`);
    return split.data;
  });
  const budget = Number(env["EVO_BUDGET_SECONDS"] ?? "Infinity");
  return {
    root,
    runDir: need(env, "EVO_RUN_DIR", "it is the folder that the evidence goes to"),
    run: env["EVO_RUN_ID"] ?? "run",
    harness: env["EVO_HARNESS"] ?? "",
    seed,
    policyIn: env["EVO_POLICY_IN"] === "" ? undefined : env["EVO_POLICY_IN"],
    policyOut: env["EVO_POLICY_OUT"] === "" ? undefined : env["EVO_POLICY_OUT"],
    splits,
    budgetSeconds: budget > 0 ? budget : Infinity,
  };
}

function loadItems<T extends Task, S extends Settings>(
  domain: Domain<T, S>,
  root: string,
  split: Split,
): T[] {
  const file = `data/${split}.jsonl`;
  let text: string;
  try {
    text = readFileSync(path.join(root, file), "utf8");
  } catch {
    throw new Error(`${file} cannot be read; run the trainer in a checkout of the project.`);
  }
  const items = domain.parse(text, file);
  if (items.length === 0) throw new Error(`${file} has no items.`);
  return items;
}

interface Start<T extends Task, S extends Settings> {
  readonly domain: Domain<T, S>;
  readonly network: Network;
  readonly harness: Harness<S>;
  readonly evidence: EvidenceWriter;
}

function preparePolicy<T extends Task, S extends Settings>(
  request: RunRequest,
  { domain, network, harness, evidence }: Start<T, S>,
): void {
  if (request.policyIn !== undefined) {
    loadPolicy(network, domain.mark, request.policyIn);
    return;
  }
  const began = performance.now();
  const loss = warmUp(
    domain,
    network,
    loadItems(domain, request.root, "train"),
    harness.train.warmup,
    request.seed,
  );
  evidence.metric(0, {
    warmup_loss: loss,
    step_ms: performance.now() - began,
    steps_total: harness.train.steps,
  });
}

/** Carries out one run: the base policy or a given one, training if asked, then evaluation; `say` gets progress lines. */
export function carryOut<T extends Task, S extends Settings>(
  domain: Domain<T, S>,
  request: RunRequest,
  say: (line: string) => void,
): void {
  const began = performance.now();
  const checkBudget = (): void => {
    const seconds = (performance.now() - began) / 1000;
    if (seconds > request.budgetSeconds)
      throw new BudgetExceeded(
        `The run took ${seconds.toFixed(0)} s, more than its budget of ${request.budgetSeconds} s.`,
      );
  };
  const harness = readHarness(request.root, domain);
  const evidence = new EvidenceWriter(request.runDir);
  try {
    const network = new Network(bestBackend(), domain.shape);
    preparePolicy(request, { domain, network, harness, evidence });
    checkBudget();
    const { run, harness: commit, seed } = request;
    const identity = { run, harness: commit, seed };
    const trains = request.splits.includes("train");
    const { steps } = harness.train;
    if (trains)
      train({ domain, harness, identity }, network, loadItems(domain, request.root, "train"), {
        evidence,
        afterStep: (step, values) => {
          if (step % harness.train.evidence.checkpointEvery === 0)
            savePolicy(network, domain.mark, path.join(request.runDir, "checkpoints", `step-${step}.bin`));
          if (step % 10 === 0 || step === steps)
            say(
              `step ${step}/${steps} reward ${(values["reward"] ?? 0).toFixed(3)} solved ${(values["solve_rate"] ?? 0).toFixed(3)}`,
            );
          checkBudget();
        },
      });
    if (request.policyOut !== undefined) savePolicy(network, domain.mark, request.policyOut);
    const step = trains ? steps : 0;
    for (const split of request.splits) {
      if (split === "train") continue;
      const target = {
        split,
        items: loadItems(domain, request.root, split),
        step,
        policy: `${run}/step-${step}`,
      };
      const rate = evaluate(domain, network, harness, target, identity, evidence);
      evidence.metric(step, { [`${split}_solve_rate`]: rate });
      say(`${split} solved ${rate.toFixed(3)}`);
      checkBudget();
    }
  } finally {
    evidence.close();
  }
}
