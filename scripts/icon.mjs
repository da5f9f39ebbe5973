// Draws media/icon.png, the picture of a page of extensions, from media/evotrainer.svg: node scripts/icon.mjs
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { root } from "./lib/process.mjs";

const executablePath = process.env.EVOTRAINER_CHROMIUM ?? "/usr/bin/chromium-headless-shell";
const { galleryBanner, icon } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const drawing = readFileSync(join(root, "media/evotrainer.svg"), "utf8");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  const page = await browser.newPage({ viewport: { width: 256, height: 256 } });
  await page.setContent(
    `<style>body { margin: 0; color: #7fd1b9 } div { width: 256px; height: 256px; display: grid; place-items: center;
      border-radius: 48px; background: ${galleryBanner.color} } svg { width: 184px; height: 184px }</style><div>${drawing}</div>`,
  );
  await page.screenshot({ path: join(root, icon), omitBackground: true });
} finally {
  await browser.close();
}
