import assert from "node:assert/strict";
import { ShownRollout } from "../../../shared/protocol/views/rollout.ts";
import { rolloutMarkdown } from "./rolloutMarkdown.ts";

const rollout = {
  id: "7`*x*",
  run: "r.s1",
  split: "selection",
  step: 1,
  item: "# not a heading\nnor this",
  group: "g",
  sample: 0,
  outcome: "unknown",
  unknown_reason: "grader",
  reward: null,
  components: { tests: 0.5 },
  stop_reason: null,
  turns: [
    { role: "user", text: "````\n# out of it\n```` [x](command:y)" },
    { role: "assistant", text: "", tool: "bash", args: { command: "ls" }, ok: false },
  ],
  tokens: null,
  policy: null,
  harness: null,
  seed: null,
  started_at: null,
  duration_ms: null,
  extra: {},
};

describe("a trajectory as Markdown", () => {
  const text = rolloutMarkdown(
    ShownRollout.parse({
      rid: 7,
      version: "v1",
      source: { path: "p", line: 1 },
      rollout,
      labels: [{ label: "loops", revision: "1", turns: [1] }],
      diagnostics: [],
      said: [],
      notes: [{ note: "**look**", by: "ada", at: "2026-01-01T00:00:00Z" }],
      people: [],
    }),
  );
  it("gives outcome, labels and notes", () => {
    assert.ok(text.startsWith("# ``r.s1/7`*x*``\n\n- version: `v1, selection split`\n"));
    for (const line of [
      "- item: `# not a heading nor this`",
      "- outcome: `unknown: grader`",
      "- labels: `loops (turn 2)`",
      "- note of ada, 2026-01-01T00:00:00Z: `**look**`",
    ])
      assert.ok(text.includes(`${line}\n`), line);
    assert.doesNotMatch(text, /- reward:/);
  });
  it("fences all its texts in such a way that no text can close its fence", () => {
    assert.ok(text.includes("`````text\n````\n# out of it\n```` [x](command:y)\n`````\n"));
    assert.ok(
      text.includes('## 2 · `assistant` · `bash` · failed\n\n```json\n{\n  "command": "ls"\n}\n```\n'),
    );
    let fence = "";
    const outside = text.split("\n").filter((line) => {
      const found = /^(`{3,})/.exec(line)?.[1] ?? "";
      if (fence === "" && found !== "") fence = found;
      else if (fence !== "" && line === fence) fence = "";
      else return fence === "";
      return false;
    });
    assert.ok(outside.every((line) => !line.includes("command:") && !line.includes("out of it")));
  });
});
