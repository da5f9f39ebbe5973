// Installs what is missing: the packages of the clone; with --editor the editor, with --hosts the SSH server for the tests. Plain Node only.
import { pathToFileURL } from "node:url";
import { ensureHostTools } from "./lib/hostTools.mjs";
import { installModules } from "./lib/modules.mjs";

export const say = (line) => process.stderr.write(`set-up: ${line}\n`);

/** What every command needs before it can import a package. */
export async function setup() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    throw new Error(`Node 20.19 or newer is needed; this is ${process.versions.node}.`);
  await installModules(say);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  try {
    await setup();
    if (process.argv.includes("--hosts")) await ensureHostTools(say);
    if (process.argv.includes("--editor")) {
      const { ensureEditor } = await import("./lib/editorHost.mjs");
      const { host, chromium } = await ensureEditor(say);
      say(`editor in ${host}, Chromium at ${chromium}`);
    }
    say("done");
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
