import assert from "node:assert/strict";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { standingOf } from "./evidenceStanding.ts";

describe("how a version stands beside its evidence", () => {
  /** Only what is read of a record. */
  const record = (more: Record<string, unknown>, score?: number, labels: unknown[] = []): VersionRecord =>
    ({
      ...{ parent: "v1", claims: [], screenings: [], jobs: [], decisions: [], ...more },
      evidence: score === undefined ? {} : { selection: { score: { value: score }, labels } },
    }) as unknown as VersionRecord;
  const comparison = { against: "v0", difference: 0.2, verdict: "improved", seeds: [2, 3] };
  const versions = new Map([
    ["v0", record({}, 0.11)],
    ["v1", record({}, 0.311)],
  ]);

  it("is what was decided, and its score beside that of what it was compared with", () => {
    const { stage: _, ...told } = standingOf(
      record({ decision: { decision: "keep", comparison } }, 0.3),
      versions,
    );
    assert.deepEqual(told, {
      ...{ decision: "keep", claims: [], score: 0.3 },
      beside: { version: "v0", score: 0.11 },
      compared: { against: "v0", difference: 0.2, verdict: "improved", seeds: 3 },
    });
  });

  it("is beside its parent where nothing was compared, and beside nothing where that is not known", () => {
    const { beside, decision } = standingOf(record({}, 0.3), versions);
    assert.deepEqual([decision, beside], ["pending", { version: "v1", score: 0.311 }]);
    assert.equal(standingOf(record({ parent: "gone" }), versions).beside, undefined);
    assert.deepEqual(standingOf(record({ parent: null }), versions).score, null);
  });

  it("says that its numbers are not to be trusted, and compares nothing then", () => {
    const leak = { name: "leak", labelled: 4, rollouts: 4, invalidates: true };
    const found = standingOf(record({ decision: { decision: "reject", comparison } }, 1, [leak]), versions);
    assert.deepEqual([found.distrust, found.compared], [{ counts: null }, undefined]);
  });
});
