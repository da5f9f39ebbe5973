import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { fuzzRuns } from "../../../../test/support/base/fuzz.ts";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { globalFunctions, methods } from "../../expression/functions.ts";
import { messageFunctions } from "./messageFunctions.ts";
import { isRollout } from "../contract/check.ts";
import { mappedFile, type MappedRecord, type MappedResult } from "./mappedRecord.ts";
import { isMappedFile, readMapping, recordsOf, type Mapping } from "./readMapping.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const examples = join(root, "examples", "mappings");

function mappingOf(name: string): Mapping {
  const read = readMapping(readFileSync(join(examples, name), "utf8"));
  assert.ok(read.ok, read.ok ? "" : `${name}: ${read.problems.join(" ")}`);
  return read.mapping;
}

const shipped = readdirSync(examples).filter((name) => name.endsWith(".evidence.yaml"));

/** The mapped records of a set of real JSON files. */
function mappedSet(
  context: Mocha.Context,
  mapping: Mapping,
  set: string,
  folders: readonly string[],
): MappedResult[] {
  const folder = resolve(process.env["EVOTRAINER_FIXTURES"] ?? join(root, "../shared/fixtures"), set);
  if (!existsSync(folder))
    return skipBecause(context, `the real files ${set} are not here; set EVOTRAINER_FIXTURES`);
  return folders.flatMap((inner) =>
    readdirSync(join(folder, inner))
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => {
        const document: unknown = JSON.parse(readFileSync(join(folder, inner, name), "utf8"));
        const records = recordsOf(mapping.spec, document);
        assert.ok(records, name);
        return records.map((record, i) => mapping.map(record, mappedFile(join(inner, name)), i + 1));
      }),
  );
}

function recordsIn(results: readonly MappedResult[]): MappedRecord[] {
  return results.map((result) => {
    assert.ok(result.ok, JSON.stringify(result));
    assert.deepEqual(result.problems, []);
    return result.record;
  });
}

/** A mapped record with what an import fills in. */
const completed = (record: MappedRecord): unknown => ({
  id: record.id ?? "a:1",
  run: "r",
  split: record.split ?? "train",
  step: record.step ?? 0,
  item: record.item ?? "p",
  group: record.group ?? "g",
  sample: record.sample ?? 0,
  outcome: record.outcome,
  ...(record.unknown_reason !== null && { unknown_reason: record.unknown_reason }),
  reward: record.reward,
  components: record.components ?? {},
  stop_reason: record.stop_reason ?? "end",
  turns: record.turns,
  tokens: record.tokens ?? 0,
  ...(record.logprob_mean !== null && { logprob_mean: record.logprob_mean }),
  policy: record.policy ?? "",
  harness: record.harness ?? "",
  seed: record.seed ?? 0,
  started_at: record.started_at ?? "",
  duration_ms: record.duration_ms ?? 0,
  extra: record.extra,
});

const tally = (values: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

const promptAndCompletion = {
  prompt: "2+2?",
  prompt_id: 17,
  sample: 3,
  completion: "<answer>4</answer>",
  correct: true,
  score: 1.1,
  truncated: false,
  n_tokens: 9,
  started: "2026-01-31T09:00:00Z",
  finished: "2026-01-31T09:00:01.500Z",
};

describe("the shipped mappings", () => {
  it("read Tinker's rollouts: a sandbox failure is unknown, the private tests decide the rest", function () {
    const mapping = mappingOf("tinker-reward-hack.evidence.yaml");
    const set = mappedSet(this, mapping, "rl_tinker_rewardhack_rollouts", [""]);
    const records = recordsIn(set);
    assert.equal(records.length, 40);
    assert.deepEqual(tally(records.map((r) => `${r.outcome} ${r.unknown_reason ?? ""}`)), {
      "unknown docker_error": 39,
      "pass ": 1,
    });
    assert.ok(records.every((r) => r.prompt !== null && r.prompt.includes("=== PROBLEM ===")));
    assert.equal(records.flatMap((r) => r.turns.filter((turn) => turn.tool !== undefined)).length, 43);
    const solved = records.find((r) => r.outcome === "pass");
    assert.deepEqual([solved?.reward, solved?.components], [1, { public_tests: 1, private_tests: 1 }]);
    for (const record of records) assert.ok(isRollout(completed(record)));
    assert.ok(isMappedFile(mapping.spec, "rollouts_0208T08_48-26918014128.json"));
  });

  it("read Who&When: both generations are failures with a named mistake", function () {
    const set = mappedSet(this, mappingOf("who-and-when.evidence.yaml"), "labelled_who_and_when", [
      "Algorithm-Generated",
      "Hand-Crafted",
    ]);
    const records = recordsIn(set);
    assert.equal(records.length, 40);
    assert.deepEqual(tally(records.map((r) => r.outcome)), { fail: 40 });
    assert.equal(new Set(records.map((r) => r.id)).size, 40);
    assert.deepEqual(tally(records.flatMap((r) => r.turns.map((turn) => turn.role))), {
      assistant: 837,
      tool: 77,
      user: 12,
    });
    for (const { turns, extra } of records) {
      const step = extra["mistake_step"];
      assert.ok(typeof step === "number" && step < turns.length);
    }
    assert.equal(records.filter((r) => "level" in r.extra).length, 31);
    for (const record of records) assert.ok(isRollout(completed(record)));
  });

  it("read prompts and completions", () => {
    const { map } = mappingOf("prompt-completion.evidence.yaml");
    const result = map(promptAndCompletion, mappedFile("dump/samples_step_40.jsonl"), 1);
    assert.ok(result.ok);
    const { prompt, turns, extra, ...rest } = result.record;
    assert.deepEqual([prompt, turns.length, extra], ["2+2?", 2, {}]);
    assert.deepEqual(rest, {
      id: null,
      item: null,
      outcome: "pass",
      unknown_reason: null,
      group: "40/17",
      sample: 3,
      step: 40,
      split: null,
      reward: 1.1,
      components: { correct: 1, format: 1 },
      stop_reason: "stop",
      tokens: 9,
      logprob_mean: null,
      policy: "step-40",
      harness: null,
      seed: null,
      started_at: "2026-01-31T09:00:00Z",
      duration_ms: 1500,
    });
    assert.deepEqual(result.problems, []);
    const broken = map(
      { ...promptAndCompletion, error: "checker timed out" },
      mappedFile("samples_step_40.jsonl"),
      2,
    );
    assert.ok(broken.ok);
    assert.deepEqual([broken.record.outcome, broken.record.unknown_reason], ["unknown", "checker timed out"]);
  });
});

describe("docs/mapping.md", () => {
  const page = readFileSync(join(root, "docs", "mapping.md"), "utf8");
  it("shows each shipped mapping as it is", () => {
    for (const name of shipped) assert.ok(page.includes(readFileSync(join(examples, name), "utf8")), name);
  });
  it("starts with a mapping that works", () => {
    const read = readMapping(/```yaml\n([^`]*)```/.exec(page)?.[1] ?? "");
    assert.ok(read.ok);
    const record = { task_id: "t", messages: [{ role: "user", content: "a" }], score: 1 };
    assert.ok(read.mapping.map(record, mappedFile("dump_1.jsonl"), 1).ok);
  });
  it("names every function", () => {
    const functions = [globalFunctions, methods, messageFunctions].flatMap((table) => Object.keys(table));
    assert.deepEqual(
      functions.filter((name) => !new RegExp(`\\b${name}\\b`).test(page)),
      [],
    );
  });
});

/** Records that look as a mapping expects them here and there, and not elsewhere. */
const key = fc.constantFrom(
  ..."rollouts metrics env_config env_type role content text tool_calls function name arguments type history question_ID is_correct mistake_step prompt completion correct score error docker_error private_reward public_reward started finished truncated constructor".split(
    " ",
  ),
);
const { value: anyRecord } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, depthSize: "small" },
    fc.constantFrom<unknown>(
      null,
      true,
      0,
      1,
      -1,
      0.5,
      1e308,
      "",
      "user",
      "1",
      "2026-01-31T09:00:00Z",
      "{",
      '{"name":"a"}',
      "text",
    ),
    fc.string(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 8 }),
  ),
}));

/** One good record per mapping, of which parts are exchanged for anything. */
const good: Readonly<Record<string, unknown>> = {
  "tinker-reward-hack.evidence.yaml": {
    rollouts: [
      { role: "user", content: "do" },
      {
        role: "assistant",
        content: [{ type: "text", text: "ok" }],
        tool_calls: [{ type: "function", function: { name: "bash", arguments: "{}" } }],
      },
    ],
    metrics: {
      docker_error: 0,
      could_not_run_tests: 0,
      failed_startup_commands: 0,
      public_reward: 1,
      private_reward: 0,
      tests_timed_out: 0,
      n_tool_timeouts: 0,
      n_errors_parsing_tool_calls: 0,
    },
    env_type: "e",
    env_config: {},
  },
  "who-and-when.evidence.yaml": {
    question: "q",
    question_ID: "1",
    ground_truth: "a",
    is_correct: false,
    mistake_agent: "b",
    mistake_step: "1",
    mistake_reason: "c",
    history: [
      { role: "human", content: "q" },
      { role: "user", name: "X", content: "y" },
    ],
  },
  "prompt-completion.evidence.yaml": promptAndCompletion,
};

/** The value with the part at a path exchanged, or dropped; the path counts keys and elements from the front. */
function exchanged(value: unknown, path: readonly number[], by: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined || typeof value !== "object" || value === null) return by;
  const entries = Object.entries(value);
  const chosen = entries.length === 0 ? -1 : first % entries.length;
  const next = entries.flatMap(([key, part], i): [string, unknown][] => {
    if (i !== chosen) return [[key, part]];
    return rest.length === 0 && by === undefined ? [] : [[key, exchanged(part, rest, by)]];
  });
  return Array.isArray(value) ? next.map(([, part]) => part) : Object.fromEntries(next);
}

describe("any record under the shipped mappings", () => {
  for (const name of shipped)
    it(`${name}: never throws, and gives evidence or a reason`, () => {
      const { map } = mappingOf(name);
      assert.ok(name in good, `${name} needs a good record to be tried on`);
      const damaged = fc
        .tuple(fc.array(fc.nat(7), { minLength: 1, maxLength: 5 }), fc.option(anyRecord, { nil: undefined }))
        .map(([path, by]) => exchanged(good[name], path, by));
      let [kept, refused] = [0, 0];
      fc.assert(
        fc.property(
          fc.oneof({ weight: 3, arbitrary: damaged }, { weight: 1, arbitrary: anyRecord }),
          fc.constantFrom("a/b_1.json", "samples_step_3.jsonl", "x"),
          (record, path) => {
            const result = map(record, mappedFile(path), 1);
            if (result.ok) {
              kept++;
              assert.ok(isRollout(completed(result.record)), JSON.stringify(result.record));
            } else {
              refused++;
              assert.ok(result.reason.length > 10);
            }
          },
        ),
        { numRuns: fuzzRuns(1000) },
      );
      assert.ok(kept > 0 && refused > 0, `${kept} kept, ${refused} refused`);
    });

  it("has mappings to try", () => assert.ok(shipped.length >= 3));
});
