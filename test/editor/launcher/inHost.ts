import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { sampleWorkspace } from "./sampleWorkspace.ts";
import {
  installExtension,
  openWorkbench,
  shots,
  startBrowser,
  startServer,
  testDriver,
  vsix,
} from "./host.ts";
import { createProfile, gitWorkspace } from "./profile.ts";
import { patience } from "../../support/base/patience.ts";

/**
 * Tests run this as a program. Runs the suite of test/editor/suite inside the real extension host, with the packaged extension installed. The
 * verdict is the report that the suite writes: an extension host that crashes ends with exit code 0.
 */
async function main(suite: string, report: string): Promise<void> {
  const profile = createProfile();
  installExtension(profile, vsix);
  const workspace = gitWorkspace(
    join(profile.folder, "workspace"),
    // In a place where nothing activates the extension before the test does.
    process.env["EVOTRAINER_EMPTY_WORKSPACE"] === undefined ? sampleWorkspace : { "notes.txt": "" },
  );
  // The editor runs only the tests of an extension under development; this one does nothing else.
  const harness = join(profile.folder, "harness");
  mkdirSync(harness);
  const manifest = {
    name: "harness",
    publisher: "test",
    version: "0.0.1",
    engines: { vscode: "^1.100.0" },
    main: "./main.cjs",
  };
  writeFileSync(join(harness, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(harness, "main.cjs"), "exports.activate = () => {};\n");
  const server = await startServer(profile, {
    trusted: true,
    args: testDriver(),
    env: { EVOTRAINER_REPORT: report, NO_COLOR: "1" },
  });
  const browser = await startBrowser();
  const lines: string[] = [];
  try {
    const uri = (path: string) => `vscode-remote://${server.authority}${path}`;
    const { page, go } = await openWorkbench(browser.context, server, workspace, {
      payload: [
        ["extensionDevelopmentPath", uri(harness)],
        ["extensionTestsPath", uri(suite)],
        ["skipWelcome", "true"],
        ["enableProposedApi", ""],
      ],
      onConsole: (message) => lines.push(`${message.type()}: ${message.text()}`),
    });
    const exit = new Promise<number>((resolve, reject) => {
      void page.exposeFunction("codeAutomationLog", (type: string, args: unknown[]) => {
        const text = args.map(String).join(" ");
        lines.push(`${type}: ${text}`);
      });
      void page.exposeFunction("codeAutomationExit", (code: number) => resolve(code));
      page.on("crash", () => reject(new Error("The page crashed.")));
    });
    await go();
    const timeout = wait(150_000 * patience, undefined, { ref: false }).then(() => {
      throw new Error(`The suite in the extension host did not end within ${150 * patience} seconds.`);
    });
    const code = await Promise.race([exit, server.died, timeout]);
    await page.screenshot({ path: join(shots, "in-host.png") });
    if (code !== 0 || !existsSync(report)) throw new Error(`The extension host ended with ${code}.`);
  } catch (error) {
    process.stderr.write(`${lines.slice(-60).join("\n")}\n${String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await browser.close();
    await server.stop();
    profile.remove();
  }
}

const [suite = "", report = ""] = process.argv.slice(2);
await main(suite, report);
