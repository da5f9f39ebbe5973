// The suite of test/editor/suite under the desktop editor, for machines that can download it:
//   npm run package && node test/editor/electron.mjs
// npm test does not run this: it drives the editor's server instead, which comes from the npm registry.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  downloadAndUnzipVSCode,
  resolveCliArgsFromVSCodeExecutablePath,
  runTests,
} from "@vscode/test-electron";
import { buildHostSuite } from "../../scripts/lib/bundles.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const vsix = join(root, "dist/evotrainer.vsix");
const folder = mkdtempSync(join(tmpdir(), "evotrainer-electron-"));
const report = join(folder, "report.json");
try {
  if (!existsSync(vsix)) throw new Error("There is no dist/evotrainer.vsix: run npm run package first.");
  const suite = await buildHostSuite();
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  const { tsImport } = await import("tsx/esm/api");
  const { sampleWorkspace } = await tsImport("./launcher/sampleWorkspace.ts", import.meta.url);
  for (const [file, text] of Object.entries(sampleWorkspace)) {
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    writeFileSync(join(workspace, file), text);
  }
  const harness = join(folder, "harness");
  mkdirSync(harness);
  writeFileSync(
    join(harness, "package.json"),
    JSON.stringify({ name: "harness", publisher: "test", version: "0.0.1", engines: { vscode: "^1.100.0" } }),
  );
  const vscodeExecutablePath = await downloadAndUnzipVSCode(process.env.EVOTRAINER_VSCODE ?? "stable");
  const [cli, ...cliArguments] = resolveCliArgsFromVSCodeExecutablePath(vscodeExecutablePath);
  const profile = ["--user-data-dir", join(folder, "user"), "--extensions-dir", join(folder, "extensions")];
  execFileSync(cli, [...cliArguments, ...profile, "--install-extension", vsix], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  await runTests({
    vscodeExecutablePath,
    extensionDevelopmentPath: harness,
    extensionTestsPath: suite,
    extensionTestsEnv: { EVOTRAINER_REPORT: report },
    launchArgs: [workspace, ...profile, "--disable-workspace-trust"],
  });
  const tests = JSON.parse(readFileSync(report, "utf8"));
  if (tests.length === 0) throw new Error("No test ran.");
  cpSync(report, join(root, "out/electron-report.json"));
  process.stdout.write(
    `${tests.filter((test) => test.state === "passed").length} passed in the desktop editor\n`,
  );
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
