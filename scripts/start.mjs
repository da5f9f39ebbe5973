// `npm start [-- folder]`: sets up, builds, and evolves the embedded example in a project of its own.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";

const interrupted = 130;
const root = resolve(import.meta.dirname, "..");
const [named, ...others] = process.argv.slice(2).filter((a) => !a.startsWith("--"));
const flags = process.argv.slice(2).filter((a) => a.startsWith("--"));
if (others.length > 0) fail(`One folder at most: npm start -- ${named}`);
const folder = resolve(named ?? join(root, "demo", "swe-gym"));
const cli = join(root, "dist", "cli.cjs");

function run(what, args, options = {}) {
  const { status, signal } = spawnSync(process.execPath, args, { stdio: "inherit", ...options });
  // Whoever interrupted it knows that, and it has said how to go on: that is no failure.
  if (signal !== null || status === interrupted) process.exit(interrupted);
  if (status !== 0) fail(`${what} failed (exit code ${status}).`, status);
}

function fail(message, status = 1) {
  process.stderr.write(`${message}\n`);
  process.exit(status);
}

run("Set-up", [join(root, "scripts", "setup.mjs")]);
run("Build", [join(root, "scripts", "build.mjs")]);

if (existsSync(join(folder, "evotrainer.yaml")))
  process.stdout.write(`Going on with the project in ${folder}\n`);
else run("Making the project", [cli, "init", folder, "--template", "swe"]);

// Started by hand, on this machine, within the budgets of evotrainer.yaml: the gates are approved in advance.
run("The evolution", [cli, "evolve", "--autonomy", "full", "--approve", ...flags], { cwd: folder });

const shown = relative(process.cwd(), folder) || ".";
process.stdout.write(`
Look further:
  cd ${shown}
  node ${relative(folder, cli)} lineage --json
  node ${relative(folder, cli)} diagnose
  node ${relative(folder, cli)} rollouts <version> --label <label>
  node ${relative(folder, cli)} rollouts show <run>/<id>
Another evolution: npm start -- <another folder>
`);
