// Makes the pictures of the README and the pages: evolves the example as `npm start` does, opens it in the editor, and takes
// pictures at a width of 1400 px. A project that evolved before can be named: `node scripts/screenshots.mjs <folder>`.
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ensureEditor } from "./lib/editorHost.mjs";
import { root, run } from "./lib/process.mjs";
import { vsixFile } from "./lib/vsix.mjs";

const pictures = ["lineage", "version", "evidence", "trajectory", "gate", "review", "jobs"];
const say = (line) => process.stdout.write(`${line}\n`);

async function step(what, args, options = {}) {
  say(what);
  const { code, output } = await run(process.execPath, args, options);
  if (code === 0) return;
  process.stderr.write(`${output}\n${what}: failed (exit code ${code}).\n`);
  process.exit(1);
}

const named = process.argv[2];
const project = named === undefined ? join(root, "out/pictures/swe-gym") : resolve(named);
await step("packaging the extension", [join(root, "scripts/package.mjs")]);
if (named === undefined) {
  rmSync(project, { recursive: true, force: true });
  mkdirSync(dirname(project), { recursive: true });
  const cli = join(root, "dist/cli.cjs");
  await step("making the example", [cli, "init", project, "--template", "swe"]);
  await step("evolving it, which takes some minutes", [cli, "evolve", "--autonomy", "full", "--approve"], {
    cwd: project,
  });
}
const { host, chromium } = await ensureEditor(say).catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
const shots = join(root, "out/shots");
mkdirSync(shots, { recursive: true });
await step("taking the pictures", ["--import=tsx", join(root, "test/editor/pictures/readme.ts"), project], {
  env: {
    EVOTRAINER_EDITOR_HOST: host,
    EVOTRAINER_CHROMIUM: chromium,
    EVOTRAINER_VSIX: vsixFile,
    EVOTRAINER_SHOTS: shots,
  },
});
const to = join(root, "docs/images");
mkdirSync(to, { recursive: true });
for (const name of pictures) {
  const from = join(shots, `readme-${name}.png`);
  if (existsSync(from)) copyFileSync(from, join(to, `${name}.png`));
  else process.stderr.write(`${from} was not made\n`);
}
