import assert from "node:assert/strict";
import { policySource } from "./policySource.ts";

describe("the policy that a job starts from when it is run again", () => {
  const named = (name: string, parent: string | null): { name: string; parent: string | null } => ({
    name,
    parent,
  });
  const [v0, v1, v2] = [named("v0", null), named("v1", "v0"), named("v2", "v1")];
  const versions = [v0, v1, v2];
  const of = (work: "train" | "selection" | "audit", version = v2, start: "base" | "parent" = "base") =>
    policySource(work, version, { versions, start })?.name;

  it("is the version's own where the job measures it, on either split", () => {
    assert.deepEqual([of("selection"), of("audit"), of("audit", v0)], ["v2", "v2", "v0"]);
  });

  it("is none for the measurement that makes the base policy", () => {
    assert.equal(of("selection", v0), undefined);
  });

  it("is the base policy or the parent's where the job trains", () => {
    assert.deepEqual([of("train"), of("train", v2, "parent"), of("train", v0)], ["v0", "v1", undefined]);
  });
});
