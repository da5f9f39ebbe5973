import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { buildLineage } from "../../lineage/graph.ts";
import { engineKey } from "../../lineage/trust/engineKey.ts";
import { signed } from "../../lineage/trust/signature.ts";
import { BestBefore, trialOf } from "./trialOf.ts";

const commit = "a".repeat(40);
type Of<T extends LedgerEntry["type"]> = Extract<LedgerEntry, { type: T }>;
const base = (id: string, version: string) => ({ id, at: "2026-01-01T00:00:00Z", domain: "toy", version });
const tried = (
  name: string,
  parent: string | null,
  { score, decided, job }: { score: number; decided: Of<"decision">["decision"]; job: Partial<Of<"job">> },
): LedgerEntry[] => [
  {
    ...base(`version:${name}`, name),
    ...{ type: "version", commit, parent, generation: 1, factor: null, intervention: null, title: name },
  },
  {
    ...base(`job:${name}:train`, name),
    ...{ type: "job", job: name, state: "finished", failure: null, message: "", seconds: 60 },
    ...job,
  },
  {
    ...base(`evidence:${name}:selection`, name),
    ...{ type: "evidence", split: "selection", cleanScore: null, labels: [], signals: {} },
    score: {
      ...{ metric: "solve_rate", value: score, low: 0, high: 1, items: 9, rollouts: 9, unknown: 0 },
      bounds: [score, score],
    },
  },
  {
    ...base(`decision:${name}`, name),
    ...{ type: "decision", decision: decided, reason: "r", comparison: null, evidence: [] },
  },
];

describe("the record of a trial", () => {
  const full = { seeds: [1, 2], trainSeconds: 50, evaluationSeconds: 10, bytes: 9, host: "box", gpus: 2 };
  const entries = [
    ...tried("v0", null, { score: 0.5, decided: "base", job: {} }),
    ...tried("v1", "v0", {
      score: 0.25,
      decided: "reject",
      job: { ...full, price: { amount: 3, currency: "EUR" } },
    }),
    ...tried("v2", "v0", { score: 0.75, decided: "keep", job: full }),
    ...tried("v3", "v2", { score: 0.5, decided: "reject", job: full }),
    { ...tried("v3", "v2", { score: 0, decided: "keep", job: full })[1], id: "job:v3:audit" } as LedgerEntry,
  ];
  const { versions } = buildLineage(
    entries.map((e) => signed(e, engineKey(), commit)),
    "toy",
  );
  const trial = (name: string, best = new BestBefore(versions)) => {
    const place = versions.findIndex((v) => v.name === name);
    const version = versions[place];
    assert.ok(version);
    return trialOf(version, best.at(place));
  };

  it("has what its jobs took, and its score against the best that was kept before it", () => {
    const cost = { amount: 3, currency: "EUR" };
    assert.deepEqual(trial("v1"), { proposer: null, seconds: 60, ...full, cost, deltaToBest: -0.25 });
    const deltas = ["v0", "v1", "v2", "v3"].map((name) => trial(name)?.deltaToBest);
    assert.deepEqual(deltas, [null, -0.25, 0.25, -0.25]);
  });
  it("is not compared with a version that is held, because that may score by a shortcut", () => {
    const doubt = { parent: "v0", score: null, comparison: null, switched: ["history"] };
    const held = entries.map((entry) =>
      entry.id === "decision:v2" && entry.type === "decision"
        ? { ...entry, inParentEnvironment: doubt, held: true }
        : entry,
    );
    const own = buildLineage(
      held.map((e) => signed(e, engineKey(), commit)),
      "toy",
    ).versions;
    const [, , , last] = own;
    assert.ok(last);
    assert.equal(trialOf(last, new BestBefore(own).at(3))?.deltaToBest, 0);
  });
  it("does not count the audit, and says null for what a job of an earlier release did not record", () => {
    assert.equal(trial("v3")?.seconds, 60);
    assert.deepEqual([trial("v0")?.seconds, trial("v0")?.trainSeconds, trial("v0")?.bytes], [60, null, null]);
  });
});
