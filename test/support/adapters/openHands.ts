/** For tests: the time of an event. */
export const at = (seconds: number): string => `2025-04-30T16:32:${String(seconds).padStart(2, "0")}.500000`;
const response = (id: string, command: string): object => ({
  function_name: "execute_bash",
  tool_call_id: "t1",
  model_response: {
    id,
    choices: [
      {
        message: {
          tool_calls: [
            { id: "t1", function: { name: "execute_bash", arguments: JSON.stringify({ command }) } },
          ],
        },
      },
    ],
    usage: { completion_tokens: 9 },
  },
});
const message = (source: string, content: string, seconds: number): object => ({
  id: seconds,
  timestamp: at(seconds),
  source,
  action: "message",
  args: { content, wait_for_response: false },
});
const nothing = { message: "No observation", observation: "null", content: "", extras: {} };

/** For tests: events in a list, as in 2025. */
export const listed = {
  instance_id: "org__repo-1",
  test_result: { git_patch: "diff" },
  instruction: "Fix it.",
  metadata: { llm_config: { model: "m/1", api_key: "**********" }, git_commit: "abc", max_iterations: 50 },
  history: [
    { id: 0, timestamp: at(0), source: "agent", action: "system", args: { content: "S", tools: [] } },
    message("user", "Fix it.", 1),
    { id: 2, timestamp: at(1), source: "user", action: "recall", args: { query: "Fix it." } },
    {
      id: 3,
      timestamp: at(1),
      source: "environment",
      observation: "recall",
      cause: 2,
      content: "Added",
      extras: { repo_instructions: "Use make." },
    },
    {
      id: 4,
      timestamp: at(3),
      source: "agent",
      action: "run",
      args: { command: "ls", thought: "I look.", cwd: null },
      tool_call_metadata: response("r1", "ls"),
    },
    {
      id: 5,
      timestamp: at(5),
      source: "agent",
      observation: "run",
      cause: 4,
      content: "no",
      extras: { metadata: { exit_code: 2 } },
      success: false,
    },
    {
      id: 6,
      timestamp: at(6),
      source: "agent",
      action: "finish",
      args: { final_thought: "Done.", outputs: {}, thought: "" },
    },
  ],
  metrics: {
    accumulated_cost: 0.5,
    accumulated_token_usage: { completion_tokens: 42 },
    response_latencies: [{ latency: 1.5, response_id: "r1" }],
  },
  error: null,
  instance: { instance_id: "org__repo-1" },
};

/** For tests: pairs of an action and an observation, as in 2024. */
export const paired = {
  id: "Logic_1",
  instance: {},
  instruction: "Is it so?",
  metadata: { model_name: "m2", start_time: "2024-05-29 10:41:37" },
  history: [
    [message("user", "Is it so?", 0), nothing],
    [
      {
        id: 1,
        timestamp: at(2),
        source: "agent",
        action: "run_ipython",
        args: { code: "1", thought: "Try.", kernel_init_code: "x" },
      },
      {
        id: 2,
        timestamp: at(4),
        source: "agent",
        observation: "run_ipython",
        cause: 1,
        content: "1",
        extras: { code: "1" },
      },
    ],
    [message("agent", "Yes.", 5), nothing],
  ],
  error: null,
  test_result: { result: true },
};

/** For tests: the fields that the resolver wrote beside an event's name. */
export const inline = {
  issue: { owner: "o", repo: "r", number: 7 },
  instruction: "Fix it.",
  git_patch: "diff",
  history: [
    { action: "message", content: "Fix it.", wait_for_response: false },
    { action: "run", command: "ls", thought: "Look.", keep_prompt: true },
    { observation: "run", command: "ls", content: "a", exit_code: 0, command_id: -1 },
    { action: "finish", outputs: {}, thought: "Done." },
  ],
  metrics: { accumulated_cost: 0.1 },
  success: true,
  error: null,
};

/** For tests: events of the SDK. */
export const sdk = {
  instance_id: "org__repo-2",
  instruction: "Fix it.",
  metadata: { llm: { model: "m3" } },
  test_result: { report: { resolved: false, error_eval: false } },
  history: [
    {
      kind: "SystemPromptEvent",
      id: "a",
      timestamp: at(0),
      source: "agent",
      system_prompt: { type: "text", text: "S" },
    },
    {
      kind: "MessageEvent",
      id: "b",
      timestamp: at(1),
      source: "user",
      llm_message: { role: "user", content: [{ type: "text", text: "Fix it." }] },
    },
    {
      kind: "ActionEvent",
      id: "c",
      timestamp: at(2),
      source: "agent",
      thought: [{ type: "text", text: "Look." }],
      reasoning_content: "Hm.",
      tool_name: "terminal",
      tool_call_id: "t1",
      tool_call: { id: "t1", name: "terminal", arguments: '{"command":"ls"}' },
      action: { kind: "TerminalAction", command: "ls" },
      llm_response_id: "r1",
    },
    {
      kind: "ObservationEvent",
      id: "d",
      timestamp: at(4),
      source: "environment",
      tool_name: "terminal",
      tool_call_id: "t1",
      action_id: "c",
      observation: { content: [{ type: "text", text: "a" }], is_error: false },
    },
    {
      kind: "ActionEvent",
      id: "e",
      timestamp: at(5),
      source: "agent",
      thought: [],
      tool_name: "edit",
      tool_call_id: "t2",
      tool_call: { name: "edit", arguments: "{}" },
    },
    {
      kind: "AgentErrorEvent",
      id: "f",
      timestamp: at(6),
      source: "agent",
      tool_name: "edit",
      tool_call_id: "t2",
      error: "no such tool",
    },
  ],
  error: null,
};
