import assert from "node:assert/strict";
import { clusteredShare, wilson } from "../../../server/src/statistics/intervals/proportions.ts";
import { changesReport, draftsIn, factorsIn } from "./changesReport.ts";
import type { ArmName, Plan } from "../plan.ts";
import { reportText } from "./report.ts";
import type { CellResult } from "../result.ts";
import { predictedOf, searchesReport } from "./searchesReport.ts";

const plan: Plan = {
  ...{ name: "toy", domains: ["math"], arms: ["human", "random", "evotrainer"], seeds: [1, 2, 3] },
  ...{ trainings: 9, freshSeeds: 1, small: null, items: "usual" },
};
type Part = Partial<Pick<CellResult, "decisions" | "predictions" | "claims" | "diagnostics">>;
const cell = (arm: ArmName, seed: number, part: Part = {}, selection = 0.5): CellResult => ({
  ...{ schema: 1, plan: "toy", planCommit: "a".repeat(40), codeCommit: "b".repeat(40), isQuick: false },
  ...{ domain: "math", arm, seed, startedAt: "2026-01-01T00:00:00Z", trainings: 9, processorSeconds: 77.7 },
  chosen: { version: "v1", settings: [], leaks: [], seed: 1001, selection },
  delivered: { audit: [0.5, 0.5], shifted: [0.5, 0.5], withLeak: null },
  fresh: [{ seed: 1501, audit: [0.5, 0.5], shifted: [0.5, 0.5] }],
  ...{ decisions: [], predictions: [], diagnostics: [], claims: [], ...part },
});
type Decision = CellResult["decisions"][number];
const decided = (
  version: string,
  factor: string | null,
  decision: string,
  rest: Partial<Decision> = {},
): Decision => ({
  ...{ version, parent: "v1", factor, title: version, decision, stage: null, score: 0.5 },
  ...{ trainings: 4, leaks: [], ...rest },
});
const kept = (version: string, score: number, trainings: number, leaks: string[] = []): Decision =>
  decided(version, "reward", "keep", { score, trainings, leaks });
const predicted = (...moves: (string | null)[]): CellResult["predictions"] =>
  moves.map((moved, i) => ({ version: `v${i + 2}`, measured: 0.1, moved }));

describe("what the page says of searches", () => {
  // The reference scores 40, 60 and 80 %: 60 in the mean, so that 58 match it.
  const human = [0.4, 0.6, 0.8].map((selection, i) => cell("human", i + 1, {}, selection));

  it("is how many matched the human reference, and the median of trainings, in which never is worse than any number", () => {
    const random = [
      cell("random", 1, { decisions: [kept("v2", 0.57, 4), kept("v3", 0.59, 7), kept("v4", 0.9, 8)] }),
      cell("random", 2, { decisions: [kept("v2", 0.59, 5)] }),
      // What opens a leak does not count, nor what was not kept.
      cell("random", 3, {
        decisions: [kept("v2", 0.9, 4, ["verdict"]), decided("v3", "reward", "reject", { score: 0.9 })],
      }),
    ];
    const own = [{ decisions: [kept("v2", 0.59, 5)] }, {}, {}];
    const results = [...human, ...random, ...own.map((part, i) => cell("evotrainer", i + 1, part))];
    const text = searchesReport({ plan, results }).join("\n");
    assert.match(text, /^## Trainings until the human reference\n/);
    assert.match(text, /\| math \| random search \| 58\.0 \| 3 \| 2 \| 7 \|/);
    assert.match(text, /\| math \| EvoTrainer \| 58\.0 \| 3 \| 1 \| never \|/);
    assert.match(text, /Processor time goes along with trainings, [^.]*; \[Performance\]\(performance\.md\)/);
    assert.match(text, /do not have the processor time of a search until/);
    assert.ok(!text.includes("77.7") && !text.includes("| human reference |"));
    const without = searchesReport({ plan, results: results.filter(({ arm }) => arm !== "human") });
    assert.deepEqual(without, [], "without the reference, there is nothing to match");
  });

  it("is what became of each prediction, and the share that came out as said, over searches", () => {
    const searches = [
      cell("evotrainer", 1, { predictions: predicted("as_said", "not", "against", null) }),
      cell("evotrainer", 2, { predictions: predicted("not", "not", "cannot_tell") }),
      cell("evotrainer", 3, { predictions: predicted("as_said") }),
    ];
    const { share, ...counts } = predictedOf({ domain: "math", arm: "evotrainer", searches });
    assert.deepEqual(counts, {
      ...{ domain: "math", arm: "evotrainer", changes: 8, asSaid: 2, not: 3, against: 1, unsaid: 2 },
    });
    const size = clusteredShare([
      { labelled: 1, decided: 3 },
      { labelled: 0, decided: 2 },
      { labelled: 1, decided: 1 },
    ]);
    assert.ok(size !== null && share !== null);
    assert.deepEqual(share, { value: 1 / 3, ...wilson(size) });
    const text = searchesReport({ plan, results: searches }).join("\n");
    assert.match(
      text,
      /^## Predictions\n[^]*\| math \| EvoTrainer \| 8 \| 2 \| 3 \| 1 \| 2 \| 33\.3 \[\d+\.\d, \d+\.\d\] \|$/,
    );
    const nothing = [cell("evotrainer", 1, { predictions: predicted(null) })];
    assert.match(searchesReport({ plan, results: nothing }).join("\n"), /\| 1 \| 0 \| 0 \| 0 \| 1 \| – \|$/);
  });

  const draft = (when: string, decision: string) => ({ name: `gap-${when}`, when, decision });
  it("is which conditions were drafted, in how many searches, and in how many admitted", () => {
    const own = [
      cell("evotrainer", 1, { diagnostics: [draft("a > 1", "reject"), draft("b || c", "keep")] }),
      cell("evotrainer", 2, { diagnostics: [draft("a > 1", "keep")] }),
      cell("evotrainer", 3, { diagnostics: [draft("d", "not decided")] }),
      cell("no-memory", 1, { diagnostics: [draft("e", "keep")] }),
    ];
    assert.deepEqual(draftsIn("math", own.slice(0, 3)), [
      { domain: "math", when: "a > 1", drafted: 2, admitted: 1 },
      { domain: "math", when: "b || c", drafted: 1, admitted: 1 },
      { domain: "math", when: "d", drafted: 1, admitted: 0 },
    ]);
    const text = changesReport({ plan, results: own }).join("\n");
    assert.match(
      text,
      /EvoTrainer's 3 searches made 4 drafts .*, in 3 searches; 2 of them .* in 2 searches\./,
    );
    assert.match(text, /\| math \| `b \\\|\\\| c` \| 1 \| 1 \|/);
    assert.ok(!text.includes("`e`"), "those of other arms are theirs");
    const none = changesReport({ plan, results: [cell("evotrainer", 1)] }).join("\n");
    assert.match(none, /1 searches made 0 drafts/);
    assert.ok(!none.includes("| condition |"));
  });

  it("is how often a factor was kept, with versions of several changes apart", () => {
    const decisions = [
      decided("v0", null, "base", { parent: null }),
      decided("v1", null, "keep", { parent: "v0" }),
      decided("v2-a", "reward", "keep"),
      decided("v3-b", "reward", "keep"),
      decided("v4-c", "data", "reject"),
      decided("v5-gap", "diagnostics", "keep"),
      decided("v6-b-with-v4", "reward", "reject"),
      decided("v7-c-with-v6", null, "keep"),
      decided("v8-without-v2-a", "reward", "keep"),
      decided("v9-d", "data", "invalid"),
      decided("v10-e", "data", "reject"),
    ];
    const own = cell("evotrainer", 1, {
      decisions,
      predictions: decisions
        .filter(({ version }) => !/^v[015]($|-)/.test(version))
        .map(({ version }) => ({ version, measured: null, moved: null })),
      claims: ["v2-a", "v3-b", "v7-c-with-v6", "v8-without-v2-a"].map((version) => ({
        ...{ version, parent: "v1", settings: [], stage: null, leaks: [], trainings: 4 },
        ...{ own: [/^v[38]/.test(version) ? 0.4 : 0.6], ofParent: [0.5] },
      })),
    });
    assert.deepEqual(factorsIn("math", [own]), [
      { domain: "math", factor: "data", tried: 3, kept: 0, held: 0 },
      { domain: "math", factor: "reward", tried: 2, kept: 2, held: 1 },
      { domain: "math", factor: "two or three changes at once", tried: 2, kept: 1, held: 1 },
      { domain: "math", factor: "an earlier change taken out", tried: 1, kept: 1, held: 0 },
    ]);
    const text = changesReport({ plan, results: [own] }).join("\n");
    assert.match(text, /## How often a factor was kept[^]*\| math \| reward \| 2 \| 2 \| 1 \|/);
  });

  it("stands between what was retained and other seeds, of the arms whose every cell is here", () => {
    const part = {
      decisions: [kept("v2", 0.6, 4)],
      predictions: predicted("as_said"),
      diagnostics: [draft("a", "keep")],
    };
    const own = [1, 2, 3].map((seed) => cell("evotrainer", seed, part));
    const random = [1, 2].map((seed) => cell("random", seed, part));
    const told = (results: readonly CellResult[]): string =>
      reportText(plan, results, {
        ...{ discussion: "", others: [{ plan, results: [] }], skills: null, mend: null, phantom: null },
      });
    const text = told([...human, ...own, ...random]);
    assert.deepEqual(text.match(/^## .*$/gm), [
      "## Scores",
      "## EvoTrainer against the others",
      "## Versions that should not have been kept",
      "## What EvoTrainer retained",
      "## Trainings until the human reference",
      "## Predictions",
      "## Diagnostics that nobody had written",
      "## How often a factor was kept",
      "## Other seeds",
      "## Discussion",
    ]);
    assert.ok(!text.includes("random search"), "a part of an arm's cells is not shown");
    const whole = told([...human, ...own, ...random, cell("random", 3, part)]);
    assert.match(whole, /\n## How soon\n[^]*\n## Trainings until[^]*\| math \| random search \| 58\.0 \|/);
    assert.ok(!/^## (Trainings until|Predictions|Diagnostics|How often)/m.test(told(own.slice(1))));
  });
});
