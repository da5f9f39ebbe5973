import assert from "node:assert/strict";
import { ask, config, reward, testsTried } from "../../../../test/support/proposals/toySearch.ts";
import { columnsOf } from "../../../../test/support/backtest/columns.ts";
import type { Finding } from "../../diagnosis/rules.ts";
import type { Case } from "../../memory/cases/case.ts";
import type { SearchQuestion } from "./search.ts";

/** v1 was made from v0 by this change of `turns`, which stands at 12 now. */
const madeBy = (from: number, to: number, ended: Case["ended"]): Case =>
  testsTried(0.2, {
    ...{ version: "v1", parent: "v0", factor: "environment", template: "turns", ended, decision: "keep" },
    edits: [{ type: "value", file: config, path: "turns", from, to }],
  });

const namesAfter = async (one: Case): Promise<string[]> =>
  (await ask([one], { tried: [] })).drafts.map(({ spec }) => spec.name);

describe("the search on a version that a kept change made", () => {
  it("does not take the change back, to where it was or further, and says why", async () => {
    for (const from of [6, 8]) {
      const asked = await ask([madeBy(from, 12, "better")], { tried: [] });
      const names = asked.drafts.map(({ spec }) => spec.name);
      assert.ok(!names.includes("turns-down"), names.join(", "));
      assert.ok(names.includes("turns-up"));
      const refused = asked.trace.refused.find(({ idea }) => idea.spec.name === "turns-down");
      assert.equal(refused?.why, "It takes back what v1 changed, and v1 was better.");
    }
  });

  it("may go back a part of the way, and take back what made nothing better", async () => {
    assert.ok((await namesAfter(madeBy(4, 12, "better"))).includes("turns-down"));
    assert.ok((await namesAfter(madeBy(6, 12, "noise"))).includes("turns-down"));
  });

  it("may change a place that another version changed to something else", async () => {
    assert.ok((await namesAfter(madeBy(6, 24, "better"))).includes("turns-down"));
  });

  it("does not try again what no person has approved, whatever the failures are now, and says why", async () => {
    const shape = testsTried(0.2, {
      ...{ version: "v2", parent: "v1", ended: "held", decision: "keep", effect: null },
      edits: [
        { type: "value", file: reward, path: "components.correctness.shape", from: "linear", to: "binary" },
      ],
    });
    const { drafts, trace } = await ask([shape], { tried: [] });
    assert.ok(drafts.every(({ spec }) => !spec.name.includes("shape-binary")));
    const refused = trace.refused.find(({ idea }) => idea.spec.name.includes("shape-binary"));
    assert.equal(
      refused?.why,
      "v2 made nearly the same change and has a gain that may be a shortcut, which no person has approved.",
    );
  });

  it("does not switch back what was switched", async () => {
    const shape = testsTried(0.2, {
      ...{ version: "v1", parent: "v0", ended: "better", decision: "keep" },
      edits: [
        { type: "value", file: reward, path: "components.correctness.shape", from: "flat", to: "linear" },
      ],
    });
    const names = await namesAfter(shape);
    assert.ok(
      names.some((name) => name.includes("shape-binary")),
      names.join(", "),
    );
    assert.ok(!names.some((name) => name.includes("shape-flat")));
  });
});

describe("an idea as the archive has it", () => {
  const untested: Finding = { name: "untested", severity: "critical", message: "Nothing is tested." };
  // In each group one rollout tested, which passes as often as others; the label is on the others.
  const groupsOf = (passes: (g: number) => number) =>
    Array.from({ length: 21 }, (_, g) => ({
      rollouts: [0.1, 0.4, 1].map((correctness, i) => ({
        outcome: passes(g) === i ? ("pass" as const) : ("fail" as const),
        signals: { correctness, tests: i === 0 ? 1 : 0 },
      })),
    }));
  const many = groupsOf((g) => (g % 3 === 0 ? 0 : 2));
  const archiveOf = (groups: typeof many): SearchQuestion["archive"] => ({
    trainGroups: (_, signals) => Promise.resolve(columnsOf(groups, signals)),
    trainLabels: () =>
      Promise.resolve(new Map([["untested", [...columnsOf(groups).rids].filter((rid) => rid % 3 !== 0)]])),
  });

  it("is ranked like an average one where it cannot be replayed, not after all that can", async () => {
    const { trace } = await ask([], {
      findings: [untested],
      archive: archiveOf(many),
    });
    const meanOf = (name: string): number =>
      trace.ranked.find(({ spec }) => spec.name === name)?.belief.mean ?? NaN;
    const [tests, turns] = [meanOf("tests-weight-on-50"), meanOf("turns-up")];
    assert.ok(tests > turns && turns > 0, `${tests} ${turns}`);
    const without = await ask([], { findings: [untested] });
    const unknown = without.trace.ranked.find(({ spec }) => spec.name === "turns-up");
    assert.equal(unknown?.belief.mean, 0);
  });

  it("is refused if it switches a term on that would pay most those who fail", async () => {
    const refusedOf = async (groups: typeof many) =>
      (await ask([], { findings: [untested], archive: archiveOf(groups) })).trace.refused.find(
        ({ idea }) => idea.spec.name === "tests-weight-on-50",
      );
    assert.equal(await refusedOf(many), undefined);
    const refused = await refusedOf(groupsOf(() => 2));
    assert.equal(refused?.stage, "backtest");
    assert.equal(
      refused.why,
      "`tests` would pay for failing: of the 21 archived rollouts that it would pay most, 0 % passed, and of all 33.3 %.",
    );
  });
});
