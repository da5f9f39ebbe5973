import assert from "node:assert/strict";
import { tablesOfRollouts, tableStatements } from "./tables.ts";

describe("tables of the archive", () => {
  it("are all named that hold something of a rollout, so that nothing of it stays when it goes", () => {
    const byRid = tableStatements
      .filter((statement) => /\brid BIGINT/.test(statement))
      .map((statement) => /^CREATE TABLE (\w+)/.exec(statement)?.[1] ?? "")
      .filter((table) => table !== "rollouts");
    assert.deepEqual([...tablesOfRollouts].sort(), byRid.sort());
  });
});
