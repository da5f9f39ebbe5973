import assert from "node:assert/strict";
import { webviewHtml } from "./webviewHtml.ts";

describe("the page of a view", () => {
  const files = { scripts: ['https://x/a.js"><script>'], style: "https://x/a.css", cspSource: "https://x" };
  const html = webviewHtml("A <b>", files, "abc");

  it("allows only its own script, by nonce, and nothing inline", () => {
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
    assert.equal(
      policy,
      "default-src 'none'; script-src 'nonce-abc'; style-src https://x 'nonce-abc'; font-src https://x; img-src https://x data:",
    );
  });

  it("escapes what is inserted into it", () => {
    assert.ok(html.includes("<title>A &lt;b&gt;</title>"));
    assert.ok(html.includes('src="https://x/a.js&quot;&gt;&lt;script&gt;"'));
  });
});
