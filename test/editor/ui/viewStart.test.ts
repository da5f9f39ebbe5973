import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ViewHost } from "./viewHost.ts";

const sources = new URL("../../../webview/src/", import.meta.url).pathname;
const views = readdirSync(sources).filter((folder) => existsSync(join(sources, folder, "main.ts")));

describe("the start of a view", () => {
  for (const view of views)
    it(`announces once that the ${view} view is ready, ignores foreign messages, and shows a failure`, async () => {
      const host = await ViewHost.start(view);
      try {
        await host.load({ kept: { version: 999 }, answer: () => [] });
        const types = host.sent.map((message) =>
          typeof message === "object" && message !== null && "type" in message ? message.type : message,
        );
        assert.equal(types.filter((type) => type === "ready").length, 1);
        await host.post({ protocol: 999, type: "state" });
        await host.post("nothing of ours");
        assert.equal(await host.page.locator(".fault").count(), 0);
        assert.deepEqual(host.complaints, []);
        await host.page.evaluate("setTimeout(() => { throw new Error('planted') })");
        await host.page.locator(".fault", { hasText: "failed" }).waitFor();
      } finally {
        await host.stop();
      }
    });
});
