import assert from "node:assert/strict";
import { ratesBeside } from "./ratesBeside.ts";

describe("the rates of labels beside those of another version", () => {
  const label = (name: string, labelled: number, more: object = {}) => ({
    ...{ name, severity: "warning", labelled, rollouts: 100, alert: null, invalidates: false },
    ...more,
  });
  /** Only what is read of a record. */
  const versions = (own: object) =>
    new Map(
      Object.entries({
        v0: { parent: null, evidence: { selection: { labels: [label("gives-up", 5)] } } },
        v1: { parent: "v0", evidence: { selection: { labels: [label("gives-up", 40), label("loops", 2)] } } },
        v2: {
          parent: "v1",
          evidence: { selection: { labels: [label("gives-up", 30), label("dead", 9, { over: "group" })] } },
          ...own,
        },
      }),
    ) as unknown as Parameters<typeof ratesBeside>[2];

  it("are those of its parent, of the labels that both were looked at for", () =>
    assert.deepEqual(ratesBeside("v2", ["gives-up", "loops", "dead"], versions({})), {
      beside: { version: "v2", against: "v1", rates: [{ label: "gives-up", own: 0.3, other: 0.4 }] },
    }));
  it("are those of what it was compared with, where that is another one", () => {
    const comparison = { against: "v0", difference: 0.1, verdict: "improved" };
    assert.deepEqual(
      ratesBeside("v2", ["gives-up"], versions({ decision: { decision: "keep", comparison } })),
      {
        beside: { version: "v2", against: "v0", rates: [{ label: "gives-up", own: 0.3, other: 0.05 }] },
      },
    );
  });
  it("are not there for a version that has no parent, or that nobody knows", () => {
    assert.deepEqual(ratesBeside("v0", ["gives-up"], versions({})), {});
    assert.deepEqual(ratesBeside("v9", ["gives-up"], versions({})), {});
  });
});
