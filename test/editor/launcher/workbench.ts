import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { errors, type FrameLocator, type Page } from "playwright-core";
import { shots } from "./host.ts";
import { patience } from "../../support/base/patience.ts";

/** What a person does in the workbench. The selectors belong to the pinned version of the editor. */
export class Workbench {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  async ready(file: string): Promise<void> {
    await this.page.locator(".monaco-workbench").waitFor();
    await this.page
      .locator(".explorer-folders-view .monaco-list-row", { hasText: file })
      .waitFor({ timeout: 60_000 * patience });
  }

  /**
   * Opens the palette with `key`, types, and waits for the row. The palette lists what was known when it
   * opened, and extensions register their commands some time after the workbench shows: an empty answer
   * is asked again.
   */
  async #find(key: string, text: string, row: string): Promise<void> {
    const input = this.page.locator(".quick-input-widget .quick-input-box input");
    // Enter takes the row that has the focus, and while the list is still being filtered that is another one.
    const found = this.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: row }).first();
    await until(`the palette to list ${row}`, () =>
      this.#orEscape(async () => {
        await this.page.keyboard.press(key);
        await input.fill(text, { timeout: 5000 });
        await found.waitFor({ timeout: 5000 });
      }),
    );
  }

  /** Whether the expected result came; otherwise the opened list is closed. */
  async #orEscape(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof errors.TimeoutError)) throw error;
      await this.page.keyboard.press("Escape");
      return false;
    }
  }

  async #pick(key: string, text: string, row: string): Promise<void> {
    await this.#find(key, text, row);
    await this.page.keyboard.press("Enter");
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  }

  async command(title: string): Promise<void> {
    await this.#pick("F1", `>${title}`, title);
  }

  /** Begins a command that asks a question. */
  async begin(title: string): Promise<void> {
    await this.#find("F1", `>${title}`, title);
    await this.page.keyboard.press("Enter");
  }

  /**
   * Runs a command that offers a list. A list that loses the focus closes, and a list made before the answer came does not
   * contain it: in both cases the command is run again.
   */
  async commandThatAsks(title: string, answer: string): Promise<void> {
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: answer }).first();
    await until(`${title} to offer ${answer}`, async () => {
      await this.begin(title);
      return this.#orEscape(() => row.click({ timeout: 5000 }));
    });
  }

  /** Reloads as a person does, so that the workbench keeps what it has to keep. */
  async reloadWindow(): Promise<void> {
    const loaded = this.page.waitForEvent("domcontentloaded");
    await this.#find("F1", ">Developer: Reload Window", "Reload Window");
    await this.page.keyboard.press("Enter");
    await loaded;
    await this.page.locator(".monaco-workbench").waitFor();
  }

  async open(file: string): Promise<void> {
    await this.#pick("Control+p", file, file);
    await this.page.locator(`.tab.active[data-resource-name="${file}"]`).waitFor();
  }

  /** The document of the one webview that is shown. */
  webview(): FrameLocator {
    return this.page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
  }

  status(item: string) {
    return this.page.locator(`[id="evotrainer.evotrainer.${item}"]`);
  }

  async shot(name: string): Promise<void> {
    await this.page.screenshot({ path: join(shots, `${name}.png`) });
  }
}

/** Asks again until the answer is yes. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 40_000 * patience;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Waited ${40 * patience} seconds for: ${what}`);
    await wait(50);
  }
}
