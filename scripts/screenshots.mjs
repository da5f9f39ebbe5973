// Makes the pictures of the README: runs the tests in the editor, which look at every view in dark, light and high-contrast
// themes and keep what they saw in out/shots, and copies some of that. --copy: of the last run.
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root, run } from "./lib/process.mjs";

const pictures = {
  "lineage.png": "lineage-dark-details.png",
  "version.png": "version-light.png",
  "evidence.png": "evidence-dark.png",
  "trajectory.png": "rollout-dark.png",
  "review.png": "proposal-diff.png",
  "jobs.png": "jobs-running.png",
};

const { values } = parseArgs({ options: { copy: { type: "boolean", default: false } } });
if (!values.copy) {
  const { code, output } = await run(
    process.execPath,
    [join(root, "scripts/test.mjs"), "--only", "editor"],
    {},
  );
  process.stdout.write(output);
  if (code !== 0) process.exitCode = 1;
}
const to = join(root, "docs/images");
mkdirSync(to, { recursive: true });
for (const [name, shot] of Object.entries(pictures)) {
  const from = join(root, "out/shots", shot);
  if (existsSync(from)) copyFileSync(from, join(to, name));
  else {
    process.stderr.write(`${from} is missing; run the tests in the editor: node scripts/screenshots.mjs\n`);
    process.exitCode = 1;
  }
}
