import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { fuzzAdapter } from "../../../../../test/support/adapters/fuzzAdapter.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { allRollouts, importPaths, traceFile } from "../../../../../test/support/evidence/import.ts";
import type { Rollout } from "../../../../../shared/model/rollout.ts";
import type { Store } from "../../archive/store.ts";
import { foreignFile } from "../../importing/foreignFile.ts";
import { adapterNamed, detectFormats } from "../registry.ts";

const at = (second: number): string => `2026-01-01T00:00:0${second}.000Z`;
const nanos = (second: number): number => Date.parse(at(second)) * 1e6;

const user = { role: "user", content: "Weather?" };
const call = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } }],
};
const answer = { role: "tool", tool_call_id: "c1", content: "rainy" };
const last = { role: "assistant", content: "It rains." };
const completion = (message: object, tokens: number, finish_reason: string): object => ({
  model: "m-1",
  choices: [{ index: 0, finish_reason, message }],
  usage: { completion_tokens: tokens },
});

/** Messages as LangChain keeps them. */
const serialized = (name: string, kwargs: object): object => ({
  lc: 1,
  type: "constructor",
  id: ["langchain", "schema", "messages", name],
  kwargs,
});
const ai = (kwargs: object): object => serialized("AIMessage", { content: "", ...kwargs });
const lcCall = ai({
  tool_calls: [{ name: "weather", args: { city: "Paris" }, id: "c1", type: "tool_call" }],
});

const run = (id: string, fields: object): object => ({ id, trace_id: "t1", parent_run_id: "t1", ...fields });
const openInference = (input: readonly object[], output: object): object => ({
  "llm.model_name": "m-1",
  "llm.input_messages": input.map(message),
  "llm.output_messages": [message(output)],
});
const message = (one: object): object =>
  Object.fromEntries(
    Object.entries(one).map(([key, value]) => [
      `message.${key}`,
      key === "tool_calls"
        ? [{ "tool_call.function.name": "weather", "tool_call.function.arguments": '{"city":"Paris"}' }]
        : value,
    ]),
  );
const genAi = (input: readonly object[], output: object): object => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.response.model": "m-1",
  "gen_ai.input.messages": JSON.stringify(input),
  "gen_ai.output.messages": JSON.stringify([output]),
});
const mlflowSpan = (id: string, type: string, input: unknown, output: unknown, from: number): object => ({
  name: type === "TOOL" ? "weather" : "chat",
  span_id: id,
  parent_span_id: null,
  start_time_unix_nano: nanos(from),
  end_time_unix_nano: nanos(from + 1),
  status: { code: "STATUS_CODE_OK" },
  attributes: {
    "mlflow.spanType": JSON.stringify(type),
    "mlflow.spanInputs": JSON.stringify(input),
    "mlflow.spanOutputs": JSON.stringify(output),
  },
});
const phoenixRow = (id: string, attributes: object, from: number): object => ({
  name: "llm",
  span_kind: "LLM",
  parent_id: null,
  context: { trace_id: "t1", span_id: id },
  start_time: at(from),
  end_time: at(from + 1),
  status_code: "OK",
  attributes,
});
const logfireRow = (id: string, attributes: object, from: number): object => ({
  trace_id: "t1",
  span_id: id,
  span_name: "chat m-1",
  start_timestamp: at(from),
  end_timestamp: at(from + 1),
  attributes,
});
const weaveRow = (id: string, input: readonly object[], output: object, from: number): object => ({
  id,
  op_name: "weave:///a/b/op/openai.chat.completions.create:1",
  trace_id: "t1",
  parent_id: null,
  started_at: at(from),
  ended_at: at(from + 1),
  inputs: { messages: input, model: "m-1" },
  output,
});

/** One conversation of two model calls and a tool, as the documentation of each tool has it. */
const samples: Readonly<Record<string, readonly object[]>> = {
  langsmith: [
    run("t1", {
      name: "agent",
      run_type: "chain",
      parent_run_id: null,
      inputs: { input: "Weather?" },
      outputs: { output: "It rains." },
      start_time: at(0),
      end_time: at(4),
      feedback_stats: { correctness: { n: 2, avg: 0.5 } },
    }),
    run("r1", {
      name: "ChatOpenAI",
      run_type: "llm",
      extra: { metadata: { ls_model_name: "m-1" } },
      inputs: { messages: [[serialized("HumanMessage", { content: "Weather?" })]] },
      outputs: { generations: [[{ text: "", message: lcCall }]] },
      start_time: at(0),
      end_time: at(1),
    }),
    run("r2", {
      name: "weather",
      run_type: "tool",
      inputs: { input: "{'city': 'Paris'}" },
      outputs: { output: "rainy" },
      start_time: at(1),
      end_time: at(2),
    }),
    run("r3", {
      name: "ChatOpenAI",
      run_type: "llm",
      inputs: {
        messages: [
          [
            serialized("HumanMessage", { content: "Weather?" }),
            lcCall,
            serialized("ToolMessage", { content: "rainy", tool_call_id: "c1" }),
          ],
        ],
      },
      outputs: { generations: [[{ text: "It rains.", message: ai({ content: "It rains." }) }]] },
      start_time: at(2),
      end_time: at(3),
    }),
  ],
  mlflow: [
    {
      info: {
        trace_id: "t1",
        state: "OK",
        assessments: [
          { assessment_name: "correctness", feedback: { value: 0.5 } },
          { assessment_name: "expected", expectation: { value: 1 } },
        ],
      },
      data: {
        spans: [
          mlflowSpan("a", "CHAT_MODEL", { messages: [user] }, completion(call, 5, "tool_calls"), 0),
          mlflowSpan("b", "TOOL", { city: "Paris" }, "rainy", 1),
          mlflowSpan("c", "CHAT_MODEL", { messages: [user, call, answer] }, completion(last, 4, "stop"), 2),
        ],
      },
    },
  ],
  phoenix: [
    phoenixRow("a", openInference([user], call), 0),
    phoenixRow("b", openInference([user, call, answer], last), 2),
  ],
  logfire: [logfireRow("a", genAi([user], call), 0), logfireRow("b", genAi([user, call, answer], last), 2)],
  weave: [
    weaveRow("a", [user], completion(call, 5, "tool_calls"), 0),
    weaveRow("b", [user, call, answer], completion(last, 4, "stop"), 2),
  ],
};

describe("exports of tracing tools", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function bring(name: string, text: string): Promise<Rollout[]> {
    await writeFile(workspace.file(name), text);
    await importPaths(store, [workspace.file(name)]);
    return allRollouts(store);
  }
  const linesOf = (records: readonly object[]): string =>
    records.map((r) => `${JSON.stringify(r)}\n`).join("");

  for (const [format, records] of Object.entries(samples)) {
    const scored = format === "langsmith" || format === "mlflow" ? { correctness: 0.5 } : {};

    it(`${format}: are one rollout without repetitions, as lines and as a list`, async () => {
      for (const [name, text] of [
        ["lines.jsonl", linesOf(records)],
        ["list.json", JSON.stringify(records, null, 1)],
      ] as const) {
        await writeFile(workspace.file(name), text);
        const file = await foreignFile(workspace.file(name));
        assert.deepEqual(
          (await detectFormats(file)).map((f) => f.name),
          [format],
        );
        const found = (await bring(name, text)).at(-1);
        assert.ok(found !== undefined);
        assert.deepEqual(
          found.turns.map((t) => [t.role, t.text, t.tool ?? null, t.args ?? null]),
          [
            ["user", "Weather?", null, null],
            ["assistant", "", "weather", { city: "Paris" }],
            ["tool", "rainy", null, null],
            ["assistant", "It rains.", null, null],
          ],
        );
        assert.deepEqual(
          [found.id, found.outcome, found.reward, found.components, found.policy, found.started_at],
          ["t1", "unknown", null, scored, "m-1", at(0)],
        );
      }
      assert.equal((await allRollouts(store)).length, 2);
    });

    it(`${format}: lose only the record that is cut`, async () => {
      const [rollout] = await bring("lines.jsonl", `${linesOf(records)}{"id": "x", "trace\n${linesOf([])}`);
      assert.equal(rollout?.turns.length, 4);
      const rows = await store.query({ sql: "SELECT count(*)::INT AS n FROM quarantine", params: [] });
      assert.deepEqual(rows, [{ n: 1 }]);
    });

    it(`${format}: cause no error when they are broken`, async () => {
      const adapter = await adapterNamed(format);
      await fuzzAdapter(
        adapter,
        records.map((value) => ({ value, name: "lines.jsonl" })),
        80,
      );
    });
  }

  it("langsmith: a real run that was sent in two parts is one", async () => {
    await importPaths(store, [traceFile("langsmith")]);
    const [rollout, ...more] = await allRollouts(store);
    assert.ok(rollout !== undefined && more.length === 0);
    assert.deepEqual(
      rollout.turns.map((t) => [t.role, t.text]),
      [
        ["user", "howdy"],
        ["assistant", "Howdy! How can I assist you today?"],
      ],
    );
    assert.deepEqual(
      [rollout.id, rollout.policy, rollout.tokens, rollout.stop_reason, rollout.duration_ms, rollout.outcome],
      ["d0d84d31-923d-4cb5-94a8-40a0a0087578", "gpt-4o-mini", 9, "stop", 1119, "unknown"],
    );
  });

  it("phoenix: rows of the flat table say the same", async () => {
    const flat = [
      { input: [user], output: call },
      { input: [user, call, answer], output: last },
    ].map(({ input, output }, i) => ({
      name: "llm",
      span_kind: "LLM",
      parent_id: null,
      "context.trace_id": "t1",
      "context.span_id": `s${i}`,
      start_time: at(i),
      end_time: at(i + 1),
      status_code: "OK",
      ...Object.fromEntries(
        Object.entries(openInference(input, output)).map(([key, value]) => [`attributes.${key}`, value]),
      ),
    }));
    const [rollout] = await bring("spans.jsonl", linesOf(flat));
    assert.deepEqual(
      rollout?.turns.map((t) => t.tool ?? t.text),
      ["Weather?", "weather", "rainy", "It rains."],
    );
  });

  it("logfire: messages that Pydantic AI wrote as events are read", async () => {
    const events = [
      { "event.name": "gen_ai.user.message", role: "user", content: "Hi" },
      { "event.name": "gen_ai.choice", index: 0, message: { role: "assistant", content: "Hello" } },
    ];
    const [rollout] = await bring(
      "records.jsonl",
      linesOf([logfireRow("a", { "gen_ai.request.model": "m-1", events: JSON.stringify(events) }, 0)]),
    );
    assert.deepEqual(
      rollout?.turns.map((t) => [t.role, t.text]),
      [
        ["user", "Hi"],
        ["assistant", "Hello"],
      ],
    );
  });
});
