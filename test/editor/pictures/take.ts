import { writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Page } from "playwright-core";
import { patience } from "../../support/base/patience.ts";
import { classesOf, themeNames, themes, type Theme } from "../ui/themes.ts";
import { describePage, type Drawn } from "./describe.ts";
import { inkOf, isInPicture, partOf, type Part, type Picture } from "./golden.ts";
import { contrasts } from "./ink.ts";

/** Gives a page the colours of a theme, and the classes by which the editor names its kind. */
const setTheme = (page: Page, theme: Theme): Promise<void> =>
  page.evaluate(
    ({ css, all, classes }) => {
      for (const [name, value] of css) document.documentElement.style.setProperty(`--vscode-${name}`, value);
      document.body.classList.remove(...all);
      document.body.classList.add(...classes);
    },
    { css: Object.entries(themes[theme]), all: themeNames.flatMap(classesOf), classes: classesOf(theme) },
  );

/**
 * What a person sees of a page at a width in every theme. The page keeps the last of the themes.
 * @param within selects the elements to look at; all without it
 * @param bitmaps how the names of files with the screenshots begin, if they are to be kept
 */
export async function takePicture(
  page: Page,
  width: number,
  within?: string,
  bitmaps?: string,
): Promise<Picture> {
  await page.setViewportSize({ width, height: 900 });
  const session = await page.context().newCDPSession(page);
  await settled(page, within);
  const inks = new Map<string, { readonly part: Part; readonly letters: string[] }>();
  for (const [i, theme] of themeNames.entries()) {
    await setTheme(page, theme);
    const drawn = (await describePage(page.locator("html"), within)).filter(isInPicture);
    const { data } = await session.send("Page.captureScreenshot", { format: "png", optimizeForSpeed: true });
    if (bitmaps !== undefined) writeFileSync(`${bitmaps}-${theme}-${width}.png`, Buffer.from(data, "base64"));
    const boxes = drawn.map(({ box }) => box);
    const seen = await contrasts(page, data, boxes);
    const times = new Map<string, number>();
    for (const [k, one] of drawn.entries()) {
      const same = `${one.kind} ${one.text} ${one.box.join(" ")}`;
      const time = (times.get(same) ?? 0) + 1;
      times.set(same, time);
      const key = `${same} ${time}`;
      // What one theme draws and another does not is not seen in the other.
      const found = inks.get(key) ?? { part: partOf(one), letters: themeNames.map(() => ".") };
      found.letters[i] = inkOf(one, seen[k] ?? 1);
      inks.set(key, found);
    }
  }
  await session.detach();
  return {
    width,
    parts: [...inks.values()].map(({ part, letters }) => ({ ...part, ink: letters.join("") })),
  };
}

/** Waits until the page has drawn itself for its size. */
async function settled(page: Page, within: string | undefined): Promise<void> {
  let last = "";
  const deadline = Date.now() + 5000 * patience;
  while (Date.now() < deadline) {
    const now: readonly Drawn[] = await describePage(page.locator("html"), within);
    const said = JSON.stringify(now);
    if (said === last) return;
    last = said;
    await wait(50);
  }
}
