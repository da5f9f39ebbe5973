import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { placeIn } from "./placeInLineage.ts";

const common = { at: "2026-01-01T00:00:00.000Z", domain: "toy" };
const version = (name: string, parent: string | null): LedgerEntry => ({
  ...common,
  id: `version:${name}`,
  type: "version",
  version: name,
  commit: "a".repeat(40),
  parent,
  generation: 0,
  factor: null,
  intervention: null,
  title: name,
});
const job = (name: string, id: string, failure: "crash" | null): LedgerEntry => ({
  ...common,
  id,
  type: "job",
  version: name,
  job: name,
  state: failure === null ? "finished" : "failed",
  failure,
  message: "",
  seconds: 1,
});

describe("placeIn", () => {
  const entries = [version("v0", null), version("v1", "v0"), job("v1", "a", "crash"), job("v0", "b", null)];
  it("follows the parents to the base version, and stops when they form a circle", () => {
    assert.deepEqual(placeIn([...entries, version("v2", "v1")], "v2").ancestors, ["v1", "v0"]);
    assert.deepEqual(placeIn([version("x", "y"), version("y", "x")], "x").ancestors, ["y"]);
  });
  it("finds the parent and the failure of the last job", () => {
    assert.deepEqual(placeIn(entries, "v1"), { parent: "v0", ancestors: ["v0"], jobFailure: "crash" });
    assert.deepEqual(placeIn([...entries, job("v1", "c", null)], "v1"), {
      parent: "v0",
      ancestors: ["v0"],
      jobFailure: null,
    });
  });
  it("returns nothing for a version that the ledger does not name", () =>
    assert.deepEqual(placeIn(entries, "v7"), { parent: null, ancestors: [], jobFailure: null }));
});
