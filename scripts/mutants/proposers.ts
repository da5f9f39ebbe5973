import { of } from "./mutant.ts";

const model = ["test/engine/modelProposer.test.ts"];
const agent = ["test/engine/agentProposer.test.ts"];
const wired = ["test/engine/proposers.test.ts"];

/** What language models and coding agents may do, and what is taken from them. */
export const proposerGuards = [
  ...of("server/src/proposals/model/boundedFetch.ts", model, [
    ["A key reaches no other server.", `redirect: "error"`, `redirect: "follow"`],
    ["An answer without end is given up.", "if (size > most) {", "if (false) {"],
  ]),
  ...of("server/src/proposals/model/callModel.ts", model, [
    ["A server that repeats the key has it in no message.", "withoutKey(messageOf(e), key)", "messageOf(e)"],
    ["A server cannot lie about tokens.", "count > 0 && count < 1e9 ? count", "count < 1e309 ? count"],
  ]),
  ...of("server/src/proposals/model/modelProposer.ts", model, [
    [
      "No call is made that the budgets do not allow.",
      `if (refusal !== null) throw new HarnessError("budgetSpent"`,
      `if (signal.reason === "never") throw new HarnessError("budgetSpent"`,
    ],
  ]),
  ...of("server/src/proposals/agent/agentChanges.ts", agent, [
    ["An agent makes no link.", `if (kind === "link") return`, `if (kind === "never") return`],
    ["An agent makes nothing but files.", `if (kind !== "file") return`, `if (kind === "never") return`],
  ]),
  ...of("server/src/proposals/agent/agentProposer.ts", agent, [
    [
      "A change of an agent passes every check.",
      `return drafted.type === "sound" ? idea : problemsText(drafted.problems);`,
      "return drafted.type.length > 0 ? idea : problemsText([]);",
    ],
    ["Nothing is taken of an agent that ended badly.", "refuseEnd(setup.spec, end);", ""],
  ]),
  ...of("server/src/proposals/agent/runAgent.ts", agent, [
    ["An agent leaves no process behind.", "await killAll(child, run.mark);", ""],
    ["An agent does not outlive the engine.", "(cat <&3; kill -KILL -$$) >/dev/null 2>&1 &", ""],
  ]),
  ...of("server/src/engine/proposals/openProposer.ts", wired, [
    [
      "No model is asked and no agent run in a workspace that is not trusted.",
      "if (refused !== null) throw",
      "if (refused === name) throw",
    ],
  ]),
  ...of(
    "server/src/assistant/evidenceTools.ts",
    wired,
    [["A proposer has no tool that writes.", "tools.filter(({ writes }) => !writes)", "tools.slice()"]],
    { built: true },
  ),
];
