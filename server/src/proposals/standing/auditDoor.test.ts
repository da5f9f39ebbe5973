import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { buildLineage } from "../../lineage/graph.ts";
import { engineKey } from "../../lineage/trust/engineKey.ts";
import { signed } from "../../lineage/trust/signature.ts";
import { auditDoor, type AuditDoor } from "./auditDoor.ts";
import { gateHistory } from "./gateHistory.ts";

const commit = "a".repeat(40);
const base = (id: string, version: string) => ({ id, at: "2026-01-01T00:00:00Z", domain: "toy", version });
const version = (name: string, parent: string | null, generation = 1): LedgerEntry => ({
  ...base(`version:${name}`, name),
  ...{ type: "version", commit, parent, generation, factor: null, intervention: null, title: name },
});
const hypothesis = (name: string): LedgerEntry => ({
  ...base(`hypothesis:${name}`, name),
  ...{ type: "hypothesis", statement: "s", targets: [], predictedFixes: [], predictedRisks: [] },
});
const job = (name: string): LedgerEntry => ({
  ...base(`job:${name}`, name),
  ...{ type: "job", job: name, state: "finished", failure: null, message: "", seconds: 1 },
});
type Decided = Extract<LedgerEntry, { type: "decision" }>;
const decision = (
  name: string,
  decided: Decided["decision"],
  verdict: "improved" | "inside_noise" | null = "improved",
): LedgerEntry => ({
  ...base(`decision:${name}`, name),
  ...{ type: "decision", decision: decided, reason: "r", evidence: [] },
  comparison:
    verdict === null
      ? null
      : {
          against: "v1",
          difference: 0.1,
          low: 0,
          high: 0.2,
          confidence: 0.95,
          verdict,
          items: 9,
          itemsNeeded: null,
        },
});
const approval = (name: string): LedgerEntry => ({
  ...base(`approval:${name}:completion`, name),
  ...{ type: "approval", gate: "completion", answer: "approve", by: "me" },
});
const start = [
  version("v0", null, 0),
  decision("v0", "base", null),
  version("v1", "v0", 0),
  decision("v1", "keep"),
];
const change = (name: string, decided: LedgerEntry, parent = "v1", generation = 1): LedgerEntry[] => [
  version(name, parent, generation),
  hypothesis(name),
  job(name),
  decided,
];
const kept = [...start, ...change("v2", decision("v2", "keep"))];
const origin = {
  ...{ format: "aide-journal", lineage: "x", key: "1", parents: [], status: null, note: "", missing: false },
  digest: "d",
};
const revert = (name: string, of: string): LedgerEntry[] => [
  version(name, of),
  decision(name, "revert", null),
];
const full: ProjectSpec["gates"] = { autonomy: "full", firstVersionsGated: 0, escalateAfterFailures: 9 };
const gated: ProjectSpec["gates"] = { ...full, autonomy: "human_gated" };

/** The door with all entries signed by this user's engine, but those that only claim something. */
const door = (
  entries: readonly LedgerEntry[],
  {
    gates = full,
    of = "v2",
    claims = [] as readonly LedgerEntry[],
  }: { gates?: ProjectSpec["gates"] | null; of?: string; claims?: readonly LedgerEntry[] } = {},
): AuditDoor =>
  auditDoor({
    lineage: buildLineage([...entries.map((e) => signed(e, engineKey(), commit)), ...claims], "toy"),
    version: of,
    gates,
  });

describe("the decision to open the audit split", () => {
  it("opens for a kept change that is better, and says what it is compared with and who opened it", () => {
    const by = "rule: autonomy full";
    assert.deepEqual(door(kept), { type: "open", version: "v2", baseline: "v1", tried: 1, by });
    const second = [...kept, ...change("v3", decision("v3", "keep"), "v2", 2)];
    assert.deepEqual(door(second, { of: "v3" }), {
      type: "open",
      version: "v3",
      baseline: "v1",
      tried: 2,
      by,
    });
  });

  it("counts what was trained as tried, and not what nobody trained", () => {
    const refused = [version("v3", "v1"), hypothesis("v3"), decision("v3", "prune", null)];
    const rejected = change("v4", decision("v4", "reject"), "v1", 1);
    const opened = door([...kept, ...refused, ...rejected]);
    assert.equal(opened.type === "open" ? opened.tried : undefined, 2);
  });

  const share = { value: 1, low: 0.9, high: 1 };
  const way = {
    ...{ name: "gap-peek", when: 'outcome == "pass" && tool_count("peek") > 0', label: null },
    ...{ ofNew: share, ofParent: { value: 0, low: 0, high: 0.1 }, ofParentAll: share, passing: share },
    examples: [{ rollout: "run/7", turns: [1] }],
  };
  /** v2 with a new way to pass; `low`: by how much its policy is surely better than v1 in the environment of v1. */
  const shortcut = (low: number | null): LedgerEntry[] => {
    const decided = decision("v2", "keep");
    if (decided.type !== "decision" || decided.comparison === null) assert.fail();
    const score = {
      ...{ metric: "macro", value: 0.03, low: 0, high: 0.1, items: 9, rollouts: 9, unknown: 0 },
      bounds: [0.03, 0.03] as [number, number],
    };
    const comparison = { ...decided.comparison, difference: -0.3, low: low ?? 0, high: 0.1 };
    const inParentEnvironment = { parent: "v1", score, comparison };
    const told = { ...decided, newWays: [way], ...(low === null ? {} : { inParentEnvironment }) };
    return [...start, ...change("v2", told)];
  };

  it("waits for a person, whatever the autonomy, where the gain is a new way to pass and gone in the parent's environment", () => {
    const waits = door(shortcut(-0.4));
    assert.equal(waits.type, "waits");
    assert.match(
      waits.reason,
      /^v2 waits for a person, because its gain may be a shortcut\. A new way to pass: tool_count\("peek"\) > 0 holds for 100 % .* of what passes .* Look at run\/7 .* In the environment of v1, its policy scores 3\.0 %: .* run `evotrainer promote v2 --approve`; if not, run `evotrainer revert v2`\.$/,
    );
    assert.equal(door([...shortcut(-0.4), approval("v2")]).type, "open", "a person looked");
    assert.equal(door(shortcut(0.05)).type, "open", "the gain holds in the parent's environment");
    assert.equal(door(shortcut(null)).type, "open", "the environment is the parent's");
  });

  it("waits for what was made of such a version, until a person approved that one", () => {
    const built = [...shortcut(-0.4), ...change("v3", decision("v3", "keep"), "v2", 2)];
    const waits = door(built, { of: "v3" });
    assert.match(
      waits.type === "waits" ? waits.reason : waits.type,
      /the gain of v2, from which it was made,/,
    );
    assert.equal(door([...built, approval("v2")], { of: "v3" }).type, "open");
  });

  const promotion: LedgerEntry = { ...base("promotion:v2", "v2"), type: "promotion", gap: 0, reason: "r" };
  it("is not opened twice", () => {
    assert.deepEqual(door([...kept, promotion]), { type: "opened" });
    assert.equal(door(kept, { claims: [promotion] }).type, "open", "a claim of it changes nothing");
  });

  const closed: [string, readonly LedgerEntry[], Parameters<typeof door>[1], RegExp][] = [
    ["no such version", start, {}, /no version v2/],
    [
      "a version that is not decided",
      [...start, version("v2", "v1"), hypothesis("v2")],
      {},
      /not decided yet/,
    ],
    [
      "a rejected version",
      [...start, ...change("v2", decision("v2", "reject"))],
      {},
      /not a kept version \(reject\)/,
    ],
    ["an invalid version", [...start, ...change("v2", decision("v2", "invalid"))], {}, /\(invalid\)/],
    ["the baseline", kept, { of: "v1" }, /v1 is a baseline/],
    [
      "a version that another tool made",
      [...start, { ...version("v2", "v1"), origin } as LedgerEntry, decision("v2", "keep")],
      {},
      /v2 was imported, so it cannot be promoted/,
    ],
    [
      "a version that was not compared",
      [...start, ...change("v2", decision("v2", "keep", null))],
      {},
      /not found to be better than v1/,
    ],
    [
      "a version inside the noise",
      [...start, ...change("v2", decision("v2", "keep", "inside_noise"))],
      {},
      /not found to be better/,
    ],
    ["a reverted version", [...kept, ...revert("v3", "v2")], {}, /reverted by v3/],
    ["a version that is claimed to be reverted", kept, { claims: revert("v3", "v2") }, /reverted by v3/],
    [
      "a reverted version whose revert is claimed to be reverted",
      [...kept, ...revert("v3", "v2")],
      { claims: revert("v4", "v3") },
      /reverted by v3/,
    ],
    [
      "a decision that is only claimed",
      [...start, version("v2", "v1"), hypothesis("v2")],
      { claims: [decision("v2", "keep")] },
      /says that it was decided \(keep\), but this does not count/,
    ],
    [
      "a version that is only claimed",
      start,
      { claims: change("v2", decision("v2", "keep")) },
      /v2 is not promoted\. Nothing that the ledger says of this version counts/,
    ],
    [
      "a version on a baseline that is only claimed",
      [version("v0", null, 0), ...change("v2", decision("v2", "keep"))],
      { claims: [version("v1", "v0", 0)] },
      /no engine that you trust wrote its baseline v1/,
    ],
    ["a branch whose newest commit has no project", kept, { gates: null }, /no sound evotrainer\.yaml/],
  ];
  for (const [what, entries, how, says] of closed)
    it(`stays shut for ${what}`, () => {
      const found = door(entries, how);
      assert.equal(found.type, "closed");
      assert.match("reason" in found ? found.reason : "", says);
    });

  it("stays shut after a person rejected the promotion, who may approve it after all", () => {
    const rejection: LedgerEntry = {
      ...base("approval:v2:completion:2", "v2"),
      ...{ type: "approval", gate: "completion", answer: "reject", by: "me", comment: "not yet" },
    };
    const shut = door([...kept, rejection]);
    assert.equal(shut.type, "closed");
    assert.match("reason" in shut ? shut.reason : "", /Rejected at the completion gate: not yet/);
    const again = { ...approval("v2"), id: "approval:v2:completion:3" };
    assert.equal(door([...kept, rejection, again]).type, "open");
  });

  it("opens again when the revert was reverted", () => {
    assert.equal(door([...kept, ...revert("v3", "v2"), ...revert("v4", "v3")]).type, "open");
  });

  const afterAFailure = [...kept, ...change("v3", decision("v3", "reject"), "v2", 2)];
  for (const [what, gates, entries] of [
    ["the project is gated", gated, kept],
    ["the first versions are", { ...full, firstVersionsGated: 2 }, kept],
    ["a version was not kept after it", { ...full, escalateAfterFailures: 1 }, afterAFailure],
  ] as const)
    it(`waits for a person where ${what}`, () => {
      const found = door(entries, { gates });
      assert.equal(found.type, "waits");
      assert.match("reason" in found ? found.reason : "", /evotrainer promote v2 --approve/);
      assert.equal(door(entries, { gates, claims: [approval("v2")] }).type, "waits");
      assert.equal(door([...entries, approval("v2")], { gates }).type, "open");
    });

  it("counts in the ledger what the gates go by", () => {
    assert.equal(door(kept, { gates: { ...full, firstVersionsGated: 1 } }).type, "open");
    assert.equal(door(kept, { gates: { ...full, escalateAfterFailures: 1 } }).type, "open");
    const refused = [...kept, version("v3", "v2", 2), hypothesis("v3"), decision("v3", "prune", null)];
    assert.equal(door(refused, { gates: { ...full, firstVersionsGated: 2 } }).type, "open");
    assert.equal(door(refused, { gates: { ...full, escalateAfterFailures: 1 } }).type, "open");
    const claims = change("v9", decision("v9", "reject"), "v2", 2);
    assert.equal(door(kept, { gates: { ...full, firstVersionsGated: 2 }, claims }).type, "waits");
    assert.equal(door(kept, { gates: { ...full, escalateAfterFailures: 1 }, claims }).type, "open");
  });

  it("counts failures in a row past a version that is held", () => {
    const held = shortcut(-0.4);
    const fails = (name: string, generation: number) =>
      change(name, decision(name, "reject"), "v1", generation);
    const lineageOf = (entries: readonly LedgerEntry[]) => buildLineage(entries, "toy");
    const around = [...start, ...fails("v3", 1), ...held.slice(start.length), ...fails("v4", 3)];
    assert.equal(gateHistory(lineageOf(around)).failuresInARow, 2);
    assert.equal(gateHistory(lineageOf([...around, approval("v2")])).failuresInARow, 1);
  });
});
