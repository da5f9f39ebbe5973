import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { scoresFigure } from "./figure.ts";
import { root } from "../paths.ts";
import { readPlan, type ArmName, type Plan } from "../plan.ts";
import { reportText } from "./report.ts";
import { mendAsked, mendReport } from "./mendReport.ts";
import type { CellResult } from "../result.ts";
import { crossedDifference, meanRates, pairedRows, together, verdictOf } from "./statistics.ts";
import { differences, skillsAsked, skillsReport } from "./skillsReport.ts";
import { holds, summarise, type OtherRun } from "./summary.ts";
import { reportFiles } from "./writeReport.ts";

const near = (a: number, b: number): void => assert.ok(Math.abs(a - b) < 1e-3, `${a} is not ${b}`);

describe("the statistics of the report", () => {
  it("give an interval over seeds and items", () => {
    // Items: means 0.1, 0.2, 0.3, variance 0.01, of the mean 0.01 / 3. Seeds: means 0.1 and 0.3, variance 0.02, of the mean
    // 0.01. Together 0.013333; degrees 0.013333² / (0.003333² / 2 + 0.01² / 1) = 1.684; t = 5.266; half = 0.608.
    const found = crossedDifference(
      [
        [0, 0.1, 0.2],
        [0.2, 0.3, 0.4],
      ],
      0.95,
    );
    assert.ok(found !== null);
    near(found.difference, 0.2);
    near(found.high - found.difference, found.difference - found.low);
    assert.ok(Math.abs(found.high - 0.2 - 0.608) < 0.03, `${found.high - 0.2}`);
    assert.equal(crossedDifference([[0.1, 0.2]], 0.95), null, "one seed tells nothing");
    assert.deepEqual(
      crossedDifference(
        [
          [0.1, 0.1],
          [0.1, 0.1],
        ],
        0.95,
      ),
      { difference: 0.1, low: 0.1, high: 0.1 },
    );
  });
  it("correct for several comparisons", () => {
    near(together(0.95, 6), 1 - 0.05 / 6);
    assert.equal(together(0.95, 1), 0.95);
  });
  it("say who wins, matches, ties and loses", () =>
    assert.deepEqual(
      [
        [0.01, 0.05],
        [-0.01, 0.05],
        [-0.03, 0.05],
        [-0.05, -0.01],
      ].map(([low = 0, high = 0]) => verdictOf({ difference: (low + high) / 2, low, high }, 0.02)),
      ["wins", "matches", "ties", "loses"],
    ));
  it("say that a claim holds if one rollout more passed, and not if the six stored digits alone differ", () => {
    // Five seeds of 120 items with four rollouts.
    const rollout = 1 / 2400;
    const tie = { own: [0.132084, 0.132083], ofParent: [0.132083, 0.132083] };
    assert.equal(holds(tie), false);
    assert.equal(holds({ ...tie, own: tie.own.map((one) => one + rollout) }), true);
  });

  it("pair item by item", () => {
    assert.deepEqual(pairedRows([[1, 0.5]], [[0.5, 0.5]]), [[0.5, 0]]);
    assert.deepEqual(
      meanRates([
        [1, 0],
        [0, 0],
      ]),
      [0.5, 0],
    );
    assert.equal(holds({ own: [0.4, 0.6], ofParent: [0.5, 0.5] }), false);
    assert.equal(holds({ own: [0.5, 0.6], ofParent: [0.5, 0.5] }), true);
  });
});

const plan: Plan = {
  ...{
    name: "toy",
    domains: ["math"],
    arms: ["human", "evotrainer"],
    seeds: [1, 2],
    trainings: 4,
    freshSeeds: 1,
  },
  small: null,
  items: "usual",
};
const result = (arm: ArmName, seed: number, audit: number[]): CellResult => ({
  ...{ schema: 1, plan: "toy", planCommit: "a".repeat(40), codeCommit: "b".repeat(40), isQuick: false },
  ...{ domain: "math", arm, seed, startedAt: "2026-01-01T00:00:00Z", trainings: 4, processorSeconds: 1 },
  chosen: {
    version: "v3",
    settings: arm === "evotrainer" ? [{ file: "train", path: "kl", to: 0.1 }] : [],
    ...{ leaks: arm === "evotrainer" && seed === 2 ? ["verdict"] : [], seed: 1001, selection: 0.5 },
  },
  delivered: { audit, shifted: audit, withLeak: null },
  fresh: [{ seed: 1501, audit, shifted: audit }],
  ...{ decisions: [], predictions: [], diagnostics: [] },
  claims:
    arm === "evotrainer"
      ? [
          {
            ...{ version: "v3", parent: "v1", settings: [], stage: null, leaks: [], trainings: 4 },
            ...{ own: [0.6], ofParent: [seed === 1 ? 0.5 : 0.7] },
          },
        ]
      : [],
});
const trial = { steps: 1, demonstrations: 1, prompts: 1, items: 1 };
const all = [
  result("human", 1, [0.5, 0.25]),
  result("human", 2, [0.5, 0.5]),
  result("evotrainer", 1, [0.75, 0.5]),
  result("evotrainer", 2, [0.75, 0.75]),
];

describe("the report", () => {
  it("says what the results say", () => {
    const { arms, contrasts, retained, missing } = summarise(plan, all);
    const evotrainer = arms.find(({ arm }) => arm === "evotrainer");
    assert.deepEqual(missing, []);
    assert.equal(evotrainer?.scores.harness.audit, 0.6875);
    assert.deepEqual(evotrainer.bySeed, [0.625, 0.75]);
    assert.deepEqual([evotrainer.claims, evotrainer.held, evotrainer.invalidChosen], [2, 1, 1]);
    const first = contrasts.find(({ against, split }) => against === "human" && split === "audit");
    assert.deepEqual([first?.result?.difference, first?.verdict], [0.25, "wins"]);
    assert.deepEqual(retained, [{ domain: "math", setting: "train: kl = 0.1", seeds: 2 }]);
    const text = reportText(plan, all, {
      discussion: "What it means.",
      others: [],
      skills: null,
      mend: null,
      phantom: null,
    });
    assert.match(text, /All 4 cells of the plan `toy` are here/);
    assert.match(text, /\| EvoTrainer \| 2 \| 4\.0 \| 50\.0 \| 68\.8 \|/);
    assert.match(text, /## Discussion\n\nWhat it means\.\n$/);
  });
  it("tells of other seeds how soon, in each domain whose two searches are complete", () => {
    const second = {
      ...plan,
      name: "other",
      domains: ["math" as const, "code" as const],
      arms: ["random" as const, "evotrainer" as const],
    };
    const kept = { parent: "v1", factor: null, title: "x", stage: null, decision: "keep", leaks: [] };
    const search = (arm: ArmName, seed: number, trainings: number): CellResult => ({
      ...result(arm, seed, [0.5]),
      decisions: [{ ...kept, version: "v2", score: 0.6, trainings }],
    });
    const math = [1, 2].flatMap((seed) => [search("random", seed, 4), search("evotrainer", seed, seed)]);
    const told = (results: CellResult[]): string =>
      reportText(plan, all, {
        discussion: "",
        others: [{ plan: second, results }],
        skills: null,
        mend: null,
        phantom: null,
      });
    assert.match(told(math), /4 of its 8 cells/);
    assert.match(
      told(math),
      /### How soon, in math with the plan other\n\n.*the median is 1\.5 of 4 trainings \(50 % interval 1 to 2\); the plan asks for at most 2\. .*: the median is 1\.5 of 4 trainings .* EvoTrainer chose an invalid version in 1 of 2 searches/,
    );
    assert.match(told(math), /\| math \| 2 \| 60\.0 \| 4 \| 2 \| 2 \|/);
    assert.ok(!told(math).includes("How soon, in code") && !told(math.slice(1)).includes("How soon, in"));
  });
  it("tells of skills what the plan asks once every cell is here, and before that only how many are", () => {
    const own: Plan = {
      ...plan,
      name: "own",
      arms: ["evotrainer", "with-skills"],
      seeds: [3, 4],
      trainings: 9,
    };
    const headline = (["baseline", "human"] as const).map((arm, i): CellResult => {
      const one = result(arm, 1, [0.5]);
      return { ...one, chosen: { ...one.chosen, selection: i === 0 ? 0.2 : 0.6 } };
    });
    const kept = { parent: "v1", factor: null, title: "x", stage: null, decision: "keep", leaks: [] };
    const search = (
      arm: ArmName,
      seed: number,
      at: Record<number, number>,
      audit = [0.5, 0.25],
    ): CellResult => ({
      ...result(arm, seed, audit),
      decisions: Object.entries(at).map(([trainings, score]) => ({
        ...{ ...kept, version: `v${trainings}`, score, trainings: Number(trainings) },
      })),
      ...(arm === "with-skills"
        ? { skills: [{ name: "more", used: 2, cameTrue: 0, refuted: 0, insideNoise: 1 }] }
        : {}),
    });
    const results = [
      search("evotrainer", 3, { 5: 0.39, 7: 0.4 }),
      search("evotrainer", 4, { 6: 0.5 }),
      search("with-skills", 3, { 4: 0.41, 8: 0.58 }, [0.75, 0.5]),
      search("with-skills", 4, {}, [0.75, 0.5]),
    ];
    const [half, human] = skillsAsked("math", { headline, results });
    near(half?.score ?? NaN, 0.4);
    near(human?.score ?? NaN, 0.58);
    assert.ok(half !== undefined && human !== undefined);
    assert.deepEqual(half.all, [
      { seed: 3, without: 7, withSkills: 4 },
      { seed: 4, without: 6, withSkills: null },
    ]);
    assert.deepEqual(differences(half.all, own), [-3, 4]);
    assert.deepEqual(differences(human.all, own), [-2, 0]);
    const told = (some: readonly CellResult[]): string =>
      skillsReport(own, { headline, results: some }).join("\n");
    assert.match(
      told(results),
      /with 40\.0 % on selection\), .* median \+0\.5 trainings \(50 % interval −3 to \+4\): neither/,
    );
    assert.match(told(results), /\| 4 \| 6 \| never \| never \| never \| 37\.5 \| 62\.5 \|/);
    assert.match(told(results), /\+25\.0 points \[\+25\.0, \+25\.0\] on the audit split/);
    assert.match(
      told(results),
      /given 1 skills\. They used them 4 times: 0 came true, 0 were refuted, 2 were inside the noise, and 2 have no outcome/,
    );
    assert.match(told(results.slice(1)), /3 of its 4 cells/);
    assert.ok(!/points|sooner:/.test(told(results.slice(1))));
  });
  it("tells of a mend what the plan asks once every cell is here, before that only how many are, and of none nothing", () => {
    const planOf = (name: string): Plan => ({ ...plan, name, arms: ["evotrainer"], items: "fresh" });
    // Seed 2 of both chooses an open leak, and one of two claims of each holds.
    const run = (
      name: string,
      audits: readonly number[][],
      changes: number,
      shifted = [0.5, 0.25],
    ): OtherRun => ({
      plan: planOf(name),
      results: audits.map((audit, i) => ({
        ...result("evotrainer", i + 1, audit),
        ...{ plan: name, codeCommit: (name === "before" ? "c" : "d").repeat(40) },
        fresh: [
          { seed: 1501, audit, shifted },
          { seed: 1502, audit: audit.map(() => 0), shifted: [0, 0] },
        ],
        predictions: Array.from({ length: changes }, () => ({ version: "v2", measured: null, moved: null })),
      })),
    });
    const before = run(
      "before",
      [
        [0.5, 0.25],
        [0.5, 0.5],
      ],
      8,
    );
    const better = [
      [1, 0.75],
      [1, 1],
    ];
    const mended = run("mended", better, 11);
    const told = (one: OtherRun, other: OtherRun): string =>
      mendReport({ before: one, mended: other }).join("\n");
    const text = told(before, mended);
    // Of each item half of the first training's rate, because the second one solves nothing.
    assert.match(text, /\| 1 \| 18\.8 \| 43\.8 \| 18\.8 \| 18\.8 \| 8 \| 11 \|/);
    assert.match(text, /audit items, .* scores \+25\.0 points \[\+25\.0, \+25\.0\]: \*\*better\*\*\./);
    assert.match(text, /shifted items, it scores \+0\.0 points .*: the same with every seed\./);
    assert.match(text, /In `mended`, 1 of 2 searches chose an invalid version, and 1 of 2 claims hold\./);
    assert.match(text, /`before` was run with the code of commit c{12}, `mended` with .* commit d{12}\./);
    assert.match(told(mended, { ...before, plan: mended.plan }), /scores −25\.0 points .*: \*\*worse\*\*/);
    const part = told(before, { ...mended, results: mended.results.slice(1) });
    assert.match(part, /2 of the 2 cells of `before` and 1 of the 2 cells of `mended` have been run\.$/);
    assert.ok(!/points|\d\.\d|better:/.test(part));
    const none = { plan: mended.plan, results: [] };
    assert.equal(told(none, none), "");
    const page = reportText(plan, all, {
      ...{ discussion: "", others: [], skills: null, phantom: null },
      mend: { before, mended },
    });
    assert.match(page, /## What was mended, measured again[^]*## Discussion/);
  });
  it("corrects the intervals of a mend for the domains on the audit items, and leaves those on the shifted ones", () => {
    const uneven = (name: string, audits: readonly number[][]): OtherRun => ({
      plan: { ...plan, name, arms: ["evotrainer"], domains: ["math", "code", "swe"] },
      results: audits.map((audit, i) => result("evotrainer", i + 1, audit)),
    });
    const before = uneven("before", [
      [0, 0, 0],
      [0, 0, 0],
    ]);
    const rows = [
      [0, 0.1, 0.2],
      [0.2, 0.3, 0.4],
    ];
    const { audit, shifted } = mendAsked("math", { before, mended: uneven("mended", rows) });
    assert.deepEqual(audit, crossedDifference(rows, 1 - 0.05 / 3));
    assert.deepEqual(shifted, crossedDifference(rows, 0.95));
    assert.ok(audit !== null && shifted !== null && audit.high > shifted.high);
  });
  it("says first that a part of the results is no result", () => {
    const text = reportText(plan, all.slice(0, 3), {
      discussion: "",
      others: [],
      skills: null,
      mend: null,
      phantom: null,
    });
    assert.match(text, /\*\*This is not a result\.\*\* 3 of the 4 cells/);
    assert.match(text, /math: 1 of 4/);
    assert.ok(!text.includes("## Scores") && !/\d\.\d/.test(text), "and shows none of its numbers");
    assert.match(
      reportText({ ...plan, small: trial }, all, {
        discussion: "",
        others: [],
        skills: null,
        mend: null,
        phantom: null,
      }),
      /\*\*This is a trial .* its numbers say nothing/,
    );
    assert.match(scoresFigure(plan, summarise(plan, all.slice(0, 3))), /not a result: 1 cells are missing/);
  });
  it("shows the arms that are complete, and nothing of the others", () => {
    const more = { ...plan, arms: [...plan.arms, "score" as const] };
    const text = reportText(more, [...all, result("score", 1, [0.125])], {
      discussion: "",
      others: [],
      skills: null,
      mend: null,
      phantom: null,
    });
    assert.match(text, /\*\*This is a part of the result\.\*\* 5 of the 6 cells/);
    assert.match(text, /The arms `human`, `evotrainer` are complete in every domain/);
    assert.match(text, /\| EvoTrainer \| 2 \| 4\.0 \| 50\.0 \| 68\.8 \|/);
    assert.ok(!text.includes("12.5") && !/against \| score/.test(text) && !text.includes("| math | score |"));
  });
  it("draws a bar for each arm and a point for each seed", () => {
    const svg = scoresFigure(plan, summarise(plan, all));
    assert.equal(svg.match(/<circle /g)?.length, 4);
    assert.ok(!svg.includes("not a result"));
  });
  it("in docs/ is what the committed results and the discussion give", async () => {
    const { page, html } = await reportFiles(readPlan());
    const again = "run npm run experiment -- --report";
    assert.ok(readFileSync(join(root, "docs/experiments.md"), "utf8") === page, again);
    assert.ok(readFileSync(join(root, "docs/images/experiments.html"), "utf8") === html, again);
    assert.ok(existsSync(join(root, "docs/images/experiments.png")), again);
  });
});
