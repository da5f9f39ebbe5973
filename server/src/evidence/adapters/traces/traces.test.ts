import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { fuzzAdapter } from "../../../../../test/support/adapters/fuzzAdapter.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { allRollouts, importPaths, traceFile } from "../../../../../test/support/evidence/import.ts";
import type { Rollout, Turn } from "../../../../../shared/model/rollout.ts";
import type { Store } from "../../archive/store.ts";
import { filesUnder } from "../../importing/discover.ts";
import { foreignFile } from "../../importing/foreignFile.ts";
import { detectFormats } from "../registry.ts";
import { langfuse } from "./langfuse.ts";
import { otlp } from "./otlp.ts";

type Said = readonly [role: string, text: string, tool?: string];

const said = (turns: readonly Turn[]): Said[] =>
  turns.map((t) => (t.tool === undefined ? [t.role, t.text] : [t.role, t.text, t.tool]));

const span = (id: string, attributes: Record<string, unknown>, more = {}): object => ({
  traceId: "t1",
  spanId: id,
  parentSpanId: "root",
  name: "span",
  startTimeUnixNano: `176000000${id}000000000`,
  endTimeUnixNano: `176000000${id}500000000`,
  attributes: Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
  })),
  ...more,
});
const exported = (...spans: object[]): object => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

const part = (content: string): object => ({ type: "text", content });
const call = { type: "tool_call", id: "c1", name: "weather", arguments: { city: "Paris" } };
const conversation: readonly Said[] = [
  ["user", "Weather?"],
  ["assistant", "", "weather"],
  ["tool", "rainy"],
  ["assistant", "It rains."],
];

/** The same two model calls in the conventions of OpenTelemetry, OpenInference and OpenLLMetry. */
const conventions: Readonly<Record<string, readonly object[]>> = {
  "gen_ai.input.messages": [
    span("1", {
      "gen_ai.operation.name": "chat",
      "gen_ai.input.messages": JSON.stringify([{ role: "user", parts: [part("Weather?")] }]),
      "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: [call] }]),
      "gen_ai.usage.output_tokens": 5,
    }),
    span("2", {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "m",
      "gen_ai.input.messages": JSON.stringify([
        { role: "user", parts: [part("Weather?")] },
        { role: "assistant", parts: [call] },
        { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "rainy" }] },
      ]),
      "gen_ai.output.messages": JSON.stringify([
        { role: "assistant", parts: [part("It rains.")], finish_reason: "stop" },
      ]),
      "gen_ai.usage.output_tokens": 4,
    }),
  ],
  "llm.input_messages": [
    span("1", {
      "openinference.span.kind": "LLM",
      "llm.token_count.completion": 5,
      "llm.input_messages.0.message.role": "user",
      "llm.input_messages.0.message.content": "Weather?",
      "llm.output_messages.0.message.role": "assistant",
      "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "weather",
      "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"city":"Paris"}',
    }),
    span("2", {
      "openinference.span.kind": "LLM",
      "llm.token_count.completion": 4,
      "llm.input_messages.0.message.role": "user",
      "llm.input_messages.0.message.content": "Weather?",
      "llm.input_messages.1.message.role": "assistant",
      "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "weather",
      "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": '{"city":"Paris"}',
      "llm.input_messages.2.message.role": "tool",
      "llm.input_messages.2.message.content": "rainy",
      "llm.output_messages.0.message.role": "assistant",
      "llm.output_messages.0.message.content": "It rains.",
    }),
  ],
  "gen_ai.prompt.N": [
    span("1", {
      "llm.request.type": "chat",
      "gen_ai.usage.completion_tokens": 5,
      "gen_ai.prompt.0.role": "user",
      "gen_ai.prompt.0.content": "Weather?",
      "gen_ai.completion.0.role": "assistant",
      "gen_ai.completion.0.tool_calls.0.name": "weather",
      "gen_ai.completion.0.tool_calls.0.arguments": '{"city":"Paris"}',
    }),
    span("2", {
      "llm.request.type": "chat",
      "gen_ai.usage.completion_tokens": 4,
      "gen_ai.prompt.0.role": "user",
      "gen_ai.prompt.0.content": "Weather?",
      "gen_ai.prompt.1.role": "assistant",
      "gen_ai.prompt.1.tool_calls.0.name": "weather",
      "gen_ai.prompt.1.tool_calls.0.arguments": '{"city":"Paris"}',
      "gen_ai.prompt.2.role": "tool",
      "gen_ai.prompt.2.content": "rainy",
      "gen_ai.completion.0.role": "assistant",
      "gen_ai.completion.0.content": "It rains.",
    }),
  ],
};

describe("traces", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function bring(name: string, lines: readonly unknown[], end = ""): Promise<Rollout[]> {
    await writeFile(workspace.file(name), lines.map((l) => `${JSON.stringify(l)}\n`).join("") + end);
    await importPaths(store, [workspace.file(name)]);
    return allRollouts(store);
  }

  it("that have real files here are each claimed only by the format of their folder", async () => {
    let files = 0;
    for await (const path of filesUnder([traceFile("")])) {
      const file = await foreignFile(path);
      const names = (await detectFormats(file)).map((f) => f.name);
      assert.deepEqual(names, file.name === "PROVENANCE.md" ? [] : [file.folders[0]], path);
      files++;
    }
    assert.ok(files > 6);
  });

  for (const [name, spans] of Object.entries(conventions))
    it(`repeat no message: two model calls with ${name}, one export per line`, async () => {
      const [rollout, ...more] = await bring(
        "spans.jsonl",
        spans.map((s) => exported(s)),
      );
      assert.ok(rollout !== undefined && more.length === 0);
      assert.deepEqual(said(rollout.turns), conversation);
      assert.deepEqual(rollout.turns[1]?.args, { city: "Paris" });
      assert.deepEqual(
        [rollout.id, rollout.tokens, rollout.duration_ms, rollout.turns.map((t) => t.ms ?? null)],
        ["t1", 9, 1500, [null, 500, null, 500]],
      );
    });

  it("keep the conversation of another agent apart, and count a failed tool as failed", async () => {
    const spans = [
      ...(conventions["llm.input_messages"] ?? []),
      span("3", {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "system",
        "llm.input_messages.0.message.content": "You give titles.",
        "llm.input_messages.1.message.role": "user",
        "llm.input_messages.1.message.content": "Weather?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "Rain in Paris",
      }),
      span(
        "4",
        { "openinference.span.kind": "TOOL", "tool.name": "weather", "output.value": "rainy" },
        { status: { code: 2, message: "timeout" } },
      ),
    ];
    const [rollout] = await bring("spans.jsonl", [exported(...spans)]);
    assert.deepEqual(said(rollout?.turns ?? []), conversation);
    assert.equal(rollout?.turns[1]?.ok, false);
    assert.deepEqual(rollout.extra["other_conversations"], [
      { turns: 3, first: "You give titles.", last: "Rain in Paris" },
    ]);
  });

  it("with messages as events are read, and a trace without a model is named", async () => {
    const event = (name: string, attributes: Record<string, string>): object => ({
      name,
      attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
    });
    const events = [
      event("gen_ai.system.message", { content: "Be short." }),
      event("gen_ai.user.message", { content: "Hi" }),
      event("gen_ai.choice", { index: "0", message: '{"role":"assistant","content":"Hello"}' }),
    ];
    const http = { ...span("5", { "http.method": "GET" }), traceId: "t2" };
    await writeFile(
      workspace.file("spans.json"),
      JSON.stringify(exported(span("1", { "gen_ai.operation.name": "chat" }, { events }), http), null, 2),
    );
    const { counts } = await importPaths(store, [workspace.file("spans.json")]);
    assert.deepEqual(said((await allRollouts(store))[0]?.turns ?? []), [
      ["system", "Be short."],
      ["user", "Hi"],
      ["assistant", "Hello"],
    ]);
    assert.deepEqual(
      counts.problems.map((p) => p.reason),
      ["1 of 2 traces have no messages of a model: they are no rollouts"],
    );
  });

  it("lose only the line that is cut", async () => {
    const lines = (conventions["llm.input_messages"] ?? []).map((s) => exported(s));
    const [rollout] = await bring("spans.jsonl", lines, '{"resourceSpans":[{"sco\n');
    assert.deepEqual(said(rollout?.turns ?? []), conversation);
    const rows = await store.query({ sql: "SELECT count(*)::INT AS n FROM quarantine", params: [] });
    assert.deepEqual(rows, [{ n: 1 }]);
  });

  it("of an agent of Google's ADK, exported by Tempo, are one conversation", async () => {
    await importPaths(store, [traceFile("otlp")]);
    const [rollout] = await allRollouts(store);
    assert.ok(rollout !== undefined);
    assert.deepEqual(
      rollout.turns.map((t) => [t.role, t.tool, t.text.slice(0, 24)]),
      [
        ["system", undefined, "# Helm AI Agent System P"],
        ["user", undefined, rollout.turns[1]?.text.slice(0, 24)],
        ["assistant", "helm_list_releases", ""],
        ["tool", undefined, rollout.turns[3]?.text.slice(0, 24)],
        ["assistant", undefined, "There are two Helm relea"],
      ],
    );
    assert.match(rollout.turns[3]?.text ?? "", /^NAME/);
    assert.deepEqual(
      [rollout.outcome, rollout.policy, rollout.tokens, rollout.stop_reason],
      ["unknown", "gpt-4.1-mini", 116, "stop"],
    );
  });

  it("of Langfuse have their scores as components, and no outcome", async () => {
    const { counts } = await importPaths(store, [traceFile("langfuse")]);
    assert.deepEqual([counts.rollouts, counts.quarantined], [3, 0]);
    const rollouts = await allRollouts(store);
    assert.deepEqual(
      rollouts.map((r) => [
        r.run,
        r.outcome,
        r.reward,
        r.components,
        r.tokens,
        said(r.turns).map(([role]) => role),
      ]),
      [
        ["langfuse", "unknown", null, {}, 3, ["user", "assistant"]],
        [
          "langfuse",
          "unknown",
          null,
          { correctness: 1, hallucination: 0.9, toxicity: 0 },
          106,
          ["user", "assistant", "tool", "assistant"],
        ],
        ["langfuse", "unknown", null, { hallucination: 0, toxicity: 0 }, 85, ["user", "assistant", "tool"]],
      ],
    );
    // The second model call was given the tool's answer only; the answer to the last call is no message, but a step.
    assert.deepEqual(said(rollouts[2]?.turns ?? []), [
      ["user", "What is the weather like today in San Francisco?"],
      ["assistant", "", "getWeather"],
      ["tool", '{"location":"San Francisco","temperature":64}'],
    ]);
  });

  const offer = { type: "function", function: { name: "weather", description: "Tells.", parameters: {} } };
  const made = { type: "function", id: "c1", function: { name: "weather", arguments: '{"city":"Paris"}' } };
  const odd: Readonly<Record<string, readonly unknown[]>> = {
    "a tool that is offered as a message": [
      { role: "user", content: "Weather?" },
      { role: "assistant", content: "", additional_kwargs: { tool_calls: [made] } },
      { role: "tool", content: "rainy", tool_call_id: "c1" },
      { role: "tool", content: offer },
    ],
    "calls as a text of the tool": [
      { role: "user", content: "Weather?" },
      { role: "tool", content: JSON.stringify([made]) },
      { role: "tool", content: "rainy" },
    ],
    "the name of a tool as the role": [
      { role: "user", content: "Weather?" },
      { role: "assistant", content: "", tool_calls: [made] },
      { role: "weather", content: "rainy", additional_kwargs: {} },
    ],
  };
  for (const [what, messages] of Object.entries(odd))
    it(`with ${what} are read, as frameworks write it to Langfuse`, async () => {
      const observation = { id: "o", type: "GENERATION", startTime: "2026-01-01T00:00:00Z" };
      const output = JSON.stringify({ role: "assistant", content: "It rains." });
      const [rollout] = await bring("trace.jsonl", [
        {
          trace: { id: "t", timestamp: "2026-01-01T00:00:00Z" },
          observations: [{ ...observation, input: JSON.stringify(messages), output }],
        },
      ]);
      assert.deepEqual(said(rollout?.turns ?? []), conversation);
    });

  it("keep an answer that is a list of records, and calls that come back one by one once", async () => {
    const other = { ...made, id: "c2", function: { name: "time", arguments: "{}" } };
    const rows = '[{"url":"https://example.com"}]';
    const first = { id: "o1", type: "GENERATION", startTime: "2026-01-01T00:00:00Z" };
    const request = { role: "user", content: "Weather?" };
    const history = [
      request,
      { role: "assistant", content: "", tool_calls: [made] },
      { role: "tool", content: rows },
      { role: "assistant", content: "", tool_calls: [other] },
      { role: "tool", content: "noon" },
    ];
    const [rollout] = await bring("trace.jsonl", [
      {
        trace: { id: "t", timestamp: "2026-01-01T00:00:00Z" },
        observations: [
          {
            ...first,
            input: [request],
            output: { role: "assistant", content: "", tool_calls: [made, other] },
          },
          {
            ...first,
            id: "o2",
            startTime: "2026-01-01T00:00:01Z",
            input: history,
            output: { role: "assistant", content: "Done." },
          },
        ],
      },
    ]);
    assert.deepEqual(said(rollout?.turns ?? []), [
      ["user", "Weather?"],
      ["assistant", "", "weather"],
      ["assistant", "", "time"],
      ["tool", rows],
      ["tool", "noon"],
      ["assistant", "Done."],
    ]);
  });

  it("of Gemini's own library are read from its candidates", async () => {
    const output = { candidates: [{ content: { role: "model", parts: [{ text: "Two" }] } }] };
    const trace = {
      trace: { id: "t", timestamp: "2026-01-01T00:00:00Z" },
      observations: [
        {
          id: "o",
          type: "GENERATION",
          startTime: "2026-01-01T00:00:00Z",
          input: { model: "gemini", contents: "1+1?" },
          output,
        },
      ],
    };
    const [rollout] = await bring("trace.jsonl", [trace]);
    assert.deepEqual(said(rollout?.turns ?? []), [
      ["user", "1+1?"],
      ["assistant", "Two"],
    ]);
  });

  it("that are broken cause no error", async () => {
    const trace: unknown = JSON.parse(await readFile(traceFile("langfuse/vercel-aisdk.json"), "utf8"));
    await fuzzAdapter(langfuse, [{ value: trace, name: "trace.json" }], 100);
    const spans = Object.values(conventions).flat();
    await fuzzAdapter(otlp, [{ value: exported(...spans), name: "spans.json" }], 150);
  });
});
