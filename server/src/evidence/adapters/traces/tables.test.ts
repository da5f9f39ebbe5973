import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fuzzAdapter } from "../../../../../test/support/adapters/fuzzAdapter.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { allRollouts, importPaths } from "../../../../../test/support/evidence/import.ts";
import type { Rollout } from "../../../../../shared/model/rollout.ts";
import { loadDuckDb } from "../../../base/loadDuckDb.ts";
import type { Store } from "../../archive/store.ts";
import { adapterNamed } from "../registry.ts";

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
const csv = (columns: readonly string[], ...rows: readonly (readonly string[])[]): string =>
  [columns, ...rows].map((row) => `${row.map(quoted).join(",")}\n`).join("");

/** A table of spans as pandas writes it: the index is a column as well, lists are written as Python does. */
const spans = csv(
  [
    ...["context.span_id", "name", "span_kind", "parent_id", "start_time", "end_time", "status_code"],
    ...["events", "context.span_id", "context.trace_id", "attributes.llm.input_messages"],
    ...["attributes.llm.output_messages", "attributes.llm.token_count.completion", "attributes.output.value"],
  ],
  [
    ...["s1", "agent", "AGENT", "", "2026-01-01 00:00:00+00:00", "2026-01-01 00:00:04.5+00:00", "OK"],
    ...["[]", "s1", "t1", "", "", "", "['not', 'a list']"],
  ],
  [
    ...["s2", "llm", "LLM", "s1", "2026-01-01 00:00:01+00:00", "2026-01-01 00:00:02+00:00", "OK"],
    ...["[]", "s2", "t1", "[{'message.role': 'user', 'message.content': \"What's up?\"}]"],
    ...["[{'message.role': 'assistant', 'message.content': 'Rain.'}]", "7.0", "Rain."],
  ],
);
const annotations = csv(
  ["span_id", "annotation_name", "annotator_kind", "result.label", "result.score", "result.explanation"],
  ["s1", "correctness", "LLM", "correct", "0.75", "it rains"],
  ["s2", "fluency", "HUMAN", "", "0.5", ""],
  ["s1", "tone", "HUMAN", "rude", "", ""],
);

describe("tables of tracing tools", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function bring(files: Readonly<Record<string, string>>): Promise<Rollout[]> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(workspace.file(`in/${name}`)), { recursive: true });
      await writeFile(workspace.file(`in/${name}`), text);
    }
    const { counts, skipped } = await importPaths(store, [workspace.file("in")]);
    assert.deepEqual([counts.quarantined, skipped.unrecognised, skipped.refused], [0, [], []]);
    return allRollouts(store);
  }
  const said = (rollout: Rollout | undefined): unknown[] =>
    (rollout?.turns ?? []).map((turn) => [turn.role, turn.text]);
  const talk = [
    ["user", "What's up?"],
    ["assistant", "Rain."],
  ];

  it("phoenix: spans as CSV, with annotations beside them as scores and no outcome", async () => {
    const [rollout, ...more] = await bring({ "spans.csv": spans, "span_annotations.csv": annotations });
    assert.ok(rollout !== undefined && more.length === 0);
    assert.deepEqual(said(rollout), talk);
    assert.deepEqual(
      [rollout.id, rollout.outcome, rollout.tokens, rollout.duration_ms, rollout.components],
      ["t1", "unknown", 7, 4500, { correctness: 0.75 }],
    );
    assert.deepEqual(rollout.extra["stated"], [
      { name: "correctness", value: 0.75, step: "s1", by: "LLM", label: "correct", explanation: "it rains" },
      { name: "fluency", value: 0.5, step: "s2", by: "HUMAN" },
      { name: "tone", step: "s1", by: "HUMAN", label: "rude" },
    ]);
  });

  it("phoenix: spans as Parquet say the same", async () => {
    const file = workspace.file("spans.parquet");
    const instance = await loadDuckDb().DuckDBInstance.create(":memory:", { threads: "1" });
    const connection = await instance.connect();
    await connection.run(`COPY (SELECT 'llm' AS name, 'LLM' AS span_kind, NULL::VARCHAR AS parent_id,
      TIMESTAMPTZ '2026-01-01 00:00:01+00' AS start_time, TIMESTAMPTZ '2026-01-01 00:00:02+00' AS end_time, 'OK' AS status_code,
      's2' AS "context.span_id", 't1' AS "context.trace_id", 'NaN'::DOUBLE AS "attributes.llm.token_count.prompt",
      7.0::DOUBLE AS "attributes.llm.token_count.completion",
      [{'message.role': 'user', 'message.content': 'What''s up?', 'message.tool_calls': NULL}] AS "attributes.llm.input_messages",
      [{'message.role': 'assistant', 'message.content': 'Rain.'}] AS "attributes.llm.output_messages")
      TO '${file}' (FORMAT parquet)`);
    connection.closeSync();
    instance.closeSync();
    const { counts } = await importPaths(store, [file]);
    assert.deepEqual([counts.rollouts, counts.quarantined], [1, 0]);
    const [rollout] = await allRollouts(store);
    assert.deepEqual(
      [said(rollout), rollout?.tokens, rollout?.started_at, rollout?.duration_ms],
      [talk, 7, "2026-01-01T00:00:01.000Z", 1000],
    );
  });

  it("phoenix: a trace of its command line has its annotations inside", async () => {
    const span = {
      ...{ name: "llm", span_kind: "LLM", parent_id: null, context: { trace_id: "t1", span_id: "s1" } },
      ...{ start_time: "2026-01-01T00:00:00Z", end_time: "2026-01-01T00:00:01Z", status_code: "OK" },
      attributes: {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "What's up?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "Rain.",
      },
      annotations: [{ name: "short", annotator_kind: "CODE", result: { score: 1 } }],
    };
    const trace = {
      ...{ traceId: "t1", spans: [span], rootSpan: span },
      annotations: [
        { name: "whole", annotator_kind: "HUMAN", trace_id: "t1", result: { score: 0, label: "no" } },
      ],
    };
    const [rollout] = await bring({ "t1.json": JSON.stringify(trace, null, 2) });
    assert.deepEqual([said(rollout), rollout?.outcome], [talk, "unknown"]);
    assert.deepEqual(rollout?.components, { short: 1, whole: 0 });
  });

  const observation = {
    ...{
      id: "o1",
      traceId: "t1",
      startTime: "2026-01-01T00:00:00.000Z",
      endTime: "2026-01-01T00:00:02.000Z",
    },
    ...{
      parentObservationId: null,
      type: "GENERATION",
      environment: "default",
      name: "chat",
      level: "DEFAULT",
    },
    ...{ model: "m-1", modelParameters: {}, usageDetails: { input: 3, output: 2 } },
    ...{ input: [{ role: "user", content: "What's up?" }], output: { role: "assistant", content: "Rain." } },
    ...{ traceName: "weather", traceTags: ["a"], comments: [], correctness: [0.5, 1], mood: ["good"] },
  };
  const scores = csv(
    ["id", "traceId", "source", "name", "dataType", "value", "stringValue", "comment", "observationId"],
    ["1", "t1", "ANNOTATION", "rating", "NUMERIC", "4", "", "fine", ""],
    ["2", "t1", "EVAL", "kind", "CATEGORICAL", "1", "other", "", ""],
    ["3", "t1", "EVAL", "inner", "NUMERIC", "1", "", "", "o9"],
  );

  for (const [name, text] of [
    ["1-lf-observations-export-p.json", JSON.stringify([observation])],
    ["1-lf-observations-export-p.jsonl", `${JSON.stringify(observation)}\n`],
    [
      "1-lf-observations-export-p.csv",
      csv(
        Object.keys(observation),
        Object.values(observation).map((v) =>
          typeof v === "string" ? v : v === null ? "" : JSON.stringify(v),
        ),
      ),
    ],
  ] as const)
    it(`langfuse-table: observations as ${name.split(".")[1]}, with the table of scores beside them`, async () => {
      const [rollout, ...more] = await bring({ [name]: text, "2-lf-scores-export-p.csv": scores });
      assert.equal(more.length, 0);
      assert.deepEqual(said(rollout), talk);
      assert.deepEqual(
        [rollout?.id, rollout?.outcome, rollout?.policy, rollout?.tokens, rollout?.components],
        ["t1", "unknown", "m-1", 2, { correctness: 0.75, rating: 4 }],
      );
    });

  it("langfuse-table: traces alone give what went in and what came out", async () => {
    const columns = [
      "id",
      "timestamp",
      "name",
      "sessionId",
      "tags",
      "bookmarked",
      "public",
      "input",
      "output",
      "good",
    ];
    const [rollout] = await bring({
      "1-lf-traces-export-p.csv": csv(columns, [
        ...["t1", "2026-01-01T00:00:00.000Z", "weather", "s", '["a"]', "false", "false"],
        ...['{"question":"What\'s up?"}', "Rain.", "[1]"],
      ]),
    });
    assert.deepEqual(said(rollout), talk);
    assert.deepEqual(
      [rollout?.id, rollout?.started_at, rollout?.components, rollout?.outcome],
      ["t1", "2026-01-01T00:00:00.000Z", { good: 1 }, "unknown"],
    );
  });

  const weaveCall = {
    ...{ id: "c1", op_name: "weave:///e/p/op/chat:1", trace_id: "t1", parent_id: null },
    ...{ started_at: "2026-01-01T00:00:00Z", ended_at: "2026-01-01T00:00:01Z" },
    inputs: { messages: [{ role: "user", content: "What's up?" }] },
    output: { choices: [{ message: { role: "assistant", content: "Rain." }, finish_reason: "stop" }] },
    summary: {
      weave: {
        feedback: [
          {
            ...{
              id: "f1",
              weave_ref: "weave:///e/p/call/c1",
              feedback_type: "wandb.runnable.judge",
              creator: "a",
            },
            payload: { output: { correct: true, score: 0.5, why: "rain" } },
          },
          { weave_ref: "weave:///e/p/call/c1", feedback_type: "wandb.reaction.1", payload: { emoji: "👍" } },
        ],
      },
    },
  };

  it("weave: feedback inside calls and beside them", async () => {
    const [rollout] = await bring({
      "calls.jsonl": `${JSON.stringify(weaveCall)}\n`,
      "feedback.json": JSON.stringify({
        result: [
          {
            ...{ weave_ref: "weave:///e/p/call/c1", feedback_type: "wandb.annotation.quality" },
            payload: { value: 3 },
          },
          {
            weave_ref: "weave:///e/p/call/c9",
            feedback_type: "wandb.annotation.quality",
            payload: { value: 1 },
          },
        ],
      }),
    });
    assert.deepEqual([said(rollout), rollout?.outcome], [talk, "unknown"]);
    assert.deepEqual(rollout?.components, { "judge.correct": 1, "judge.score": 0.5, quality: 3 });
  });

  it("mlflow: the steps in an artifact store are a trace of their experiment", async () => {
    const span = (id: string, parent: string, attributes: object): object => ({
      ...{ trace_id: "AACm", span_id: id, trace_state: "", parent_span_id: parent, name: "chat" },
      ...{ start_time_unix_nano: "1759394440904641998", end_time_unix_nano: "1759394749409059536" },
      attributes: Object.fromEntries(
        Object.entries({ "mlflow.traceRequestId": "tr-1", ...attributes }).map(([k, v]) => [
          k,
          JSON.stringify(v),
        ]),
      ),
      status: { message: "", code: "STATUS_CODE_OK" },
    });
    const steps = [
      span("a", "", { "mlflow.spanType": "AGENT" }),
      span("b", "a", {
        "mlflow.spanType": "CHAT_MODEL",
        "mlflow.spanInputs": { messages: [{ role: "user", content: "What's up?" }] },
        "mlflow.spanOutputs": { choices: [{ message: { role: "assistant", content: "Rain." } }] },
      }),
    ];
    const [rollout] = await bring({
      "mlruns/3/traces/tr-1/artifacts/traces.json": JSON.stringify({ spans: steps }),
    });
    assert.deepEqual([said(rollout), rollout?.id, rollout?.run], [talk, "tr-1", "experiment-3"]);
  });

  it("with broken values cause no error", async () => {
    const fuzz = async (format: string, value: object): Promise<void> =>
      fuzzAdapter(await adapterNamed(format), [{ value, name: "rows.jsonl" }], 30);
    await fuzz("langfuse-table", observation);
    await fuzz("weave", weaveCall);
  });
});
