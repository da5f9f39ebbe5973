import assert from "node:assert/strict";
import { apiVersion } from "../../../../shared/spec/common.ts";
import { allRules } from "../checks/ruleSet.ts";
import { parseSpec } from "../syntax/parseSpec.ts";
import { edited, openProject, withCursor } from "../../../../test/support/language/openProject.ts";
import { createSpecs } from "./createSpec.ts";
import { diagnose } from "./diagnostics.ts";
import { fixAll } from "./fixAll.ts";
import { migrate } from "./migrate.ts";
import { quarantine } from "./quarantine.ts";

const loops = "harness/diagnostics/loops.diagnostic.yaml";
const worse = "harness/diagnostics/worse.diagnostic.yaml";
const fewer = "harness/interventions/fewer-loops.intervention.yaml";

describe("code actions", () => {
  const created: readonly (readonly [string, string, string, readonly string[]])[] = [
    [
      "an intervention for a label of the library",
      fewer,
      "risks: [trunc§ation]",
      ["harness/interventions/answer-truncation.intervention.yaml"],
    ],
    [
      "an intervention for a label that no intervention answers",
      worse,
      "name: wor§se",
      ["harness/interventions/answer-worse.intervention.yaml"],
    ],
    ["nothing for a label that rollouts have and an intervention answers", loops, "name: lo§ops", []],
  ];
  for (const [name, file, part, expected] of created)
    it(`create ${name}`, () => {
      const { context, offset } = openProject(withCursor(file, part));
      const found = createSpecs(context, offset).flatMap(({ creates }) => creates);
      assert.deepEqual(
        found.map(({ path }) => path),
        expected,
      );
      for (const { path, text } of found) {
        const kind = path.endsWith(".diagnostic.yaml") ? "diagnostic" : "intervention";
        const schemaFindings = diagnose({ spec: parseSpec(kind, text), project: undefined }, allRules);
        assert.deepEqual(schemaFindings, []);
      }
    });

  it("create a diagnostic that is valid", () => {
    const files = withCursor(fewer, "targets: [lo§ops]");
    const { context, offset } = openProject({
      ...files,
      [fewer]: (files[fewer] ?? "").replace("[lo§ops]", "[new-l§abel]"),
    });
    const [create] = createSpecs(context, offset).flatMap(({ creates }) => creates);
    assert.equal(create?.path, "harness/diagnostics/new-label.diagnostic.yaml");
    assert.deepEqual(
      diagnose({ spec: parseSpec("diagnostic", create.text), project: undefined }, allRules),
      [],
    );
  });

  const switched: readonly (readonly [string, string, string])[] = [
    [
      "label:\n  wh§en: a\nalert: { above: 1 }\n",
      "label:\n  when: a\n  invalidates: true\nalert: { above: 1 }\n",
      "Quarantine versions",
    ],
    ["label: { wh§en: a }\n", "label: { when: a, invalidates: true }\n", "Quarantine versions"],
    [
      "label:\n  wh§en: a\n  invalidates: true\n",
      "label:\n  when: a\n  invalidates: false\n",
      "Quarantine no version",
    ],
  ];
  for (const [marked, after, title] of switched)
    it(`${title}: ${JSON.stringify(after)}`, () => {
      const { context, offset, files } = openProject({ "a.diagnostic.yaml": marked });
      const [action] = quarantine(context, offset);
      assert.ok(action);
      assert.ok(action.title.startsWith(title));
      assert.equal(edited(files["a.diagnostic.yaml"] ?? "", action.edits), after);
    });

  it("offer no quarantine away from the label", () => {
    const { context, offset } = openProject({ "a.diagnostic.yaml": "na§me: a\nlabel: { when: b }\n" });
    assert.deepEqual(quarantine(context, offset), []);
  });

  it("fix everything that has exactly one fix", () => {
    const text = "apiVersion: evotrainer/v0\nkind: Diagnostic\nname: a\nlabl:\n  when: 'true'\n";
    const { context } = openProject({ "a.diagnostic.yaml": text });
    const edits = fixAll(context, allRules, diagnose(context, allRules));
    assert.equal(
      edited(text, edits),
      "apiVersion: evotrainer/v1\nkind: Diagnostic\nname: a\nlabel:\n  when: 'true'\n",
    );
  });

  it("migrate along the known versions, one at a time, and keep comments", () => {
    const steps = { Diagnostic: [{ type: "renameKey", path: "label.if", to: "when" } as const] };
    const known = [
      { from: "evotrainer/v0", to: apiVersion, steps },
      { from: "evotrainer/alpha", to: "evotrainer/v0", steps: {} },
    ];
    const text = "apiVersion: evotrainer/v0 # old\nkind: Diagnostic\nlabel:\n  if: a # why\n";
    const [action] = migrate(parseSpec("diagnostic", text), known);
    assert.ok(action);
    assert.equal(action.title, "Migrate to evotrainer/v1");
    assert.equal(
      edited(text, action.edits),
      "apiVersion: evotrainer/v1 # old\nkind: Diagnostic\nlabel:\n  when: a # why\n",
    );
    const [first] = migrate(parseSpec("diagnostic", text.replace("v0", "alpha")), known);
    assert.equal(first?.title, "Migrate to evotrainer/v0, the first of 2 steps");
    for (const version of ["evotrainer/v1", "evotrainer/v9"])
      assert.deepEqual(migrate(parseSpec("diagnostic", text.replace("evotrainer/v0", version)), known), []);
  });
});
