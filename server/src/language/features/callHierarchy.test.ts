import assert from "node:assert/strict";
import { openProject, withCursor } from "../../../../test/support/language/openProject.ts";
import { comesFrom, hierarchyAt, leadsTo } from "./callHierarchy.ts";

describe("call hierarchy", () => {
  it("leads from a diagnostic to the interventions that answer it, and back", () => {
    const loops = openProject(withCursor("harness/diagnostics/loops.diagnostic.yaml", "name: lo§ops"));
    const [label] = hierarchyAt(loops.context, loops.offset);
    assert.ok(label);
    const [intervention, ...more] = leadsTo(loops.context.symbols, label);
    assert.ok(intervention);
    assert.deepEqual([intervention.kind, intervention.name, more], ["intervention", "fewer-loops", []]);
    assert.deepEqual(
      comesFrom(loops.context.symbols, intervention).map(({ name }) => name),
      ["loops"],
    );
    assert.deepEqual(comesFrom(loops.context.symbols, label), []);
  });

  it("does not contain a metric", () => {
    const { context, offset } = openProject(
      withCursor("harness/diagnostics/worse.diagnostic.yaml", 'last("k§l")'),
    );
    assert.deepEqual(hierarchyAt(context, offset), []);
  });
});
