import assert from "node:assert/strict";
import { rolloutText } from "./rolloutText.ts";

describe("rolloutText", () => {
  it("gives each turn a block, and the line where the block begins", () => {
    const { text, lines } = rolloutText([
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
  it("is empty for a rollout without turns", () => {
    assert.deepEqual(rolloutText([]), { text: "", lines: [] });
  });
});
