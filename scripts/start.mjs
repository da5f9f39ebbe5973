// `npm start [-- folder]`: sets up, builds, and evolves the embedded example in a project of its own.
import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { runStage } from "./lib/stage.mjs";

const root = resolve(import.meta.dirname, "..");
const [named, ...others] = process.argv.slice(2).filter((a) => !a.startsWith("--"));
const flags = process.argv.slice(2).filter((a) => a.startsWith("--"));
if (others.length > 0) fail(`One folder at most: npm start -- ${named}`);
const folder = resolve(named ?? join(root, "demo", "swe-gym"));
const cli = join(root, "dist", "cli.cjs");

function run(what, args, options = {}) {
  const ended = runStage(what, args, options);
  if (ended === null) return;
  process.stderr.write(ended.said);
  process.exit(ended.code);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
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
