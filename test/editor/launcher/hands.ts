import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { until, type Workbench } from "./workbench.ts";

type Counts = { clicks: number; keys: number; wheels: number };
const none: Counts = { clicks: 0, keys: 0, wheels: 0 };

/**
 * Reports what comes from a mouse or a keyboard; what a script only pretends is not trusted, and not counted. A page that is
 * written into its frame anew loses its listeners and keeps its globals, so the same listener is added again and again.
 */
const report = `(() => {
  const kinds = { pointerdown: "clicks", keydown: "keys", wheel: "wheels" };
  globalThis.reportHands ??= (event) => { if (event.isTrusted) void globalThis.countHands(kinds[event.type]); };
  for (const type of Object.keys(kinds))
    addEventListener(type, globalThis.reportHands, { capture: true, passive: true });
})();`;

/**
 * A person's hands in a window: the browser itself counts every press of the mouse, every key and every turn of the wheel
 * in all of its frames, whichever way a test makes them.
 */
export class Hands {
  readonly #bench: Workbench;
  #counts = { ...none };
  #made = 0;

  private constructor(bench: Workbench) {
    this.#bench = bench;
  }

  static async of(bench: Workbench): Promise<Hands> {
    const hands = new Hands(bench);
    const { page } = bench;
    await page.exposeFunction("countHands", (kind: keyof Counts) => {
      hands.#counts[kind]++;
    });
    await page.addInitScript({ content: report });
    await hands.#watch();
    return hands;
  }

  /** In every frame that is there now; one that goes away meanwhile has nothing left to be clicked. */
  async #watch(): Promise<void> {
    await Promise.allSettled(this.#bench.page.frames().map((frame) => frame.evaluate(report)));
  }

  /** Begins to count anew in an editor as it opens: no file is shown, and the side bar has the files. */
  async openEditor(): Promise<void> {
    await this.#bench.command("View: Close All Editors");
    await this.#bench.command("View: Show Explorer");
    await this.#bench.page.mouse.move(0, 0);
    [this.#counts, this.#made] = [{ ...none }, 0];
  }

  /** Clicks what a person sees: nothing is scrolled, and what is out of sight or covered is refused. */
  async click(target: Locator): Promise<void> {
    await target.waitFor();
    const { page } = this.#bench;
    await until("what is clicked to lie open in the window", async () => {
      const box = await target.boundingBox();
      const size = page.viewportSize();
      if (box === null || size === null) return false;
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      if (x < 0 || y < 0 || x >= size.width || y >= size.height) return false;
      return isOnTop(target);
    });
    const box = await target.boundingBox();
    assert.ok(box);
    await this.#watch();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    this.#made++;
  }

  /** What was done since the editor opened, once the browser has told of every click. */
  async done(): Promise<Counts> {
    await until("the browser to tell of the clicks", () => this.#counts.clicks >= this.#made);
    return { ...this.#counts };
  }
}

/** Whether a click in the middle of an element reaches it, and it is inside its own frame. */
export const isOnTop = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const at = element.ownerDocument.elementFromPoint(left + width / 2, top + height / 2);
    return at !== null && (element.contains(at) || at.contains(element));
  });
