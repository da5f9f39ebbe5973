import assert from "node:assert/strict";
import type { Rollout, Turn } from "../../../shared/model/rollout.ts";
import { seededRandom } from "../base/random.ts";
import { addBit, emptyBits, hasBit } from "./bits.ts";
import { FeatureTable } from "./featureTable.ts";
import { halvesOf } from "./halves.ts";
import { failedItems, induceWays, isNewWay, judgeWay } from "./newWay.ts";

interface Drawn {
  readonly own: boolean;
  readonly rollout: Rollout;
}

const items = 80;
const samples = 4;

/** Rollouts of a parent that passes three in ten, and of a version; `of` says what a rollout of the version calls and whether it passes. */
function drawn(
  of: (random: () => number) => { readonly calls: readonly string[]; readonly passes: boolean },
): Drawn[] {
  const random = seededRandom(11);
  const before = () => ({
    calls: ["search", "edit", ...(random() < 0.5 ? ["test"] : [])],
    passes: random() < 0.3,
  });
  return [true, false].flatMap((own) =>
    Array.from({ length: items * samples }, (_, i): Drawn => {
      const { calls, passes } = own ? of(random) : before();
      const turns = calls.map((tool): Turn => ({ role: "assistant", text: tool, tool, args: {}, ok: true }));
      const item = `i${i % items}`;
      const told = {
        outcome: passes ? "pass" : "fail",
        reward: 0,
        components: {},
        stop_reason: null,
        turns,
      } as const;
      const rollout: Rollout = {
        ...{ id: `${String(own)}${i}`, run: "x", split: "selection", step: 0, item, group: item, sample: 0 },
        ...{ ...told, turns: [...turns], tokens: null, policy: null, harness: null, seed: 1 },
        ...{ started_at: null, duration_ms: null, extra: {} },
      };
      return { own, rollout };
    }),
  );
}

/** The conditions that are new ways on the half that they were not induced on. */
function ways(all: readonly Drawn[]): string[] {
  const flat = all.map(({ own, rollout: { item, group, outcome } }) => ({ own, item, group, outcome }));
  const isSeen = halvesOf(flat, 1);
  const failed = failedItems(flat);
  const [seen, every] = [new FeatureTable(), new FeatureTable()];
  const places = all.flatMap((_, i) => (isSeen[i] === true ? [i] : []));
  for (const at of places) seen.add(all[at]?.rollout ?? assert.fail());
  for (const { rollout } of all) every.add(rollout);
  const [newPasses, parentPasses] = [emptyBits(places.length), emptyBits(places.length)];
  for (const [i, at] of places.entries()) {
    const one = flat[at];
    if (one?.outcome === "pass" && (!one.own || failed.has(one.item)))
      addBit(one.own ? newPasses : parentPasses, i);
  }
  const held = new Map(every.atoms(1).map(({ atom, held: bits }) => [atom.when, bits]));
  return induceWays(seen.atoms(5), { newPasses, parentPasses, least: 5 }).flatMap(({ atoms }) => {
    const bits = atoms.map(({ when }) => held.get(when) ?? assert.fail(when));
    const judged = judgeWay(
      flat.flatMap((one, i) =>
        isSeen[i] === true ? [] : [{ ...one, held: bits.every((b) => hasBit(b, i)) }],
      ),
      failed,
    );
    return judged !== null && isNewWay(judged) ? [atoms.map(({ when }) => when).join(" && ")] : [];
  });
}

describe("new ways to pass", () => {
  it("finds what the new passes have and the parent's passes have not", () => {
    const leaking = drawn(() => ({ calls: ["search", "peek", "edit"], passes: true }));
    assert.deepEqual(ways(leaking), ['tool_count("peek") > 0']);
  });

  it("finds it where one pass in five goes the old way", () => {
    const mixed = drawn((random) =>
      random() < 0.7
        ? { calls: ["search", "peek", "edit"], passes: true }
        : { calls: ["search", "edit"], passes: random() < 0.5 },
    );
    assert.deepEqual(ways(mixed), ['tool_count("peek") > 0']);
  });

  const nothing: Readonly<Record<string, Parameters<typeof drawn>[0]>> = {
    "a new habit that fails as well as it passes": (random) => ({
      calls: ["search", "check", "edit"],
      passes: random() < 0.5,
    }),
    "more of what was done before": () => ({
      calls: ["search", "edit", "test", "edit", "test", "edit"],
      passes: true,
    }),
    "the same, more often right": (random) => ({
      calls: ["search", "edit", ...(random() < 0.5 ? ["test"] : [])],
      passes: true,
    }),
    "what few of the new passes have": (random) => ({
      calls: ["search", "edit", ...(random() < 0.2 ? ["peek"] : [])],
      passes: true,
    }),
  };
  for (const [what, of] of Object.entries(nothing))
    it(`says nothing of ${what}`, () => assert.deepEqual(ways(drawn(of)), []));

  it("says nothing where there is nothing to compare with", () => {
    assert.equal(judgeWay([{ own: true, item: "a", outcome: "pass", held: true }], new Set(["a"])), null);
  });

  it("takes all rollouts of a parent that hardly passes as what a way has to be new against", () => {
    const rollouts = Array.from({ length: 40 }, (_, i) => ({
      item: `i${i}`,
      outcome: "pass",
      held: true,
    })).flatMap((one) => [
      { ...one, own: true },
      { ...one, own: false, outcome: "fail" },
    ]);
    const judged = judgeWay(rollouts, failedItems(rollouts)) ?? assert.fail();
    assert.equal(judged.ofParent, null);
    assert.equal(isNewWay(judged), false);
  });
});
