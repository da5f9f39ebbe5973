import assert from "node:assert/strict";
import type { DomainName, Plan } from "../plan.ts";
import type { CellResult } from "../result.ts";
import { changeOf, changesByDomain, otherDomainsReport } from "./otherDomainsReport.ts";

type Decision = CellResult["decisions"][number];
const decided = (version: string, title: string, decision: string, leaks: string[] = []): Decision => ({
  ...{ version, parent: "v1", factor: "environment", title, decision, stage: null, score: 0.5 },
  ...{ trainings: 4, leaks },
});
const claim = (version: string, own: number): CellResult["claims"][number] => ({
  ...{ version, parent: "v1", settings: [], stage: null, leaks: [], trainings: 4 },
  ...{ own: [own], ofParent: [0.5] },
});
const cell = (
  domain: DomainName,
  decisions: readonly Decision[],
  claims: readonly CellResult["claims"][number][] = [],
): CellResult => ({
  ...{ schema: 1, plan: "toy", planCommit: "a", codeCommit: "b", isQuick: false, domain, arm: "evotrainer" },
  ...{ seed: 1, startedAt: "2026-01-01T00:00:00Z", trainings: 9, processorSeconds: 1 },
  chosen: { version: "v1", settings: [], leaks: [], seed: 1, selection: 0.5 },
  delivered: { audit: [], shifted: [], withLeak: null },
  ...{ fresh: [], predictions: [], diagnostics: [], decisions: [...decisions], claims: [...claims] },
});
const plan: Plan = {
  ...{ name: "toy", domains: ["math", "code", "swe"], arms: ["evotrainer"], seeds: [1], trainings: 9 },
  ...{ freshSeeds: 1, small: null, items: "usual" },
};

describe("a kept change in other domains", () => {
  it("is known by its setting and direction, or by its value", () => {
    for (const [title, change] of [
      ["turnLimit: 16 → 24", "turnLimit higher"],
      ["sampling.temperature: 1 → 0.5", "sampling.temperature lower"],
      ["order: random → easy-first", "order → easy-first"],
      ["turnLimit: 12 → 24, history → visible", null],
      ["without v3-binary: components.correctness.shape: flat → linear", null],
      ["base policy", null],
    ] as const)
      assert.equal(changeOf(title), change, title);
  });

  it("is counted in each domain that tried it: tried, kept, and held on fresh seeds", () => {
    const turns = "turnLimit: 16 → 24";
    const results = [
      cell(
        "math",
        [decided("v2", turns, "keep"), decided("v3", "turnLimit: 24 → 48", "keep")],
        [claim("v2", 0.6), claim("v3", 0.4)],
      ),
      cell("code", [decided("v2", "turnLimit: 8 → 16", "reject")]),
      // Not tried elsewhere; kept nowhere; with a leak.
      cell("swe", [
        decided("v2", "components.tests.weight: 0 → 1", "keep"),
        decided("v3", turns, "keep", ["history"]),
        decided("v4", "order: random → easy-first", "reject"),
      ]),
      cell("math", [decided("v2", "order: random → easy-first", "reject")]),
    ];
    assert.deepEqual(
      changesByDomain(results).map(({ change }) => change),
      ["turnLimit higher"],
    );
    const text = otherDomainsReport({ plan, results }).join("\n");
    assert.match(text, /\| `turnLimit higher` \| 2, 2, 1 \| 1, 0, 0 \| – \|/);
    assert.deepEqual(otherDomainsReport({ plan, results: results.slice(0, 1) }), []);
  });
});
