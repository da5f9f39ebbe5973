import assert from "node:assert/strict";
import type { Rollout, Turn } from "../../../shared/model/rollout.ts";
import { compilePredicate } from "../predicate/compile.ts";
import { rolloutFacts } from "../predicate/facts.ts";
import { seededRandom } from "../base/random.ts";
import { addBit, countBits, emptyBits, hasBit, jaccard } from "./bits.ts";
import { induce } from "./contrast.ts";
import { FeatureTable } from "./featureTable.ts";

const call = (tool: string, args: Record<string, unknown> = {}, ok = true): Turn => ({
  ...{ role: "assistant", text: tool, tool, args, ok },
});

function rollout(sample: number, turns: readonly Turn[], more: Partial<Rollout> = {}): Rollout {
  return {
    ...{
      id: `r${sample}`,
      run: "x",
      split: "train",
      step: 0,
      item: `i${sample}`,
      group: `g${sample}`,
      sample,
    },
    ...{ outcome: "fail", reward: 0, components: {}, stop_reason: null, turns: [...turns], tokens: null },
    ...{ policy: null, harness: null, seed: 1, started_at: null, duration_ms: null, extra: {} },
    ...more,
  };
}

const hostile = `a"b\\c turn. t. \n`;

/** Rollouts with every kind of feature, drawn by a seed. */
function drawn(count: number): Rollout[] {
  const random = seededRandom(7);
  const tools = ["search", "edit", "test", hostile];
  return Array.from({ length: count }, (_, i) => {
    const turns = Array.from({ length: 1 + Math.floor(random() * 6) }, () => {
      const tool = tools[Math.floor(random() * tools.length)] ?? "";
      return call(tool, { path: random() < 0.5 ? hostile : "src/a.py --all", n: 3 }, random() < 0.7);
    });
    const told: Turn = { role: "tool", text: random() < 0.5 ? "Traceback most recent" : "fine turn.ok" };
    return rollout(i, [...turns, told], {
      ...{ stop_reason: random() < 0.5 ? "max_turns" : hostile, tokens: Math.floor(random() * 100) },
    });
  });
}

describe("features of rollouts", () => {
  it("say of every rollout what the diagnostic language says of it", () => {
    const rollouts = drawn(120);
    const table = new FeatureTable();
    for (const one of rollouts) table.add(one);
    const atoms = table.atoms(5);
    assert.ok(atoms.length > 40, String(atoms.length));
    for (const { atom, held } of atoms) {
      const compiled = compilePredicate(atom.when, "rollout", {});
      assert.ok(compiled.ok, `${atom.when}: ${JSON.stringify(compiled)}`);
      for (const [at, one] of rollouts.entries())
        assert.equal(
          compiled.predicate.test(rolloutFacts(one)) === true,
          hasBit(held, at),
          `${atom.when} on ${one.id}`,
        );
      if (atom.evidence !== null) assert.ok(compilePredicate(atom.evidence, "turn", {}).ok, atom.evidence);
    }
  });

  it("are the same for the same rollouts, and one of those that hold for the same ones is kept", () => {
    const table = new FeatureTable();
    for (let i = 0; i < 40; i++)
      table.add(rollout(i, [call(i % 2 === 0 ? "peek" : "look", { at: "there" })]));
    const held = table.atoms(5).map((one) => [...one.held].join(" "));
    assert.equal(new Set(held).size, held.length);
    assert.ok(table.atoms(5).some(({ atom }) => atom.when === 'tool_count("peek") > 0'));
  });
});

describe("induction", () => {
  /** 200 rollouts: those that test before they edit, and call at most 3 times, are positive. */
  const random = seededRandom(3);
  const table = new FeatureTable();
  const [positive, negative, planted] = [emptyBits(400), emptyBits(400), emptyBits(400)];
  for (let i = 0; i < 400; i++) {
    const hasTool = random() < 0.5;
    const isQuick = random() < 0.5;
    table.add(
      rollout(i, [
        ...(hasTool ? [call("peek")] : [call("look")]),
        ...Array.from({ length: isQuick ? 1 : 4 }, () => call("edit", { line: Math.floor(random() * 9) })),
      ]),
    );
    if (hasTool && isQuick) addBit(planted, i);
    addBit((hasTool && isQuick) !== random() < 0.03 ? positive : negative, i);
  }
  const atoms = table.atoms(5);

  it("finds a conjunction that was planted", () => {
    const [best] = induce(atoms, { positive, negative }, { least: 5, most: 8 });
    assert.ok(best !== undefined);
    assert.equal(jaccard(best.held, planted), 1, best.atoms.map(({ when }) => when).join(" && "));
    assert.equal(best.atoms.length, 2);
  });

  it("says nothing where there is nothing on a side", () => {
    const none = emptyBits(400);
    assert.deepEqual(induce(atoms, { positive: none, negative }, { least: 5, most: 8 }), []);
    assert.deepEqual(induce(atoms, { positive, negative: none }, { least: 5, most: 8 }), []);
  });

  it("gives conditions that are unlike each other, and no more than asked for", () => {
    const found = induce(atoms, { positive, negative }, { least: 5, most: 3 });
    assert.ok(found.length <= 3);
    for (const [i, a] of found.entries())
      for (const b of found.slice(i + 1)) assert.ok(jaccard(a.held, b.held) < 0.9);
    assert.ok(found.every(({ held }) => countBits(held) >= 5));
  });
});
