import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import fc from "fast-check";
import type { Rollout } from "../../../shared/model/rollout.ts";
import { labelShare } from "../../../shared/model/labelShare.ts";
import { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { fuzzRuns, fuzzSeed } from "../../../test/support/base/fuzz.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../test/support/evidence/evidence.ts";
import { labelDiagnostics } from "../diagnosis/labelDiagnostics.ts";
import { ingestFile } from "../evidence/ingest/ingest.ts";
import type { Store } from "../evidence/archive/store.ts";
import { fatesOf, tallyOf } from "./fates.ts";
import { shiftsBetween, type LabelShift } from "./labelShift.ts";

const diagnostic = (name: string, when: string): DiagnosticSpec =>
  DiagnosticSpec.parse({
    apiVersion: "evotrainer/v1",
    kind: "Diagnostic",
    name,
    label: { when },
    alert: { above: 0.15, critical: 0.5 },
  });

const answered = diagnostic("answered-but-failed", 'outcome == "fail" || reward == 0.0');
const noReward = diagnostic("no-reward", "reward == 0.0");
const slow = diagnostic("slow", "duration_ms > 100.0");
const specs = [answered, noReward, slow];

/** Rollouts of a version whose source gives no reward: passes, failures, and what is not known. */
const ended = (
  version: string,
  { pass, fail, unknown = 0 }: { pass: number; fail: number; unknown?: number },
): Rollout[] => {
  const outcomes = [
    ...Array.from({ length: fail }, () => "fail" as const),
    ...Array.from({ length: pass }, () => "pass" as const),
    ...Array.from({ length: unknown }, () => "unknown" as const),
  ];
  return outcomes.map((outcome, i) =>
    makeRollout({
      ...{ id: `${version}-${i}`, run: version, split: "selection", item: `i${i}`, group: `g${i}`, outcome },
      ...(outcome === "unknown" ? { unknown_reason: "not graded" } : {}),
      reward: null,
      duration_ms: null,
    }),
  );
};

describe("shares of labels", () => {
  let workspace: Workspace;
  let store: Store;
  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  after(() => workspace.remove());

  async function archive(version: string, rollouts: readonly Rollout[]): Promise<void> {
    const path = workspace.file(`${version}.jsonl`);
    await writeFile(path, rollouts.map((r) => toLine({ ...r, run: version })).join(""));
    await ingestFile(store, { path, kind: "rollouts", version, run: version });
  }
  async function shifts(a: string, b: string): Promise<ReadonlyMap<string, LabelShift>> {
    const before = await fatesOf(store, { split: "selection", version: a }, specs);
    const after = await fatesOf(store, { split: "selection", version: b }, specs);
    return new Map(shiftsBetween(before, after).map((s) => [s.label, s]));
  }
  const diagnosed = async (version: string) => {
    const scope = { split: "selection", version } as const;
    const counts = await labelDiagnostics(store, specs, { rollouts: scope, groups: scope });
    return new Map(counts.map((count) => [count.name, count]));
  };

  it("are over all whose outcome is known, whatever the reward, in compare and in diagnose", async () => {
    await archive("one", ended("one", { pass: 1079, fail: 120 }));
    await archive("two", ended("two", { pass: 1053, fail: 146 }));
    const shift = (await shifts("one", "two")).get("answered-but-failed");
    assert.ok(shift);
    assert.deepEqual(
      [shift.a.labelled, shift.a.decided, shift.b.labelled, shift.b.decided],
      [120, 1199, 146, 1199],
    );
    assert.notEqual(shift.kind, "fell", "it rose");
    assert.ok((shift.difference ?? 0) > 0);
    const count = (await diagnosed("one")).get("answered-but-failed");
    assert.ok(count);
    assert.equal(labelShare(count).rate, shift.a.rate);
    assert.equal(count.alert, null, "10 % is below 15 %");
  });

  it("have bounds and no verdict where most are undecided", async () => {
    await archive("open-a", ended("open-a", { pass: 0, fail: 30, unknown: 70 }));
    await archive("open-b", ended("open-b", { pass: 30, fail: 0, unknown: 70 }));
    const found = await shifts("open-a", "open-b");
    const failed = found.get("answered-but-failed");
    assert.deepEqual([failed?.kind, failed?.a.rate, failed?.a.bounds], ["cannot_tell", 1, [0.3, 1]]);
    assert.deepEqual([failed?.b.rate, failed?.b.bounds, failed?.b.coverage], [0, [0, 0.7], 0.3]);
    assert.equal(found.get("no-reward")?.kind, "not_measured");
    const count = (await diagnosed("open-a")).get("answered-but-failed");
    assert.deepEqual([count?.labelled, count?.undecided, count?.alert], [30, 70, null]);
    const fates = await fatesOf(store, { split: "selection", version: "open-a" }, specs);
    const tally = { rollouts: 100, labelled: 30, undecided: 70 };
    assert.deepEqual(tallyOf(fates, "answered-but-failed"), tally, "without labelling anew");
  });

  it("are the same in compare and in diagnose, and the truth lies in their bounds", async function () {
    this.timeout(120_000);
    // What is the case, and whether the source says it; a reward stands in for the outcome.
    const rollout = fc.record({
      failed: fc.boolean(),
      saysOutcome: fc.boolean(),
      saysReward: fc.boolean(),
      late: fc.boolean(),
      saysTime: fc.boolean(),
      item: fc.integer({ min: 0, max: 5 }),
    });
    let n = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(rollout, { maxLength: 40 }), async (facts) => {
        const version = `random-${n++}`;
        const rollouts = facts.map((f, i) =>
          makeRollout({
            ...{ id: `r${i}`, split: "selection", item: `i${f.item}`, group: `g${f.item}`, sample: i },
            outcome: f.saysOutcome ? (f.failed ? "fail" : "pass") : "unknown",
            ...(f.saysOutcome ? {} : { unknown_reason: "not graded" }),
            reward: f.saysReward ? (f.failed ? 0 : 1) : null,
            duration_ms: f.saysTime ? (f.late ? 500 : 5) : null,
          }),
        );
        await archive(version, rollouts);
        const counts = await diagnosed(version);
        const compared = await shifts(version, version);
        for (const { name } of specs) {
          const [count, shift] = [counts.get(name), compared.get(name)];
          assert.ok(count && shift);
          const { items: _, ...share } = shift.a;
          assert.deepEqual(labelShare(count), share, name);
          if (facts.length === 0) continue;
          const truth = facts.filter((f) => (name === "slow" ? f.late : f.failed)).length / facts.length;
          assert.ok(share.bounds[0] <= truth && truth <= share.bounds[1], `${name}: ${truth}`);
        }
      }),
      { numRuns: Math.min(40, fuzzRuns(20)), ...fuzzSeed(7) },
    );
  });
});
