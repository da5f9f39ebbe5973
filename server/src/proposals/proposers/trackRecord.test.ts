import assert from "node:assert/strict";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { HypothesisResult } from "../../../../shared/ledger/hypothesisResult.ts";
import { trackRecords } from "./trackRecord.ts";

const result = (
  moved: HypothesisResult["moved"],
  ...fixes: readonly HypothesisResult["fixes"][number]["result"][]
): Partial<HypothesisResult> => ({
  moved,
  fixes: fixes.map((one, i) => ({
    ...{ name: `label-${i}`, over: "rollout", result: one, from: 0.5, to: 0.4, low: -0.2, high: 0 },
  })),
});

/** What of a version says how its proposer did. */
function version(
  proposer: string,
  decision: { readonly at?: string; readonly decision?: string; readonly hypothesis?: object } | null,
  more: { readonly seconds?: number; readonly approvals?: number; readonly standing?: string } = {},
): VersionRecord {
  const { seconds, approvals = 1, standing = "signed" } = more;
  const told = {
    ...{ standing, hypothesis: { proposer }, jobs: seconds === undefined ? [] : [{ seconds }] },
    approvals: Array.from({ length: approvals }, () => ({})),
    ...(decision === null ? {} : { decision: { at: "2026-01-02", decision: "reject", ...decision } }),
  };
  return told as unknown as VersionRecord;
}

describe("the record of a proposer", () => {
  const of = (
    versions: readonly VersionRecord[],
    questions: readonly { proposer: string; at: string; seconds: number }[] = [],
  ) => trackRecords(["a", "b"], { versions }, questions as unknown as Parameters<typeof trackRecords>[2]);

  it("counts of each draft the share of its predictions that came true", () => {
    const [a, b] = of([
      version("a", { hypothesis: result("as_said", "hit", "within_noise") }, { seconds: 10 }),
      version("a", { hypothesis: result("not", "not_measured") }, { seconds: 20 }),
      version("a", { hypothesis: result("cannot_tell", "not_measured") }, { seconds: 30 }),
      version("b", { decision: "keep", hypothesis: result("as_said") }, { seconds: 5 }),
      version("a", null),
    ]);
    assert.equal(a?.judged, 2);
    assert.ok(Math.abs(a.cameTrue - 2 / 3) < 1e-9);
    assert.equal(a.seconds, 20);
    assert.deepEqual(b, { proposer: "b", judged: 1, cameTrue: 1, seconds: 5 });
  });

  it("counts a draft that could change nothing as wrong, and one that a person refused not at all", () => {
    const [a] = of([
      version("a", { decision: "prune" }, { approvals: 0 }),
      version("a", { decision: "prune" }, { approvals: 1 }),
    ]);
    assert.deepEqual([a?.judged, a?.cameTrue, a?.seconds], [1, 0, null]);
  });

  it("believes no claim that nobody trusted has signed", () => {
    const [a] = of([version("a", { hypothesis: result("as_said") }, { standing: "claim" })]);
    assert.equal(a?.judged, 0);
  });

  it("adds what its questions took, those alone that were asked before the last decision", () => {
    const [a] = of(
      [version("a", { hypothesis: result("as_said") }, { seconds: 10 })],
      [
        { proposer: "a", at: "2026-01-01", seconds: 4 },
        { proposer: "a", at: "2026-01-03", seconds: 100 },
        { proposer: "b", at: "2026-01-01", seconds: 50 },
      ],
    );
    assert.equal(a?.seconds, 14);
  });
});
