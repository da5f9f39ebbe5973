/**
 * Makes the finished example that `evotrainer init --finished` lays out: evolves the example, proposes one more change, and packs
 * what came of it. `npm run example` does all of it; `npm run example -- <folder>` goes on with the project in a folder.
 */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { z } from "zod";
import { projectMark, type FinishedProject } from "../server/src/commands/project/finishedExample.ts";

const root = resolve(import.meta.dirname, "..");
const cli = join(root, "dist/cli.cjs");
const packed = join(root, "examples/swe-gym/swe-gym.finished");
/** What it may weigh: it is in every package. */
const mostBytes = 2_000_000;

/** The commits of the example are nobody's. */
const nobody = { name: "EvoTrainer example", email: "example@example.invalid" };
/** Who lays the example out trusts the key that signed it: it is of this one evolution, and gone when that is packed. */
const keys = join(root, "out/finished/keys");
const env = {
  ...process.env,
  ...{ GIT_AUTHOR_NAME: nobody.name, GIT_AUTHOR_EMAIL: nobody.email },
  ...{ GIT_COMMITTER_NAME: nobody.name, GIT_COMMITTER_EMAIL: nobody.email },
  EVOTRAINER_KEYS: process.env["EVOTRAINER_KEYS"] ?? keys,
};

const evotrainer = (cwd: string, ...args: string[]): void => {
  execFileSync(process.execPath, [cli, ...args], { cwd, env, stdio: "inherit" });
};
const git = (cwd: string, ...args: string[]): Buffer =>
  execFileSync("git", args, { cwd, env, maxBuffer: 1e9 });

/** The example as anybody evolves it, but that the trainer writes fewer of the rollouts of training: it learns the same. */
function evolve(project: string): void {
  if (!existsSync(join(project, "evotrainer.yaml"))) {
    mkdirSync(dirname(project), { recursive: true });
    evotrainer(root, "init", project, "--template", "swe");
    git(project, "config", "user.name", nobody.name);
    git(project, "config", "user.email", nobody.email);
    const file = join(project, "harness/train.yaml");
    const text = readFileSync(file, "utf8");
    const fewer = text.replace(/^( {2}every:) \d+/m, "$1 40");
    if (fewer === text) throw new Error(`${file} has no evidence.every that could be set to 40.`);
    writeFileSync(file, fewer);
    git(project, "commit", "--quiet", "--all", "--message", "Write fewer of the rollouts of training");
  }
  evotrainer(project, "evolve", "--autonomy", "full", "--approve");
  // One change waits for an answer, so that there is something to review.
  const waiting = execFileSync(process.execPath, [cli, "review"], { cwd: project, env, encoding: "utf8" });
  if (waiting.startsWith("Nothing waits")) evotrainer(project, "propose");
}

const textFiles = ["rollouts.jsonl", "metrics.jsonl", "host.json", "exit"];
/** Of this machine, and nothing that a job that is over needs. */
const ofMachine = ["confinement.json", "watch.json"];

function pack(project: string): FinishedProject {
  const engineFolder = join(project, ".evotrainer");
  const texts: Record<string, string> = {};
  const keep = (path: string, text = readFileSync(join(engineFolder, path), "utf8")): void => {
    texts[path] = text.replaceAll(realpathSync(project), projectMark).replaceAll(project, projectMark);
  };
  for (const name of ["archive.sources.jsonl", "evolution.jsonl", "gates.json", "loop.json"]) keep(name);
  for (const entry of readdirSync(join(engineFolder, "records"), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(engineFolder.length + 1);
    if (entry.isFile() && !ofMachine.includes(entry.name)) keep(path);
  }
  const binaries: Record<string, string> = {};
  for (const run of readdirSync(join(engineFolder, "runs")).sort()) {
    for (const name of textFiles) {
      const path = join("runs", run, name);
      if (existsSync(join(engineFolder, path))) keep(path);
    }
    const job = readFileSync(join(engineFolder, "runs", run, "job"), "utf8");
    // What the job was, without the commands that this machine ran.
    const head = job.slice(0, job.indexOf("#end\n") + "#end\n".length);
    keep(join("runs", run, "job"), head.replace(/^#cwd .*\n/m, ""));
    // The policy that every training starts from; the others are measured.
    const policy = join("runs", run, "policy");
    if (run.startsWith("v0.")) binaries[policy] = readFileSync(join(engineFolder, policy)).toString("base64");
  }
  const bundle = git(project, "bundle", "create", "-", "--all").toString("base64");
  const signed = execFileSync(process.execPath, [cli, "--json", "trust"], {
    cwd: project,
    env,
    encoding: "utf8",
  });
  const { key } = z.object({ key: z.string() }).parse(JSON.parse(signed));
  return { key, bundle, texts, binaries };
}

/** @throws Error when something names a place or a person of this machine */
function assertOfNoMachine({ texts }: FinishedProject, project: string): void {
  const own = [homedir(), tmpdir(), dirname(project), root].filter((path) => path.length > 1);
  for (const [path, text] of Object.entries(texts))
    for (const word of own)
      if (text.includes(`${word}/`)) throw new Error(`${path} names ${word}, which is of this machine.`);
  const authors = git(project, "log", "--all", "--format=%an <%ae>%n%cn <%ce>").toString().trim().split("\n");
  const others = [...new Set(authors)].filter((author) => author !== `${nobody.name} <${nobody.email}>`);
  if (others.length > 0) throw new Error(`Commits of ${project} are by ${others.join(", ")}.`);
}

const [, , named] = process.argv;
const project = resolve(named ?? join(root, "out/finished/swe-gym"));
if (named === undefined) rmSync(project, { recursive: true, force: true });
evolve(project);
const finished = pack(project);
assertOfNoMachine(finished, project);
const text = Buffer.from(JSON.stringify(finished));
const bytes = brotliCompressSync(text, {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 9,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  },
});
if (bytes.length > mostBytes)
  throw new Error(`The finished example weighs ${bytes.length} bytes, more than ${mostBytes}.`);
writeFileSync(packed, bytes);
process.stdout.write(
  `${packed}: ${(bytes.length / 1e6).toFixed(2)} MB of ${(text.length / 1e6).toFixed(0)} MB\n`,
);
