import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import * as z from "zod";
import { keyOf } from "./cachedTrainer.mjs";
import { withValues } from "./harness.ts";
import { root } from "./paths.ts";

const folder = mkdtempSync(join(tmpdir(), "evo-cached-"));
const checkout = join(folder, "checkout");
const cache = join(folder, "trainings");
after(() => rmSync(folder, { recursive: true, force: true }));

/** A checkout of math-gym whose training takes a moment: the real trainer with one step on few items. */
before(() => {
  const template = join(root, "examples/math-gym/template");
  for (const part of ["data", "harness"])
    cpSync(join(template, part), join(checkout, part), { recursive: true });
  mkdirSync(join(checkout, "trainer"));
  mkdirSync(cache);
  buildSync({
    entryPoints: [join(root, "examples/math-gym/trainer/src/main.ts")],
    outfile: join(checkout, "trainer/trainer.mjs"),
    ...{ bundle: true, platform: "node", format: "esm", logLevel: "error" },
  });
  edit("harness/train.yaml", {
    steps: 1,
    prompts: 2,
    group: 2,
    "warmup.demonstrations": 8,
    "evidence.every": 1,
    "evidence.checkpointEvery": 1,
  });
  for (const split of ["train", "selection"]) {
    const file = join(checkout, `data/${split}.jsonl`);
    writeFileSync(file, `${readFileSync(file, "utf8").split("\n").slice(0, 4).join("\n")}\n`);
  }
});

function edit(file: string, values: Readonly<Record<string, unknown>>): void {
  const path = join(checkout, file);
  writeFileSync(path, withValues(readFileSync(path, "utf8"), values));
}

/** What a run leaves: evidence without its times, the policy, what it printed. */
function train(program: string, run: string): { evidence: string; policy: string; said: string } {
  const out = join(folder, run);
  const { status, stderr, stdout } = spawnSync(process.execPath, [program], {
    ...{ cwd: checkout, encoding: "utf8" },
    env: {
      ...process.env,
      ...{ EVO_RUN_DIR: out, EVO_RUN_ID: run, EVO_HARNESS: `commit-of-${run}`, EVO_SEED: "7" },
      ...{
        EVO_SPLITS: "train,selection",
        EVO_POLICY_OUT: join(folder, `${run}.bin`),
        EXPERIMENT_TRAININGS: cache,
      },
    },
  });
  assert.equal(status, 0, stderr);
  const read = (name: string): string => readFileSync(join(out, name), "utf8");
  return {
    evidence: `${read("rollouts.jsonl")}${read("metrics.jsonl")}`
      .replaceAll(run, "RUN")
      .replace(/"(started_at|duration_ms|step_ms|[a-z_]*_ms)":("[^"]*"|[0-9.e+-]+)/g, '"$1":0'),
    policy: `${readFileSync(join(folder, `${run}.bin`), "base64")} ${readFileSync(join(out, "checkpoints/step-1.bin"), "base64")}`,
    said: stdout,
  };
}

const Request = z.object({ key: z.string(), isKnown: z.boolean() });
const requests = (): z.infer<typeof Request>[] =>
  readFileSync(join(cache, "requests.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => Request.parse(JSON.parse(line)));

describe("a training that was computed before", () => {
  const cached = join(root, "scripts/experiment/cachedTrainer.mjs");

  it("leaves the same bytes as one that is computed, apart from names and times", function () {
    this.timeout(60_000);
    const plain = train("trainer/trainer.mjs", "plain");
    const [first, second] = [train(cached, "first"), train(cached, "second")];
    assert.deepEqual(
      requests().map(({ isKnown }) => isKnown),
      [false, true],
    );
    assert.ok(plain.evidence.includes('"run":"RUN"') && plain.evidence.includes('"harness":"commit-of-RUN"'));
    assert.ok(
      first.evidence === plain.evidence && second.evidence === plain.evidence,
      "the evidence differs",
    );
    assert.ok(first.policy === plain.policy && second.policy === plain.policy, "the policy differs");
    assert.deepEqual([first.said, second.said], [plain.said, plain.said]);
  });

  it("is known by everything that it reads, and by nothing else", () => {
    const env = { EVO_SEED: "7", EVO_SPLITS: "train,selection" };
    const key = keyOf(env, checkout);
    assert.equal(key, keyOf({ ...env, EVO_RUN_ID: "other", EVO_HARNESS: "other" }, checkout));
    const changes: readonly NodeJS.ProcessEnv[] = [
      { ...env, EVO_SEED: "8" },
      { ...env, EVO_SPLITS: "selection" },
      { ...env, EVO_POLICY_OUT: "policy.bin" },
      { ...env, EVO_POLICY_IN: join(checkout, "trainer/trainer.mjs") },
    ];
    for (const changed of changes) assert.notEqual(keyOf(changed, checkout), key, JSON.stringify(changed));
    edit("data/../harness/environment.yaml", { turnLimit: 17 });
    assert.notEqual(keyOf(env, checkout), key, "the harness is read");
    edit("harness/environment.yaml", { turnLimit: 16 });
    assert.equal(keyOf(env, checkout), key);
    writeFileSync(join(checkout, "data/audit.jsonl"), "");
    assert.equal(keyOf(env, checkout), key, "a split that is not asked for is not read");
    writeFileSync(join(checkout, "data/selection.jsonl"), "{}\n");
    assert.notEqual(keyOf(env, checkout), key, "the items are read");
  });
});
