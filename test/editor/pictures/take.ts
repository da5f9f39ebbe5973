import { writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Frame, Page } from "playwright-core";
import { themeNames, type Theme } from "../ui/themes.ts";
import { describePage, type Drawn } from "./describe.ts";
import { inkOf, isInPicture, isUnseen, partOf, type Part, type Picture } from "./golden.ts";
import { contrasts } from "./ink.ts";

/** How high a view is in its pictures. */
export const pictureHeight = 900;

/** Where a view is shown: in a page alone, or in the editor. */
export type Stage = {
  /** Of this the screenshots are made. */
  readonly page: Page;
  /** The view's document, and where it lies in a screenshot. */
  readonly look: () => Promise<{
    readonly frame: Frame;
    readonly at: { readonly x: number; readonly y: number };
  }>;
  /** Gives the document a width and a height in CSS pixels. */
  readonly setSize: (width: number, height: number) => Promise<void>;
  readonly setTheme: (theme: Theme) => Promise<void>;
};
/** How pictures of a view are taken. */
type Taking = {
  readonly widths: readonly number[];
  /** Selects the elements to look at; all without it. */
  readonly within?: string | undefined;
  /** How the names of files with the screenshots begin, if they are to be kept. */
  readonly bitmaps?: string | undefined;
  /** Called once the view is drawn in the first of the widths, for each theme. */
  readonly inTheme?: (frame: Frame, theme: Theme) => Promise<void>;
  /** Called once the view is drawn in a width, in the first theme. */
  readonly inWidth?: (frame: Frame, width: number) => Promise<void>;
};
type Inks = Map<string, { readonly part: Part; readonly letters: string[] }>;

/** What a person sees of a view in each width and every theme. The view keeps the last of them. */
export async function takePictures(
  stage: Stage,
  { widths, within, bitmaps, inTheme, inWidth }: Taking,
): Promise<Picture[]> {
  const { page } = stage;
  const session = await page.context().newCDPSession(page);
  const inks = widths.map((): Inks => new Map());
  for (const [i, theme] of themeNames.entries()) {
    await stage.setTheme(theme);
    for (const [k, width] of widths.entries()) {
      await stage.setSize(width, pictureHeight);
      const { frame, at } = await stage.look();
      await settled(frame);
      const drawn = (await describePage(frame, within)).filter(isInPicture);
      const boxes = drawn.map(
        ({ box: [x, y, w, h] }) => [Math.round(x + at.x), Math.round(y + at.y), w, h] as const,
      );
      const { data, seen } = await captured(async () => {
        const { data: png } = await session.send("Page.captureScreenshot", {
          format: "png",
          optimizeForSpeed: true,
        });
        return { data: png, seen: await contrasts(page, png, boxes) };
      });
      if (bitmaps !== undefined)
        writeFileSync(`${bitmaps}-${theme}-${width}.png`, Buffer.from(data, "base64"));
      const ofWidth: Inks = inks[k] ?? new Map();
      for (const [n, [key, one]] of numbered(drawn).entries()) {
        const before = ofWidth.get(key);
        // What one theme draws and another does not, or elsewhere, is not seen there in the other.
        const found =
          before !== undefined && isNear(before.part.box, one.box)
            ? before
            : { part: partOf(one), letters: themeNames.map(() => ".") };
        found.letters[i] = inkOf(one, seen[n] ?? 1);
        ofWidth.set(found === before || before === undefined ? key : `${key} ${theme}`, found);
      }
      if (k === 0) await inTheme?.(frame, theme);
      if (i === 0) await inWidth?.(frame, width);
    }
  }
  await session.detach();
  const pictures = widths.map((width, k) => ({
    width,
    parts: [...(inks[k]?.values() ?? [])].map(({ part, letters }) => ({ ...part, ink: letters.join("") })),
  }));
  return pictures.sort((a, b) => a.width - b.width);
}

type Captured = { readonly data: string; readonly seen: readonly number[] };

/**
 * A screenshot with the contrast of each box. The window draws the frame of a view after the view has drawn itself: until then
 * nothing of it is seen, and it is asked again, for five seconds.
 */
async function captured(capture: () => Promise<Captured>): Promise<Captured> {
  const deadline = performance.now() + 5000;
  let found = await capture();
  while (found.seen.length > 0 && found.seen.every(isUnseen) && performance.now() < deadline) {
    await wait(50);
    found = await capture();
  }
  return found;
}
/** Each with what it is, what it says, and how many of the same came before it. */
function numbered(drawn: readonly Drawn[]): (readonly [string, Drawn])[] {
  const times = new Map<string, number>();
  return drawn.map((one) => {
    const same = `${one.kind} ${one.text}`;
    const time = (times.get(same) ?? 0) + 1;
    times.set(same, time);
    return [`${same} ${time}`, one] as const;
  });
}

/** Lines around boxes, which some themes draw, move what lies below them a little. */
const isNear = (a: Drawn["box"], b: Drawn["box"]): boolean =>
  a.every((length, i) => Math.abs(length - (b[i] ?? 0)) <= 12);

/** Waits until the document has drawn itself for its size: until nothing of it changes for three frames. */
export const settled = (frame: Frame): Promise<void> =>
  frame.evaluate(async () => {
    const deadline = performance.now() + 5000;
    let last = "";
    for (let same = 0; same < 3 && performance.now() < deadline;) {
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      const now = `${document.body.innerHTML} ${document.body.scrollHeight}`;
      same = now === last ? same + 1 : 0;
      last = now;
    }
  });
