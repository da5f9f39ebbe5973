import assert from "node:assert/strict";
import { tablesOfRollouts, tableStatements } from "./tables.ts";

describe("the tables of the archive", () => {
  it("are all on the list to clear with a rollout if they hold a part of it", () => {
    const byRid = tableStatements
      .filter((statement) => /\brid BIGINT/.test(statement))
      .map((statement) => /^CREATE TABLE (\w+)/.exec(statement)?.[1] ?? "")
      .filter((table) => table !== "rollouts");
    assert.deepEqual([...tablesOfRollouts].sort(), byRid.sort());
  });
});
