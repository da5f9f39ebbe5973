import assert from "node:assert/strict";
import type { ShownTurn } from "../../shared/protocol/rollout.ts";
import { rolloutText } from "./rolloutText.ts";

const textOf = (turns: ShownTurn[]) =>
  rolloutText({
    rollout: {
      id: "1",
      run: "r",
      split: "train",
      step: 0,
      item: "i",
      group: "g",
      sample: 0,
      outcome: "fail",
      reward: null,
      components: {},
      stop_reason: null,
      turns,
      tokens: null,
      policy: null,
      harness: null,
      seed: null,
      started_at: null,
      duration_ms: null,
      extra: {},
    },
  });

describe("rolloutText", () => {
  it("gives each turn a block, and the line where it begins", () => {
    const { text, lines } = textOf([
      { role: "user", text: "Mend it.\r\nNow." },
      { role: "assistant", text: "", tool: "bash", args: { command: "ls\ncat a", timeout: 3 }, ok: false },
      { role: "tool", text: "a" },
    ]);
    assert.equal(
      text,
      "── user\nMend it.\nNow.\n\n── assistant · bash · failed\ncommand: ls\n  cat a\ntimeout: 3\n\n── tool\na\n",
    );
    assert.deepEqual(lines, [0, 4, 9]);
    for (const line of lines) assert.match(text.split("\n")[line] ?? "", /^── /);
  });
  it("is empty without turns", () => {
    assert.deepEqual(textOf([]), { text: "", lines: [] });
  });
});
