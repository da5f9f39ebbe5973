import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { FrameLocator, Page } from "playwright-core";
import { shots } from "./host.ts";

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
      .waitFor({ timeout: 60_000 });
  }

  async #quickInput(text: string, row: string): Promise<void> {
    await this.page.locator(".quick-input-widget .quick-input-box input").fill(text);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: row }).first().waitFor();
    await this.page.keyboard.press("Enter");
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  }

  async command(title: string): Promise<void> {
    await this.page.keyboard.press("F1");
    await this.#quickInput(`>${title}`, title);
  }

  /** Reloads as a person does, so that the workbench keeps what it has to keep. */
  async reloadWindow(): Promise<void> {
    const loaded = this.page.waitForEvent("domcontentloaded");
    await this.page.keyboard.press("F1");
    await this.page.locator(".quick-input-widget .quick-input-box input").fill(">Developer: Reload Window");
    await this.page
      .locator(".quick-input-list .monaco-list-row", { hasText: "Reload Window" })
      .first()
      .waitFor();
    await this.page.keyboard.press("Enter");
    await loaded;
    await this.page.locator(".monaco-workbench").waitFor();
  }

  async open(file: string): Promise<void> {
    await this.page.keyboard.press("Control+p");
    await this.#quickInput(file, file);
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
  const deadline = Date.now() + 20_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Waited 20 seconds for: ${what}`);
    await wait(50);
  }
}
