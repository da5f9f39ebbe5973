// Runs every benchmark from a fresh clone: set-up first, then one table, and JSON in bench/results/latest.json.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const run = (args) => {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
};

run([join(root, "scripts", "setup.mjs")]);
run([join(root, "scripts", "build.mjs"), "--production"]);
run(["--import", "tsx", join(root, "bench", "main.ts"), ...process.argv.slice(2)]);
