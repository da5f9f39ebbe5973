import assert from "node:assert/strict";
import { HarnessError } from "../../base/errors.ts";
import { makeWorkspace } from "../../../../test/support/evidence/evidence.ts";

/** Hours of work. */
const endless = { sql: "SELECT sum(i % 7) AS n FROM range(1000000000000) t(i)", params: [] };

describe("a query with an abort signal", () => {
  // At once it is still being planned; once another one is answered, it runs.
  for (const when of ["at once", "while it runs"])
    it(`stops when the signal is aborted ${when}, and the archive can still be used`, async () => {
      const workspace = await makeWorkspace();
      const store = await workspace.open();
      const controller = new AbortController();
      const asked = store.query(endless, controller.signal);
      if (when !== "at once")
        await store.query({ sql: "SELECT sum(i) AS n FROM range(1000000) t(i)", params: [] });
      controller.abort();
      await assert.rejects(asked, (e) => HarnessError.is(e, "cancelled"));
      assert.deepEqual(await store.query({ sql: "SELECT 1 AS n", params: [] }), [{ n: 1 }]);
      await workspace.remove();
    });

  it("does not start when the signal was aborted before, and answers when it never is", async () => {
    const workspace = await makeWorkspace();
    const store = await workspace.open();
    await assert.rejects(store.query(endless, AbortSignal.abort()), (e) => HarnessError.is(e, "cancelled"));
    const { signal } = new AbortController();
    assert.deepEqual(await store.query({ sql: "SELECT 1 AS n", params: [] }, signal), [{ n: 1 }]);
    await workspace.remove();
  });
});
