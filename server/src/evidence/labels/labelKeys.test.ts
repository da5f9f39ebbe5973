import assert from "node:assert/strict";
import { labelKeys } from "./labelKeys.ts";
import { makeWorkspace } from "../../../../test/support/evidence/evidence.ts";

describe("numbers of labels", () => {
  it("belong to a label and its revision; a replacement covers all revisions of the label", async () => {
    const workspace = await makeWorkspace();
    const store = await workspace.open();
    const [loops, edited, other] = [
      { label: "loops", revision: "1" },
      { label: "loops", revision: "2" },
      { label: "other", revision: "1" },
    ];
    const first = await store.write((connection) => labelKeys(store, connection, [loops, other]));
    const second = await store.write((connection) => labelKeys(store, connection, [edited]));
    assert.equal(new Set([first.of(loops), first.of(other), second.of(edited)]).size, 3);
    assert.deepEqual(second.all, [first.of(loops), second.of(edited)]);
    const again = await store.write((connection) => labelKeys(store, connection, [loops, edited, other]));
    assert.deepEqual([loops, edited, other].map(again.of), [
      first.of(loops),
      second.of(edited),
      first.of(other),
    ]);
    assert.throws(() => first.of(edited), /loops was not asked for/);
    await workspace.remove();
  });

  it("are dropped when the write that made them is rolled back", async () => {
    const workspace = await makeWorkspace();
    const store = await workspace.open();
    const [kept, lost, later] = ["kept", "lost", "later"].map((label) => ({ label, revision: "1" }));
    assert.ok(kept && lost && later);
    await store.write((connection) => labelKeys(store, connection, [kept]));
    await store.write((connection) => labelKeys(store, connection, [kept]));
    const failing = store.write(async (connection) => {
      await labelKeys(store, connection, [lost]);
      throw new Error("taken back");
    });
    await assert.rejects(failing, /taken back/);
    const numbers = await store.write((connection) => labelKeys(store, connection, [later, lost, kept]));
    const rows = await store.query({
      sql: "SELECT label, key FROM label_keys ORDER BY label",
      params: [],
    });
    assert.deepEqual(
      rows.map(({ label, key }) => [label, key]),
      [kept, later, lost].map((one) => [one.label, numbers.of(one)]),
    );
    await workspace.remove();
  });
});
