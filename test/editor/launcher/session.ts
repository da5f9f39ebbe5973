import type { ConsoleMessage } from "playwright-core";
import {
  installExtension,
  openWorkbench,
  startBrowser,
  startServer,
  vsix,
  type BrowserWindow,
  type EditorServer,
} from "./host.ts";
import { createProfile, type Profile } from "./profile.ts";
import { Workbench } from "./workbench.ts";

type Parts = {
  readonly profile: Profile;
  readonly server: EditorServer;
  readonly browser: BrowserWindow;
};

/** An editor that has the packaged extension, and a browser, for the tests of one file. */
export class EditorSession {
  readonly #parts: Parts;

  /** The session owns the `profile` that it gets. */
  static async start(
    options: {
      readonly profile?: Profile;
      readonly trusted?: boolean;
      readonly env?: Readonly<Record<string, string>>;
      /** More arguments of the editor's server. */
      readonly args?: readonly string[];
      /** What else is put into the profile once it has the extension. */
      readonly prepare?: (profile: Profile) => void;
    } = {},
  ): Promise<EditorSession> {
    const { profile = createProfile(), trusted = true, env = {}, args = [], prepare } = options;
    let server: EditorServer | undefined;
    try {
      installExtension(profile, vsix);
      prepare?.(profile);
      server = await startServer(profile, { trusted, env, args });
      return new EditorSession({ profile, server, browser: await startBrowser() });
    } catch (error) {
      await server?.stop();
      profile.remove();
      throw error;
    }
  }

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Opens a folder in a window; `refused` grows by each request to another machine. */
  async open(
    folder: string,
    onConsole?: (message: ConsoleMessage) => void,
  ): Promise<{ bench: Workbench; refused: readonly string[] }> {
    const { browser, server } = this.#parts;
    const opened = await openWorkbench(browser.context, server, folder, onConsole ? { onConsole } : {});
    await opened.go();
    const bench = new Workbench(opened.page);
    await bench.page.locator(".monaco-workbench").waitFor();
    return { bench, refused: opened.refused };
  }

  async stop(): Promise<void> {
    const { browser, server, profile } = this.#parts;
    await browser.close();
    await server.stop();
    profile.remove();
  }
}

/** Keeps a picture of the window after each failed test. Call it in a `describe`. */
export function keepFailures(window: () => Workbench | undefined): void {
  afterEach(async function () {
    if (this.currentTest?.state === "failed")
      await window()?.shot(`failed-${this.currentTest.fullTitle().replace(/\W+/g, "-")}`);
  });
}
