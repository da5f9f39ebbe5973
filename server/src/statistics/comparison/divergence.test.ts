import assert from "node:assert/strict";
import type { Turn } from "../../../../shared/model/rollout.ts";
import { firstDivergence } from "./divergence.ts";

const say = (text: string): Turn => ({ role: "assistant", text });
const call = (tool: string, args: Record<string, unknown>, text = ""): Turn => ({
  role: "assistant",
  text,
  tool,
  args,
});
const heard = (text: string): Turn => ({ role: "tool", text });

describe("firstDivergence", () => {
  for (const [what, a, b, expected] of [
    ["the same turns", [heard("x"), say("a")], [heard("y"), say("a")], null],
    ["two rollouts without turns", [], [], null],
    [
      "another tool, after a turn that only one rollout has",
      [heard("task"), call("ls", {}), heard("a"), call("edit", { path: "a" })],
      [heard("task"), call("ls", {}), call("test", {})],
      { a: 3, b: 2, reason: "tool" },
    ],
    [
      "other arguments of the same tool",
      [call("edit", { path: "a", to: [1, 2] })],
      [call("edit", { path: "a", to: [2, 1] })],
      { a: 0, b: 0, reason: "args" },
    ],
    [
      "arguments in another order, which is no difference",
      [call("edit", { path: "a", to: 1 })],
      [call("edit", { to: 1, path: "a" })],
      null,
    ],
    [
      "a different action rather than different words",
      [call("ls", {}, "Let me look."), call("edit", {})],
      [call("ls", {}, "I look."), call("test", {})],
      { a: 1, b: 1, reason: "tool" },
    ],
    [
      "a difference in words only",
      [call("ls", {}, "Let me look."), say("42")],
      [call("ls", {}, "Let me look."), say("43")],
      { a: 1, b: 1, reason: "text" },
    ],
    [
      "one rollout that continues",
      [call("ls", {})],
      [call("ls", {}), say("done")],
      { a: null, b: 1, reason: "ended" },
    ],
    ["one rollout that never acts", [heard("task")], [say("done")], { a: null, b: 0, reason: "ended" }],
  ] as const)
    it(`handles ${what}`, () => assert.deepEqual(firstDivergence([...a], [...b]), expected));
});
