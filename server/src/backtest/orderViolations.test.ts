import assert from "node:assert/strict";
import fc from "fast-check";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import { outcomeCodes } from "../evidence/queries/groupColumns.ts";
import { orderViolations } from "./orderViolations.ts";

const codes = { p: outcomeCodes.pass, f: outcomeCodes.fail, u: outcomeCodes.unknown } as const;
type Letter = keyof typeof codes;
type Group = readonly (readonly [Letter, number])[];

function violationsOf(groups: readonly Group[]) {
  const offsets = new Uint32Array(groups.length + 1);
  groups.forEach((g, i) => (offsets[i + 1] = (offsets[i] ?? 0) + g.length));
  const all = groups.flat();
  return orderViolations(
    Float64Array.from(all, ([, reward]) => reward),
    Uint8Array.from(all, ([letter]) => codes[letter]),
    offsets,
  );
}

describe("order violations", () => {
  const check = (
    what: string,
    groups: readonly Group[],
    expected: readonly [number, number, number, number],
  ) =>
    it(what, () => {
      const { rollouts, pairs, groups: inGroups, comparable } = violationsOf(groups);
      assert.deepEqual([rollouts, pairs, inGroups, comparable], expected);
    });
  check(
    "are 0 when every pass scores higher than every failure",
    [
      [
        ["p", 1],
        ["f", 0.5],
        ["f", 0],
      ],
    ],
    [0, 0, 0, 2],
  );
  check(
    "are 0 for a tie or a rounding error",
    [
      [
        ["p", 0.3],
        ["f", 0.1 + 0.2],
      ],
    ],
    [0, 0, 0, 1],
  );
  check(
    "count rollouts and pairs separately",
    [
      [
        ["p", 1],
        ["p", 2],
        ["f", 3],
        ["f", 1.5],
        ["f", 0],
      ],
    ],
    [2, 3, 1, 6],
  );
  check(
    "leave out unknown outcomes",
    [
      [
        ["u", 9],
        ["p", 1],
        ["f", 0],
        ["u", -1],
      ],
    ],
    [0, 0, 0, 1],
  );
  check(
    "are counted only within a group",
    [
      [
        ["p", 0],
        ["p", 0],
      ],
      [
        ["f", 1],
        ["f", 1],
      ],
    ],
    [0, 0, 0, 0],
  );
  check(
    "are 0 when all outcomes are unknown",
    [
      [
        ["u", 0],
        ["u", 1],
      ],
    ],
    [0, 0, 0, 0],
  );

  it("are those found by comparing every pair", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.array(fc.tuple(fc.constantFrom<Letter>("p", "f", "u"), fc.integer({ min: 0, max: 5 })), {
            maxLength: 12,
          }),
          { maxLength: 5 },
        ),
        (groups) => {
          let pairs = 0;
          let rollouts = 0;
          for (const group of groups)
            for (const [letter, reward] of group) {
              if (letter !== "f") continue;
              const below = group.filter(([other, r]) => other === "p" && r < reward).length;
              pairs += below;
              if (below > 0) rollouts++;
            }
          const found = violationsOf(groups);
          assert.deepEqual([found.pairs, found.rollouts], [pairs, rollouts]);
        },
      ),
      { numRuns: fuzzRuns() },
    ));
});
