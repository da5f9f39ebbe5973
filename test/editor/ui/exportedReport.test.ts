import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { z } from "zod";
import { reportPage } from "../../../server/src/engine/report/html/page.ts";
import { sampleReport } from "../../support/report/sampleReport.ts";
import { startBrowser } from "../launcher/host.ts";

const hostile = `<img src=x onerror="document.title='broken'"> a rather long text without end `;

describe("an exported report in a browser", () => {
  let browser: Browser;
  let folder = "";
  before(async () => {
    ({ browser } = await startBrowser());
    folder = mkdtempSync(join(tmpdir(), "evo-page-"));
    writeFileSync(join(folder, "report.html"), reportPage(sampleReport(hostile)));
  });
  after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const colorScheme of ["light", "dark"] as const)
    for (const width of [1200, 500])
      it(`is accessible, fits and loads nothing at ${width} pixels in ${colorScheme}`, async () => {
        // axe is a script, which the page itself forbids.
        const context = await browser.newContext({
          ...{ colorScheme, bypassCSP: true, viewport: { width, height: 900 } },
        });
        const page = await context.newPage();
        const asked: string[] = [];
        page.on("request", (request) => asked.push(request.url()));
        const address = pathToFileURL(join(folder, "report.html")).href;
        await page.goto(address);
        assert.deepEqual(asked, [address]);
        assert.match(await page.title(), /evolution report/);
        assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
        await page.evaluate(axe.source);
        const found = await page.evaluate(
          "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(' | ')}`))",
        );
        assert.deepEqual(z.array(z.string()).parse(found), []);
        await context.close();
      });

  it("keeps to its own policy: its style applies, and the browser has nothing to complain of", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    await page.goto(pathToFileURL(join(folder, "report.html")).href);
    assert.deepEqual(said, []);
    assert.notEqual(
      await page.evaluate("getComputedStyle(document.querySelector('article')).borderTopWidth"),
      "0px",
    );
    await context.close();
  });
});
