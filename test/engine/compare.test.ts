import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { makeRollout, toLine } from "../support/evidence/evidence.ts";
import { evotrainer } from "./cli.ts";

const Interval = z.object({ low: z.number(), high: z.number() });
const Refused = z.looseObject({ type: z.literal("refused"), reason: z.string(), message: z.string() });
const Compared = z.looseObject({
  difference: z.number(),
  low: z.number(),
  high: z.number(),
  verdict: z.string(),
  items: z.number(),
  doubts: z.array(z.string()),
  outer: z.tuple([z.number(), z.number()]).optional(),
  metric: z.string(),
  scores: z.object({ a: z.looseObject({ value: z.number() }), b: z.looseObject({ value: z.number() }) }),
  improvement: z.looseObject({ value: z.number(), overRuns: Interval.nullable() }),
  noise: z.looseObject({
    version: z.string(),
    repeats: z.string(),
    floor: z.union([Refused, z.looseObject({ type: z.literal("known"), runs: z.number(), sd: z.number() })]),
    exceeded: z.boolean().nullable(),
  }),
  pick: z.looseObject({
    from: z.string(),
    candidates: z.number(),
    steps: z.number(),
    because: z.string(),
    corrected: z.looseObject({ confidence: z.number(), verdict: z.string() }).nullable(),
    biasAtMost: z.number().nullable(),
  }),
  evaluations: z.looseObject({
    b: z.object({ steps: z.array(z.number()), step: z.number().nullable() }),
    best: z.union([Refused, z.looseObject({ step: z.number(), bias: z.number() })]).nullable(),
  }),
  guardrails: z.array(
    z.looseObject({ metric: z.string(), verdict: z.string(), because: z.string().nullable() }),
  ),
  variance: z.union([
    Refused,
    z.looseObject({ type: z.literal("known"), between: z.number(), sampling: z.number() }),
  ]),
  profile: z.object({ a: z.looseObject({ type: z.string() }), b: z.looseObject({ type: z.string() }) }),
});

type Outcome = "pass" | "fail" | "unknown";
interface Evidence {
  readonly items: number;
  readonly samples: number;
  readonly seeds?: readonly number[];
  readonly steps?: readonly number[];
  readonly prefix?: string;
  readonly outcome: (at: { item: number; sample: number; seed: number; step: number }) => Outcome;
  readonly tokens?: (item: number) => number;
  readonly stop?: (at: { item: number; sample: number }) => string;
}

/** Where the grader breaks, in about a third of the rollouts. */
const breaks = ({ item, sample }: { item: number; sample: number }): boolean => (item + sample) % 3 === 0;

/** Some outcomes that items, samples, seeds and steps all move, and that are the same each time. */
const hard = ({ item, sample, seed }: { item: number; sample: number; seed: number }): boolean =>
  (item * 7 + sample * 5 + seed * 3) % 10 < 7;

const versions: Readonly<Record<string, Evidence>> = {
  base: {
    items: 60,
    samples: 4,
    outcome: (at) => (hard(at) ? "fail" : "pass"),
    tokens: (item) => 100 + item,
  },
  better: {
    items: 60,
    samples: 4,
    steps: [10, 20],
    outcome: (at) => (hard(at) && (at.item + at.step / 10) % 3 !== 0 ? "fail" : "pass"),
    tokens: (item) => 104 + item + (item % 2),
  },
  seeded: {
    items: 60,
    samples: 4,
    seeds: [1, 2, 3],
    outcome: (at) => (hard(at) && (at.item + at.seed) % 5 !== 0 ? "fail" : "pass"),
  },
  open: {
    items: 60,
    samples: 4,
    outcome: (at) => (at.sample === 3 ? "unknown" : hard(at) && at.item % 3 !== 0 ? "fail" : "pass"),
  },
  broke: {
    items: 60,
    samples: 4,
    outcome: (at) => (hard(at) || breaks(at) ? "fail" : "pass"),
    stop: (at) => (breaks(at) ? "verifier_error" : "submitted"),
  },
  single: { items: 60, samples: 1, outcome: (at) => (hard(at) ? "fail" : "pass") },
  blind: { items: 60, samples: 4, outcome: () => "unknown" },
  elsewhere: { items: 30, samples: 4, prefix: "other", outcome: () => "pass" },
  all: { items: 60, samples: 4, outcome: () => "pass" },
  none: { items: 60, samples: 4, outcome: () => "fail" },
  small: { items: 1, samples: 4, outcome: () => "pass" },
};

function lines(version: string, evidence: Evidence): string {
  const {
    items,
    samples,
    seeds = [1],
    steps = [0],
    prefix = "item",
    outcome,
    tokens = () => 10,
    stop,
  } = evidence;
  const text: string[] = [];
  for (const seed of seeds)
    for (const step of steps)
      for (let item = 0; item < items; item++)
        for (let sample = 0; sample < samples; sample++) {
          const came = outcome({ item, sample, seed, step });
          const rollout = makeRollout({
            id: `${seed}-${step}-${item}-${sample}`,
            run: `${version}.s${seed}`,
            split: "selection",
            step,
            item: `${prefix}-${item}`,
            group: `${step}-${item}`,
            sample,
            seed,
            outcome: came,
            tokens: tokens(item),
            ...(stop === undefined ? {} : { stop_reason: stop({ item, sample }) }),
            ...(came === "unknown" ? { unknown_reason: "grader" } : {}),
          });
          text.push(toLine(rollout));
        }
  return text.join("");
}

describe("compare, on the command line", function () {
  this.timeout(240_000);
  let root = "";
  before(() => {
    root = mkdtempSync(join(tmpdir(), "evo-compare-"));
    for (const [version, evidence] of Object.entries(versions)) {
      const file = join(root, `${version}.jsonl`);
      writeFileSync(file, lines(version, evidence));
      const ran = evotrainer(root, "import", file, "--version", version);
      assert.equal(ran.code, 0, ran.stderr);
    }
  });
  after(() => rmSync(root, { recursive: true, force: true }));
  const ask = (...args: string[]): z.infer<typeof Compared> => {
    const ran = evotrainer(root, "--json", "compare", ...args);
    assert.equal(ran.code, 0, ran.stderr);
    return Compared.parse(JSON.parse(ran.stdout));
  };

  it("gives the verdict first, in a few lines", () => {
    const ran = evotrainer(root, "compare", "base", "better");
    assert.equal(ran.code, 0, ran.stderr);
    const text = ran.stdout.trimEnd().split("\n");
    assert.match(text[0] ?? "", /^better against base: \+.* points \[.*\], improved, 60 paired items\.$/);
    assert.ok(text.some((l) => l.startsWith("Probability of improvement on an item")));
    assert.ok(text.some((l) => /better was evaluated at 2 steps, which all count; its best is step/.test(l)));
    assert.ok(text.length <= 10, ran.stdout);
  });

  it("compares by every metric, and pass@1 equals the solve rate", () => {
    const rate = ask("base", "better", "--metric", "macro");
    for (const metric of ["avg@4", "pass@1", "pass^1"])
      assert.ok(Math.abs(ask("base", "better", "--metric", metric).difference - rate.difference) < 1e-12);
    const [any, all] = [
      ask("base", "better", "--metric", "pass@4"),
      ask("base", "better", "--metric", "pass^2"),
    ];
    assert.ok(any.scores.b.value > rate.scores.b.value && all.scores.b.value < rate.scores.b.value);
    assert.equal(ask("base", "better", "--metric", "iqm").verdict, "improved");
  });

  it("shows the noise floor of repeated seeds, and the bands of the profile", () => {
    const c = ask("base", "seeded");
    assert.ok(c.noise.floor.type === "known" && c.noise.floor.runs === 3);
    assert.deepEqual(
      [c.noise.version, c.noise.repeats, c.noise.exceeded === null],
      ["seeded", "seeds", false],
    );
    assert.notEqual(c.improvement.overRuns, null);
    const text = evotrainer(root, "compare", "base", "seeded", "--profile").stdout;
    assert.match(text, /3 seeds of seeded differ by .* points .*; the interval takes this into account\./);
    assert.match(text, /^> 50 % +(\d+\.\d|0|100) % +(\d+\.\d|0|100) % \[/m);
  });

  it("checks guardrails against a tolerance, and says when the evidence cannot tell", () => {
    const c = ask(
      "base",
      "better",
      ...[
        "solve_rate 0",
        "tokens_mean 10",
        "tokens_mean 1",
        "pass@4 0.5",
        "stop-max-tokens 0.5",
        "turns_mean 1",
      ].flatMap((g) => ["--guardrail", g]),
    ).guardrails;
    assert.deepEqual(
      c.map((g) => [g.metric, g.verdict]),
      [
        ["solve_rate", "holds"],
        ["tokens_mean", "holds"],
        ["tokens_mean", "violated"],
        ["pass@4", "holds"],
        ["stop-max-tokens", "holds"],
        ["turns_mean", "cannot_tell"],
      ],
    );
    assert.match(c.at(-1)?.because ?? "", /every item has the same value/);
    const wrong = evotrainer(root, "compare", "base", "better", "--guardrail", "no-such-thing 1");
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /A guardrail cannot use no-such-thing/);
  });

  it("corrects for choosing the best of many versions and of many evaluations", () => {
    const many = ask("base", "better", "--picked-from", "200");
    assert.deepEqual([many.pick.from, many.pick.candidates], ["asked", 200]);
    assert.ok(Math.abs((many.pick.corrected?.confidence ?? 0) - 0.99975) < 1e-12);
    assert.ok((many.pick.biasAtMost ?? 0) > 0);
    const best = ask("base", "better", "--step", "best");
    assert.equal(best.pick.steps, 2);
    assert.notEqual(best.evaluations.b.step, null);
    assert.ok(best.evaluations.best !== null && "bias" in best.evaluations.best);
    assert.match(ask("base", "better").pick.because, /better is not in the lineage/);
  });

  it("counts unknown outcomes both ways", () => {
    const c = ask("base", "open");
    assert.ok(c.outer !== undefined && c.outer[0] < c.low && c.outer[1] > c.high);
    assert.equal(ask("base", "open", "--metric", "pass@3").items, 60);
  });

  it("gives no verdict that failures of the grader alone decide, and says what is left without them", () => {
    const { verdict, difference } = ask("base", "broke");
    assert.equal(verdict, "withheld");
    assert.ok(difference < -0.05, String(difference));
    const said = evotrainer(root, "compare", "base", "broke").stdout;
    assert.match(
      said,
      /^broke against base: .*, no verdict, 60 paired items\.\nBecause the grader or the machine broke, 80 rollouts of broke count as failed \(stop reason verifier_error\)\. Without them: .*, inside the noise, so there is no verdict\. Evaluate them again, or import them with the outcome unknown\.$/m,
    );
    // All of better's gain is there without them too.
    const held = evotrainer(root, "compare", "broke", "all").stdout;
    assert.match(
      held,
      /^all against broke: .*, improved,.*\nBecause the grader or the machine broke, 80 rollouts of broke count.*, improved\.$/m,
    );
  });

  it("gives doubts instead of a verdict for groups of one, a single seed and no spread", () => {
    const single = ask("single", "base");
    assert.ok(single.variance.type === "refused" && single.variance.reason === "too_few_samples");
    const flat = ask("none", "all");
    assert.deepEqual(
      [flat.doubts, flat.verdict, flat.difference],
      [["no_spread", "one_seed"], "improved", 1],
    );
    const between = ask("none", "all", "--metric", "iqm");
    assert.deepEqual([between.doubts, between.verdict], [["no_spread", "one_seed"], "improved"]);
    assert.ok(between.low > 0.6 && between.low < 0.9, String(between.low));
    assert.ok(flat.noise.floor.type === "refused" && flat.noise.floor.reason === "one_run");
    const one = ask("none", "small");
    assert.deepEqual([one.items, one.doubts[0], one.verdict], [1, "one_item", "inside_noise"]);
  });

  for (const [what, args, message] of [
    ["the same version twice", ["all", "all"], /all would be compared with itself; name two versions/],
    ["all unknown", ["base", "blind"], /Every outcome of blind is unknown/],
    ["no common item", ["base", "elsewhere"], /have no item with a known outcome in common/],
    [
      "a k that no item has",
      ["base", "better", "--metric", "pass@9"],
      /No item has 9 samples .*; the most is 4/,
    ],
    ["a missing step", ["base", "better", "--step", "5"], /base was not evaluated at step 5; it was at 0/],
  ] as const)
    it(`says in words why there is no comparison: ${what}`, () => {
      const ran = evotrainer(root, "compare", ...args);
      assert.equal(ran.code, 2);
      assert.match(ran.stderr, message);
    });
});
