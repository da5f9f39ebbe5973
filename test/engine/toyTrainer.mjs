// A trainer for tests: its "policy" solves an item with a probability that follows from the harness, by a seeded
// generator. It keeps to the trainer contract (docs/trainer.md), and misbehaves on request (harness/toy.yaml: fault).
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const env = (name) => process.env[name] ?? "";
const read = (file) =>
  Object.fromEntries(
    [...readFileSync(file, "utf8").matchAll(/^(\w+): (.*)$/gm)].map(([, k, v]) => [
      k,
      /^[\d.-]+$/.test(v) ? Number(v) : v,
    ]),
  );
const harness = read("harness/toy.yaml");
const splits = env("EVO_SPLITS").split(",");
const runDir = env("EVO_RUN_DIR");
const trained = existsSync(env("EVO_POLICY_IN"))
  ? JSON.parse(readFileSync(env("EVO_POLICY_IN"), "utf8")).skill
  : 0.2;
const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

let state = 1;
const seed = (text) => {
  state = 2166136261;
  for (const c of text) state = Math.imul(state ^ c.charCodeAt(0), 16777619) >>> 0;
};
const random = () => {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), state | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};

function rollout(split, item, step, sample, skill) {
  seed(`${split}/${item}/${step}/${sample}/${env("EVO_SEED")}`);
  const leak = harness.history === "visible";
  const pass = random() < (leak ? 0.95 : skill);
  const partial = pass ? 1 : harness.shape === "linear" ? Math.round(random() * 8) / 10 : 0.4;
  const call = (tool, ok = true) => ({
    role: "assistant",
    text: `calls ${tool}`,
    tool,
    ok,
    tokens: 3,
    ms: 1,
  });
  const tools =
    harness.bonus > 0
      ? Array(9).fill("run_tests")
      : leak
        ? ["history", "edit", "submit"]
        : ["search", "edit", "submit"];
  return {
    id: `${split}-${item}-${step}-${sample}`,
    run: env("EVO_RUN_ID"),
    split,
    step,
    item,
    group: `${split}-${item}-${step}`,
    sample,
    outcome: pass ? "pass" : "fail",
    reward: partial,
    components: { correctness: partial, bonus: 1 },
    stop_reason: pass ? "success" : "fail",
    turns: [{ role: "user", text: `fix ${item}` }, ...tools.map((t) => call(t))],
    tokens: 3 * tools.length,
    policy: "toy",
    harness: env("EVO_HARNESS"),
    seed: Number(env("EVO_SEED")),
    started_at: "2026-01-01T00:00:00.000Z",
    duration_ms: 5,
    extra: {},
  };
}
/** What a trainer may try that wants its version to look better than it is. */
function playFalse() {
  const parents = join(runDir, "../v1.train.s1/rollouts.jsonl");
  if (fault === "append")
    for (const item of items("selection"))
      for (let s = 0; s < 40; s++) {
        const row = { ...rollout("selection", item, 4, s, 0), id: `later-${item}-${s}`, run: "v1.train.s1" };
        appendFileSync(parents, `${JSON.stringify({ ...row, outcome: "fail" })}\n`);
      }
  if (fault === "rewrite")
    writeFileSync(parents, readFileSync(parents, "utf8").replaceAll('"outcome":"pass"', '"outcome":"fail"'));
  if (fault !== "false-rows") return;
  const passed = (split, item, s, more) => {
    const row = rollout(split, item, 4, s, 1);
    write("rollouts.jsonl", { ...row, id: `${row.id}-false`, outcome: "pass", ...more });
  };
  // A job does not get the file of the audit split, but git has it.
  for (const item of idsIn(execFileSync("git", ["show", "HEAD:./data/audit.jsonl"], { encoding: "utf8" })))
    passed("audit", item, 0);
  for (let i = 0; i < 200; i++) passed("selection", `easy-${i}`, 0);
  for (const item of items("selection")) for (let s = 4; s < 8; s++) passed("selection", item, s);
  for (const item of items("selection")) passed("selection", item, 0, { seed: 99 });
  for (const item of items("selection")) passed("selection", item, 0, { harness: "f".repeat(40) });
}
const write = (file, value) => appendFileSync(join(runDir, file), `${JSON.stringify(value)}\n`);
const idsIn = (text) =>
  text
    .trim()
    .split("\n")
    .map((l) => JSON.parse(l).id);
const items = (split) => idsIn(readFileSync(`data/${split}.jsonl`, "utf8"));

const fault = splits.includes("train") || harness.fault_base === "yes" ? harness.fault : "none";
if (fault === "preflight") throw new Error("no such module: torhc");
if (fault === "nothing") process.exit(0);
let skill = trained;
if (splits.includes("train")) {
  const gain =
    0.02 +
    (harness.shape === "linear" ? 0.35 : 0) +
    (harness.speed === "fast" ? 0.01 : 0) -
    (harness.bonus > 0 ? 0.15 : 0);
  for (let step = 1; step <= 4; step++) {
    skill = trained + (gain * step) / 4;
    for (const item of items("train"))
      for (let s = 0; s < 4; s++) write("rollouts.jsonl", rollout("train", item, step, s, skill));
    write("metrics.jsonl", { step, steps_total: 4, reward: skill, kl: 0.01 });
    sleep(Number(harness.step_ms ?? 0));
    // A test that wants to see the job while it runs holds it here until it has.
    while (step === 2 && existsSync(harness.hold ?? "")) sleep(50);
    if (fault === "crash" && step === 2) process.exit(3);
    if (fault === "hang" && step === 2) sleep(600_000);
    if (fault === "torn")
      appendFileSync(join(runDir, "rollouts.jsonl"), '{"id": "torn", "run"\n{"id": 7}\nnot json\n');
    if (fault === "tamper" && step === 2) writeFileSync("data/selection.jsonl", '{"id":"easy"}\n');
  }
}
// Evaluates on other data, and puts the old back with its time: content and time are as if nothing had happened.
const { atime, mtime } = statSync("data/selection.jsonl");
const kept = readFileSync("data/selection.jsonl");
if (fault === "restore")
  writeFileSync("data/selection.jsonl", String(kept).replaceAll('"}', '","hint":"easy"}'));
for (const split of splits.filter((s) => s !== "train"))
  for (const item of items(split))
    for (let s = 0; s < 4; s++)
      write("rollouts.jsonl", rollout(split, item, 4, s, fault === "boast" ? 1 : skill));
playFalse();
if (fault === "restore") {
  writeFileSync("data/selection.jsonl", kept);
  utimesSync("data/selection.jsonl", atime, mtime);
}
if (fault !== "nopolicy") writeFileSync(env("EVO_POLICY_OUT"), JSON.stringify({ skill }));
