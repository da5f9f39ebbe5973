// Stands before a trainer of examples/: what was trained before, byte for byte the same request, is copied and not computed.
// It is copied into the projects of the experiment and is started there as their trainer. Tests run it as a program.
import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

const harnessFiles = ["main.reward", "train", "environment", "curriculum", "evaluation"].map(
  (name) => `harness/${name}.yaml`,
);
/** The names under which a training is computed; a delivered one has those that it was asked for under. */
const [anyRun, anyHarness] = ["run-of-any-name", "harness-of-any-name"];

const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");
const digestOf = (file) => (existsSync(file) ? digest(readFileSync(file)) : null);

/** Everything that a run reads, as one name: program, harness, items, seed, and the policy that it starts from. */
export function keyOf(env, root) {
  const splits = env.EVO_SPLITS ?? "";
  // Without a policy the base policy is made of the training items.
  const read = new Set([
    ...splits.split(",").map((split) => split.trim()),
    ...(env.EVO_POLICY_IN ? [] : ["train"]),
  ]);
  const files = [
    "trainer/trainer.mjs",
    ...harnessFiles,
    ...[...read].sort().map((split) => `data/${split}.jsonl`),
  ];
  return digest(
    JSON.stringify({
      files: files.map((file) => [file, digestOf(join(root, file))]),
      ...{ seed: env.EVO_SEED ?? "1", splits },
      policyIn: env.EVO_POLICY_IN ? digestOf(env.EVO_POLICY_IN) : null,
      leavesPolicy: Boolean(env.EVO_POLICY_OUT),
    }),
  );
}

/** Lines of evidence under the names of who asked for them. */
const namedFor = (text, { run, harness }) =>
  text
    .replaceAll(`"run":"${anyRun}"`, `"run":${JSON.stringify(run)}`)
    .replaceAll(`"policy":"${anyRun}/`, `"policy":"${JSON.stringify(run).slice(1, -1)}/`)
    .replaceAll(`"harness":"${anyHarness}"`, `"harness":${JSON.stringify(harness)}`);

function compute(env, root, entry) {
  const began = performance.now();
  const made = `${entry}.${process.pid}-${randomBytes(4).toString("hex")}`;
  mkdirSync(made, { recursive: true });
  const { status, stdout, stderr, signal } = spawnSync(process.execPath, ["trainer/trainer.mjs"], {
    ...{ cwd: root, encoding: "utf8", maxBuffer: 1 << 28 },
    env: {
      ...{ ...env, EVO_RUN_DIR: join(made, "run"), EVO_RUN_ID: anyRun, EVO_HARNESS: anyHarness },
      ...(env.EVO_POLICY_OUT ? { EVO_POLICY_OUT: join(made, "policy.bin") } : {}),
    },
  });
  if (status !== 0) {
    rmSync(made, { recursive: true, force: true });
    process.stdout.write(stdout ?? "");
    process.stderr.write(stderr ?? "");
    return { status: status ?? 1, signal };
  }
  for (const name of readdirSync(join(made, "run")))
    if (name.endsWith(".jsonl")) {
      const file = join(made, "run", name);
      writeFileSync(`${file}.gz`, gzipSync(readFileSync(file)));
      rmSync(file);
    }
  const seconds = (performance.now() - began) / 1000;
  writeFileSync(join(made, "made.json"), JSON.stringify({ seconds, stdout }));
  // Two that compute the same at once have made the same.
  if (existsSync(entry)) rmSync(made, { recursive: true, force: true });
  else renameSync(made, entry);
  return { status: 0, signal: null };
}

function deliver(env, entry) {
  const names = { run: env.EVO_RUN_ID ?? "run", harness: env.EVO_HARNESS ?? "" };
  mkdirSync(env.EVO_RUN_DIR, { recursive: true });
  const made = join(entry, "run");
  for (const name of readdirSync(made)) {
    if (name.endsWith(".gz"))
      writeFileSync(
        join(env.EVO_RUN_DIR, name.slice(0, -3)),
        namedFor(gunzipSync(readFileSync(join(made, name))).toString("utf8"), names),
        { flag: "a" },
      );
    else {
      mkdirSync(join(env.EVO_RUN_DIR, name), { recursive: true });
      for (const file of readdirSync(join(made, name)))
        copyFileSync(join(made, name, file), join(env.EVO_RUN_DIR, name, file));
    }
  }
  if (env.EVO_POLICY_OUT) copyFileSync(join(entry, "policy.bin"), env.EVO_POLICY_OUT);
  process.stdout.write(JSON.parse(readFileSync(join(entry, "made.json"), "utf8")).stdout);
}

function main(env, root) {
  const cache = env.EXPERIMENT_TRAININGS;
  if (!cache || !env.EVO_RUN_DIR) {
    process.stderr.write("EXPERIMENT_TRAININGS and EVO_RUN_DIR are not set; npm run experiment sets them.\n");
    return 1;
  }
  const key = keyOf(env, root);
  const entry = join(cache, key);
  const isKnown = existsSync(entry);
  if (!isKnown) {
    const { status, signal } = compute(env, root, entry);
    if (signal) process.kill(process.pid, signal);
    if (status !== 0) return status;
  }
  const line = {
    key,
    splits: env.EVO_SPLITS,
    seed: env.EVO_SEED,
    isKnown,
    project: env.EXPERIMENT_CELL ?? null,
  };
  writeFileSync(join(cache, "requests.jsonl"), `${JSON.stringify(line)}\n`, { flag: "a" });
  deliver(env, entry);
  return 0;
}

if (process.argv[1]?.endsWith("cached.mjs") || process.argv[1]?.endsWith("cachedTrainer.mjs"))
  process.exitCode = main(process.env, process.cwd());
