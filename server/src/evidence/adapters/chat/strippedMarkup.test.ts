import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fixtureSet } from "../../../../../test/support/evidence/import.ts";
import { strippedCompletion } from "./strippedMarkup.ts";

const call = '<tool_call>\n{"name": "check", "arguments": {"answer": "88"}}\n</tool_call>';
const answer = "<tool_response>\nreward=0.0\n</tool_response>";

describe("a completion whose chat markup was stripped", () => {
  const told: readonly (readonly [string, string, readonly string[]])[] = [
    [
      "an answer to a call, and what the policy says then",
      `Let me see.\n${call}\nuser\n${answer}\nassistant\nIt is wrong.`,
      ["assistant check", "tool", "assistant"],
    ],
    [
      "several answers to several calls",
      `${call}\n${call}\nuser\n${answer}\n${answer}\nassistant\nWrong.`,
      ["assistant check", "assistant check", "tool", "tool", "assistant"],
    ],
    [
      "a template with a role for tools",
      `${call}\ntool\n0\nassistant\nWrong.`,
      ["assistant check", "tool", "assistant"],
    ],
    [
      "an answer that holds a role's name on a line",
      `${call}\nuser\n<tool_response>\nassistant\nuser\n</tool_response>\nassistant\nWrong.`,
      ["assistant check", "tool", "assistant"],
    ],
    // From real dumps of GRPO with a tool that shows the reward.
    [
      "the policy that goes on as the user after a call",
      `${call}\nuser\nIt seems there was an error. Let's correct it.\n#### 15`,
      ["assistant check"],
    ],
    ["the policy that breaks down after a call", `${call}\nuser\n飏\n飏\n飏`, ["assistant check"]],
    [
      "the policy that opens a call and then its own turn",
      `<tool_call>\nassistant\n${call}`,
      ["assistant unreadable"],
    ],
    [
      "the policy that makes up the answer of a call that it does not end",
      `<tool_call>\n{"name": "check"}\nassistant\n${answer}\nThe reward is 0.\n${call}\nuser\n${answer}\nassistant\n#### 88`,
      ["assistant unreadable", "tool", "assistant"],
    ],
    ["the policy that writes both sides without a call", "Hello.\nuser\nHi.\nassistant\nBye.", ["assistant"]],
  ];
  for (const [what, output, turns] of told)
    it(`is cut at answers to calls alone: ${what}`, () => {
      assert.deepEqual(
        strippedCompletion(output).map(({ role, tool }) => (tool === undefined ? role : `${role} ${tool}`)),
        turns,
      );
    });

  it("keeps what the policy wrote as the other side in the policy's turn", () => {
    const [turn] = strippedCompletion(`${call}\nuser\n#### 15\n`);
    assert.equal(turn?.text, `${call}\nuser\n#### 15`);
  });

  it("of a real dump of training has no turn of a user: its environment only answers calls", function () {
    const dump = join(fixtureSet(this, "rl_verl_rollout_dump"), "hecate_rollouts_2.jsonl");
    const outputs = readFileSync(dump, "utf8").trim().split("\n");
    const turns = outputs.map((line) => strippedCompletion((JSON.parse(line) as { output: string }).output));
    assert.deepEqual(new Set(turns.flat().map(({ role }) => role)), new Set(["assistant", "tool"]));
    const plays = turns.filter((all) =>
      all.some((t) => t.role === "assistant" && /^(user|assistant)$/m.test(t.text)),
    );
    assert.deepEqual([outputs.length, plays.length], [1024, 15]);
  });
});
