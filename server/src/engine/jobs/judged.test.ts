import assert from "node:assert/strict";
import { judgedOf } from "./judged.ts";

type Recorded = Parameters<typeof judgedOf>[0];
type Label = NonNullable<NonNullable<Recorded["evidence"]["selection"]>["labels"]>[number];

describe("what the job of a version is told of the version", () => {
  const label = (name: string, more: Partial<Label> = {}): Label => ({
    ...{ name, severity: "warning", labelled: 30, rollouts: 40, alert: "warning", invalidates: false },
    ...more,
  });
  /** Only what is read of a record. */
  const recorded = (
    labels: readonly Label[],
    { decision = "reject", seeds }: { decision?: string; seeds?: readonly [number, number] } = {},
  ): Recorded => {
    const comparison = { against: "v1", difference: 0.003, verdict: "inside_noise", seeds };
    return { decision: { decision, comparison }, evidence: { selection: { labels } } } as unknown as Recorded;
  };

  it("are its alerts, the critical ones first, one of those on the same rollouts, with what their share is of", () => {
    const labels = [
      label("gives-up"),
      label("quiet", { alert: null }),
      label("also", { under: "gives-up" }),
      label("dead-group", { alert: "critical", over: "group", labelled: 25 }),
    ];
    assert.deepEqual(judgedOf(recorded(labels)).alerts, [
      { name: "dead-group", alert: "critical", rate: 0.625, over: "group" },
      { name: "gives-up", alert: "warning", rate: 0.75 },
    ]);
    assert.equal(judgedOf(recorded([label("quiet", { alert: null })])).alerts, undefined);
  });

  it("is how it compares, and over how many of its seeds", () => {
    const compared = { against: "v1", difference: 0.003, verdict: "inside_noise" };
    assert.deepEqual(judgedOf(recorded([], { seeds: [4, 2] })), { compared: { ...compared, seeds: 2 } });
    assert.deepEqual(judgedOf(recorded([])), { compared });
  });

  it("is only that it does not count, where it does not", () =>
    assert.deepEqual(judgedOf(recorded([label("gives-up")], { decision: "invalid" })), { notValid: true }));
});
