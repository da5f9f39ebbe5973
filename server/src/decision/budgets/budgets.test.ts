import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { estimateEach } from "./estimate.ts";
import { nothing, spentBy, type Amounts } from "./spending.ts";
import { budgetText, withinBudget } from "./withinBudget.ts";

type JobEntry = Extract<LedgerEntry, { type: "job" }>;
const job = (version: string, at: string, more: Partial<JobEntry> = {}): JobEntry => ({
  ...{ id: `job:${version}:train`, at, domain: "toy", type: "job", version, job: version },
  ...{ state: "finished", failure: null, message: "", seconds: 3600 },
  ...more,
});
const since = "2026-01-01T00:00:00Z";
const at = (hour: number): string => `2026-01-01T${String(hour).padStart(2, "0")}:00:00Z`;

describe("what an evolution has spent", () => {
  const spent = (
    entries: readonly LedgerEntry[],
    open: Parameters<typeof spentBy>[1]["open"] = [],
  ): Amounts => spentBy(entries, { domain: "toy", since, open });

  it("is the sum of its jobs; hours in which two run side by side count once", () => {
    const gpu = { gpus: 2, price: { amount: 5, currency: "EUR" } };
    assert.deepEqual(
      spent([
        job("v1", at(2), gpu),
        job("v2", at(2), gpu),
        job("v3", at(5), { ...gpu, wallSeconds: 1800, tokens: 7 }),
      ]),
      { gpuHours: 6, money: 15, wallClockHours: 1.5, versions: 3, trainings: 0, tokens: 7 },
    );
  });

  it("does not count a job twice that two clones recorded, nor what was before it, nor another domain", () => {
    const once = job("v1", at(2), { gpus: 1 });
    const entries = [
      once,
      { ...once },
      job("v0", "2025-12-31T00:00:00Z"),
      job("v9", at(3), { domain: "other" }),
    ];
    assert.deepEqual(spent(entries), { ...nothing, gpuHours: 1, wallClockHours: 1, versions: 1 });
  });

  it("counts the questions to proposers once, from when it began", () => {
    const question = (id: string, when: string): LedgerEntry => ({
      ...{ id, at: when, domain: "toy", type: "question", version: "v1", proposer: "clever", calls: 2 },
      ...{ tokens: 900, price: { amount: 0.5, currency: "EUR" }, seconds: 60, drafts: [], outcome: "" },
    });
    const asked = question("question:a", at(2));
    const entries = [
      asked,
      asked,
      question("question:b", at(3)),
      question("question:c", "2025-12-31T00:00:00Z"),
    ];
    assert.deepEqual(spent(entries), { ...nothing, money: 1, tokens: 1800 });
  });

  it("counts a job that has begun and is not in the ledger yet", () => {
    const open = [{ version: "v2", seconds: 7200, gpus: 1, hourly: 3 }];
    assert.deepEqual(spent([job("v1", at(2))], open), {
      ...{ gpuHours: 2, money: 6, wallClockHours: 3, versions: 2, trainings: 0, tokens: 0 },
    });
  });
});

describe("what the next version will take", () => {
  const question = { seeds: 2, budgetSeconds: 7200, gpus: 4, hourly: 10, parallel: 1 };
  it("is the median of earlier ones, for each seed", () => {
    const jobs = [
      job("v1", at(1), { seconds: 100, seeds: [1] }),
      job("v2", at(2), { seconds: 600, seeds: [1, 2] }),
      job("v3", at(3), { seconds: 9000, state: "failed", failure: "crash" }),
      job("v4", at(4), { seconds: 500 }),
    ];
    const { each, from } = estimateEach({ ...question, jobs });
    assert.equal(from, 3);
    assert.equal(each.gpuHours, (600 * 4) / 3600);
    assert.equal(each.wallClockHours, 600 / 3600);
    assert.equal(estimateEach({ ...question, jobs, parallel: 2 }).each.wallClockHours, 300 / 3600);
  });
  it("is the limit of a job before there are any", () => {
    const { each, from } = estimateEach({ ...question, jobs: [] });
    assert.deepEqual([from, each.gpuHours, each.money], [0, 16, 40]);
  });
});

describe("whether the next spending is within the budgets", () => {
  const next = (each: Partial<Amounts>, from = 3) => ({ each: { ...nothing, versions: 1, ...each }, from });
  const used = (amounts: Partial<Amounts>): Amounts => ({ ...nothing, ...amounts });
  const cases: [string, Parameters<typeof withinBudget>[0], string | null][] = [
    ["no limits", { limits: {}, spent: used({ gpuHours: 999 }), next: next({ gpuHours: 1 }) }, null],
    [
      "room for it",
      { limits: { gpuHours: 2 }, spent: used({ gpuHours: 1 }), next: next({ gpuHours: 1 }) },
      null,
    ],
    ["nothing left", { limits: { gpuHours: 2 }, spent: used({ gpuHours: 2 }), next: null }, "gpuHours spent"],
    ["a budget of nothing", { limits: { money: 0 }, spent: nothing, next: null }, "money spent"],
    [
      "less left than it takes",
      { limits: { money: 10 }, spent: used({ money: 8 }), next: next({ money: 3 }) },
      "money tooLittle",
    ],
    [
      "less left than an upper bound of it",
      { limits: { money: 10 }, spent: used({ money: 8 }), next: next({ money: 3 }, 0) },
      null,
    ],
    ["the last version", { limits: { versions: 4 }, spent: used({ versions: 3 }), next: next({}) }, null],
    [
      "one version too many",
      { limits: { versions: 4 }, spent: used({ versions: 4 }), next: next({}, 0) },
      "versions spent",
    ],
    [
      "another seed of the last version",
      { limits: { versions: 4 }, spent: used({ versions: 4 }), next: next({ versions: 0 }) },
      null,
    ],
    [
      "the last training",
      { limits: { trainings: 4 }, spent: used({ trainings: 3 }), next: next({ trainings: 1 }, 0) },
      null,
    ],
    [
      "one training too many",
      { limits: { trainings: 4 }, spent: used({ trainings: 3 }), next: next({ trainings: 2 }, 0) },
      "trainings tooLittle",
    ],
    [
      "a measurement after the last training",
      { limits: { trainings: 4 }, spent: used({ trainings: 4 }), next: next({ trainings: 0 }) },
      null,
    ],
    ["no tokens for a version without any", { limits: { tokens: 0 }, spent: nothing, next: next({}) }, null],
    ["tokens used up", { limits: { tokens: 5 }, spent: used({ tokens: 5 }), next: null }, "tokens spent"],
  ];
  for (const [what, question, expected] of cases)
    it(`${what}: ${expected ?? "fits"}`, () => {
      const within = withinBudget(question);
      assert.equal(within.fits ? null : `${within.budget} ${within.how}`, expected);
    });

  it("says which budget, what is left undone, and how it goes on", () => {
    const within = withinBudget({
      limits: { money: 10 },
      spent: used({ money: 8 }),
      next: next({ money: 3 }),
    });
    assert.ok(!within.fits);
    assert.equal(
      budgetText(within, { currency: "EUR", undone: "v4 was not trained." }),
      "The budget of 10 EUR is not enough: 8 EUR are used, and the next version takes about 3 EUR. v4 was not trained. Raise `budgets.money` in evotrainer.yaml, commit, and run `evotrainer evolve` to continue from here.",
    );
  });
});
