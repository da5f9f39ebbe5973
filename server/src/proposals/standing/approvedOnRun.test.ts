import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { buildLineage } from "../../lineage/graph.ts";
import { engineKey } from "../../lineage/trust/engineKey.ts";
import { signed } from "../../lineage/trust/signature.ts";
import { approvedAsOnRun, approvedOnRuns } from "./approvedOnRun.ts";

const at = "2026-01-01T00:00:00.000Z";
const common = { at, domain: "d" };
const spec = InterventionSpec.parse({
  apiVersion: "evotrainer/v1",
  kind: "Intervention",
  name: "lower-kl",
  hypothesis: { change: "kl", metric: "solve_rate", direction: "increase", because: "It holds the policy." },
  targets: ["dead-group"],
  factor: "optimisation",
  edit: [{ file: "run.sh", path: "kl", from: 0.001, to: 0.0005 }],
  success: { metric: "solve_rate", atLeast: 0.01 },
});
const version = (name: string, parent: string | null, origin: boolean): LedgerEntry => ({
  ...{ ...common, id: `version:d:${name}`, type: "version", version: name, commit: "a".repeat(40), parent },
  ...{ generation: 0, factor: null, intervention: null, title: name },
  ...(origin
    ? {
        origin: {
          format: "runs",
          lineage: "d",
          key: name,
          parents: [],
          status: null,
          note: "",
          missing: false,
          digest: "0",
        },
      }
    : {}),
});
const claims = (name: string, claimed = spec): LedgerEntry => ({
  ...{ ...common, id: `hypothesis:${name}`, type: "hypothesis", version: name, targets: ["dead-group"] },
  ...{ statement: "s", predictedFixes: [], predictedRisks: [], proposer: "search", spec: claimed },
});
const approves = (
  name: string,
  more: { answer?: "approve" | "reject"; commit?: string } = {},
): LedgerEntry => ({
  ...{ ...common, id: `approval:${name}:design`, type: "approval", version: name, gate: "design", by: "ada" },
  ...{ answer: "approve", ...more },
});
const runAndProposal = [
  version("run2", null, true),
  version("v0-lower-kl", "run2", false),
  claims("v0-lower-kl"),
];
const lineage = (...more: LedgerEntry[]) =>
  buildLineage(
    [...runAndProposal, ...more].map((e) => signed(e, engineKey(), "a".repeat(40))),
    "d",
  );
const taken = [version("v1", null, false), version("v2-lower-kl", "v1", false)];
const trained: LedgerEntry = {
  ...{ ...common, id: "job:v2", type: "job", version: "v2-lower-kl", job: "v2", state: "finished" },
  ...{ failure: null, message: "", seconds: 1 },
};

describe("a change that was approved on an imported run", () => {
  it("waits for an evolution that takes it over, once a person approved it", () => {
    assert.deepEqual(approvedOnRuns(lineage()), []);
    assert.deepEqual(approvedOnRuns(lineage(approves("v0-lower-kl", { answer: "reject" }))), []);
    assert.deepEqual(approvedOnRuns(lineage(approves("v0-lower-kl"))), [
      { version: "v0-lower-kl", run: "run2", spec },
    ]);
    // Once a version of the evolution with the same change was trained, it is taken over.
    const again = [approves("v0-lower-kl"), ...taken, claims("v2-lower-kl")];
    assert.equal(approvedOnRuns(lineage(...again)).length, 1);
    assert.deepEqual(approvedOnRuns(lineage(...again, trained)), []);
    // What nobody signed opens nothing.
    const unsigned = buildLineage([...runAndProposal, approves("v0-lower-kl")], "d");
    assert.deepEqual(approvedOnRuns(unsigned), []);
    // Nobody approved the edits that it was proposed with.
    const altered = approvedOnRuns(lineage(approves("v0-lower-kl", { commit: "b".repeat(40) })));
    assert.deepEqual(
      altered.map((one) => one.spec),
      [null],
    );
  });

  it("lets the same change pass the same gate by the same person, and no other change and no other gate", () => {
    const passes = (claimed: InterventionSpec, ...more: LedgerEntry[]) => {
      const whole = lineage(...more, ...taken, claims("v2-lower-kl", claimed));
      const found = whole.versions.find(({ name }) => name === "v2-lower-kl");
      assert.ok(found);
      return approvedAsOnRun(whole, found, "design");
    };
    assert.deepEqual(passes(spec, approves("v0-lower-kl")), { by: "ada", version: "v0-lower-kl" });
    assert.equal(passes(spec), null);
    assert.equal(passes(spec, approves("v0-lower-kl", { answer: "reject" })), null);
    assert.equal(passes(spec, approves("v0-lower-kl", { commit: "b".repeat(40) })), null);
    const larger = { ...spec, edit: [{ file: "run.sh", path: "kl", from: 0.001, to: 1 }] };
    assert.equal(passes(larger, approves("v0-lower-kl")), null);
    const easier = { ...spec, success: { ...spec.success, atLeast: -1 } };
    assert.equal(passes(easier, approves("v0-lower-kl")), null);
    const whole = lineage(approves("v0-lower-kl"), ...taken, claims("v2-lower-kl"));
    const found = whole.versions.find(({ name }) => name === "v2-lower-kl");
    assert.ok(found);
    assert.equal(approvedAsOnRun(whole, found, "backtest"), null);
  });
});
