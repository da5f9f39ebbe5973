// The suite of test/editor/suite and the walkthrough under the oldest editor that package.json supports, as a server:
//   npm run package && node test/editor/oldest.mjs
// npm test drives the newest. Both editors come from the npm registry, this one compiles some of its addons.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildHostSuite } from "../../scripts/lib/bundles.mjs";
import { ensureEditor } from "../../scripts/lib/editorHost.mjs";
import { must, root } from "../../scripts/lib/process.mjs";
import { vsixFile } from "../../scripts/lib/vsix.mjs";

const say = (line) => process.stdout.write(`${line}\n`);
const shots = join(root, "out/shots");
const report = join(root, "out/oldest-report.json");

try {
  if (!existsSync(vsixFile)) throw new Error("There is no dist/evotrainer.vsix: run npm run package first.");
  const { host, chromium } = await ensureEditor(say, "oldest");
  mkdirSync(shots, { recursive: true });
  rmSync(report, { force: true });
  const env = {
    ...{ EVOTRAINER_EDITOR_HOST: host, EVOTRAINER_CHROMIUM: chromium, EVOTRAINER_VSIX: vsixFile },
    ...{ EVOTRAINER_SHOTS: shots, EVOTRAINER_PATIENCE: process.env.EVOTRAINER_PATIENCE ?? "5" },
  };
  const launcher = join(root, "test/editor/launcher/inHost.ts");
  const suite = ["--import=tsx", launcher, await buildHostSuite(), report];
  await must("The suite in the extension host", process.execPath, suite, { env, limit: 900_000 });
  const tests = JSON.parse(readFileSync(report, "utf8"));
  if (tests.length === 0) throw new Error("No test ran.");
  const [, version = ""] = /with Code (\S+)/.exec(readFileSync(join(host, "installed"), "utf8")) ?? [];
  const passed = tests.filter(({ state }) => state === "passed").length;
  say(`${passed} passed in the extension host of VS Code ${version}`);
  const mocha = [join(root, "node_modules/mocha/bin/mocha.js"), "test/editor/ui/walkthrough.test.ts"];
  await must("The walkthrough", process.execPath, mocha, { env, limit: 900_000 });
  say(`the walkthrough ends in a running generation in VS Code ${version}`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
