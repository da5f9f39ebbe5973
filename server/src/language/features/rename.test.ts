import assert from "node:assert/strict";
import { edited, openProject, withCursor } from "../../../../test/support/language/openProject.ts";
import { renameable, renamed } from "./rename.ts";

const loops = "harness/diagnostics/loops.diagnostic.yaml";
const worse = "harness/diagnostics/worse.diagnostic.yaml";
const fewer = "harness/interventions/fewer-loops.intervention.yaml";

/** The lines that differ after a name was changed, by file. */
function changed(file: string, part: string, name: string): Record<string, string[]> {
  const { context, offset, files } = openProject(withCursor(file, part));
  const result = renamed(context, offset, name);
  assert.ok(result.ok, result.ok ? "" : result.message);
  const lines: Record<string, string[]> = {};
  for (const [path, text] of Object.entries(files)) {
    const edits = result.edits.filter((edit) => edit.file === `/project/${path}`);
    const before = text.split("\n");
    const after = edited(text, edits)
      .split("\n")
      .filter((line, i) => line !== before[i]);
    if (after.length > 0) lines[path] = after;
  }
  return lines;
}

describe("rename", () => {
  it("changes a label in every spec", () => {
    assert.deepEqual(changed(fewer, "targets: [lo§ops]", "stuck"), {
      [loops]: ["name: stuck"],
      [worse]: ['  when: rate("stuck") > parent_rate("stuck") && last("kl") > 0.1'],
      [fewer]: [
        "targets: [stuck]",
        "predicts: { fixes: [stuck], risks: [truncation] }",
        "guardrails: [{ metric: stuck, atMost: 0.2 }]",
      ],
    });
  });

  it("changes a metric, even to a name that no spec could have", () => {
    assert.deepEqual(changed(worse, 'last("k§l")', "actor/kl"), {
      [worse]: ['  when: rate("loops") > parent_rate("loops") && last("actor/kl") > 0.1'],
      [fewer]: [
        "hypothesis: { change: components.correctness.shape, metric: actor/kl, direction: decrease, because: spread }",
      ],
    });
  });

  it("changes a parameter in its file", () => {
    assert.deepEqual(changed(loops, "params: { str§eak: 8 }", "longest"), {
      [loops]: [
        "params: { longest: 8 }",
        "  when: longest_tool_streak >= params.longest && components.correctness < 0.5",
      ],
    });
  });

  const refused: readonly (readonly [string, string, string, RegExp])[] = [
    ["a factor", fewer, "factor: rew§ard", /The spec format defines the factors/],
    ["a component", loops, "components.corr§ectness", /trainer that writes the components names them/],
    ["a label of the library", fewer, "risks: [trun§cation]", /comes with EvoTrainer/],
  ];
  for (const [name, file, part, message] of refused)
    it(`refuses ${name}`, () => {
      const { context, offset } = openProject(withCursor(file, part));
      const found = renameable(context, offset);
      assert.ok(found && !found.ok);
      assert.match(found.message, message);
      assert.equal(renamed(context, offset, "other").ok, false);
    });

  it("refuses a name that is taken or invalid", () => {
    const { context, offset } = openProject(withCursor(fewer, "targets: [lo§ops]"));
    assert.equal(renamed(context, offset, "worse").ok, false);
    assert.equal(renamed(context, offset, "No Name").ok, false);
    const elsewhere = openProject(withCursor(fewer, "atLeast: 0.§02"));
    assert.equal(renameable(elsewhere.context, elsewhere.offset), undefined);
  });
});
