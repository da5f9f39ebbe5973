import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { domains } from "./domains.ts";
import type { SealedItems } from "./freshItems.ts";
import { harnessFiles, leaksOf, withoutLeaks, type Harness } from "./harness.ts";
import { cacheFolder } from "./paths.ts";
import type { DomainName, Plan } from "./plan.ts";
import { runProgram } from "./project.ts";

/** The share of samples of each item that passed, in the order of the item's names. */
export type ItemRates = readonly number[];

/** What a policy is worth on sealed items: in its environment with every leak closed, and as the version has it. */
export interface Measured {
  readonly audit: ItemRates;
  readonly shifted: ItemRates;
  /** Mean on the audit items in the environment of the version, where that has a leak; else null. */
  readonly withLeak: number | null;
}

export interface Trained {
  readonly seed: number;
  /** Mean on the selection items, in the environment of the version. */
  readonly selection: number;
  readonly policy: string;
}

interface Request {
  readonly harness: Harness;
  readonly seed: number;
  readonly splits: string;
  readonly policyIn?: string;
  readonly policyOut?: string;
  /** Items in place of the audit split's. */
  readonly items?: string;
}

/** Where there are no audit items, those of the project are measured. */
interface MeasuredItems extends Pick<SealedItems, "shifted"> {
  readonly audit: string | undefined;
}

/** What is read of a line of evidence. */
const Line = z.object({ split: z.string(), item: z.string(), outcome: z.string() });

/** Trains and measures outside the loop, in a folder that looks to the trainer like a checkout of the project. */
export class Bench {
  private readonly project: string;
  private readonly folder: string;
  private readonly domain: DomainName;
  private readonly plan: Plan;
  private runs = 0;
  private sealedItems: MeasuredItems | undefined;

  constructor(plan: Plan, domain: DomainName, project: string) {
    this.plan = plan;
    this.domain = domain;
    this.project = project;
    this.folder = `${project}.bench`;
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true });
  }

  /** The policy that the trainings of a search start from. */
  base(harness: Harness, seed: number): Trained {
    return this.train({ harness, seed, splits: "selection" });
  }

  /** A version trained with a seed from a base policy. */
  version(harness: Harness, seed: number, base: Trained): Trained {
    return this.train({ harness, seed, splits: "train,selection", policyIn: base.policy });
  }

  /** The same, whose evidence stays until the bench is closed: the folder of its run. */
  withEvidence(
    harness: Harness,
    seed: number,
    base: Trained,
  ): { readonly run: string; readonly of: Trained } {
    return this.trained({ harness, seed, splits: "train,selection", policyIn: base.policy });
  }

  /** What a policy is worth on the sealed items. No arm learns it. */
  measure(harness: Harness, { policy, seed }: Trained): Measured {
    const closed = withoutLeaks(this.domain, harness);
    const of = (own: Harness, items?: string): ItemRates => {
      const request = { harness: own, seed, splits: "audit", policyIn: policy };
      return this.rates(this.run(items === undefined ? request : { ...request, items }), "audit");
    };
    const hasLeak = leaksOf(this.domain, harness).length > 0;
    const { audit, shifted } = this.sealed();
    return {
      audit: of(closed, audit),
      shifted: of(closed, shifted),
      withLeak: hasLeak ? mean(of(harness, audit)) : null,
    };
  }

  /** Drawn once: it takes seconds, and they are always the same. */
  private sealed(): MeasuredItems {
    this.sealedItems ??= this.drawn();
    return this.sealedItems;
  }

  private drawn(): MeasuredItems {
    const { shifted, fresh } = domains[this.domain];
    const { small, items } = this.plan;
    const cut = (text: string): string =>
      small === null ? text : `${text.split("\n").slice(0, small.items).join("\n")}\n`;
    if (items === "usual") return { audit: undefined, shifted: cut(shifted()) };
    const drawn = fresh();
    return { audit: cut(drawn.audit), shifted: cut(drawn.shifted) };
  }

  private train(request: Omit<Request, "policyOut">): Trained {
    const { run, of } = this.trained(request);
    this.forget(run);
    return of;
  }

  private trained(request: Omit<Request, "policyOut">): { readonly run: string; readonly of: Trained } {
    const policy = join(this.folder, `policy-${++this.runs}.bin`);
    const run = this.run({ ...request, policyOut: policy });
    return { run, of: { seed: request.seed, selection: mean(ratesIn(run, "selection")), policy } };
  }

  private run({ harness, seed, splits, policyIn, policyOut, items }: Request): string {
    const checkout = join(this.folder, `run-${++this.runs}`);
    for (const folder of ["trainer", "harness", "data"])
      mkdirSync(join(checkout, folder), { recursive: true });
    for (const file of [
      "trainer/trainer.mjs",
      "trainer/cached.mjs",
      "data/train.jsonl",
      "data/selection.jsonl",
      "data/audit.jsonl",
    ])
      copyFileSync(join(this.project, file), join(checkout, file));
    if (items !== undefined) writeFileSync(join(checkout, "data/audit.jsonl"), items);
    for (const name of harnessFiles) writeFileSync(join(checkout, `harness/${name}.yaml`), harness[name]);
    runProgram(["nice", "-n", "10", process.execPath, "trainer/cached.mjs"], {
      cwd: checkout,
      environment: {
        ...{
          EVO_RUN_DIR: join(checkout, "run"),
          EVO_RUN_ID: "bench",
          EVO_SEED: String(seed),
          EVO_SPLITS: splits,
        },
        ...{ EVO_POLICY_IN: policyIn ?? "", EVO_POLICY_OUT: policyOut ?? "" },
        EXPERIMENT_TRAININGS: cacheFolder(this.plan.name),
        EXPERIMENT_CELL: "measuring",
      },
    });
    return join(checkout, "run");
  }

  private rates(run: string, split: string): ItemRates {
    const rates = ratesIn(run, split);
    this.forget(run);
    return rates;
  }

  /** What was read is not needed any more, and a full run makes thousands. */
  private forget(run: string): void {
    rmSync(join(run, ".."), { recursive: true, force: true });
  }

  /** Removes what only the measuring needed. */
  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The share of each item's samples that passed, in the order of the items' names. */
function ratesIn(run: string, split: string): ItemRates {
  const file = join(run, "rollouts.jsonl");
  const passed = new Map<string, number[]>();
  for (const line of existsSync(file) ? readFileSync(file, "utf8").split("\n") : []) {
    if (line === "") continue;
    const { split: own, item, outcome } = Line.parse(JSON.parse(line));
    if (own !== split) continue;
    const of = passed.get(item) ?? [];
    passed.set(item, of);
    of.push(outcome === "pass" ? 1 : 0);
  }
  return [...passed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, values]) => mean(values));
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
