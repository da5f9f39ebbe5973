import assert from "node:assert/strict";
import fc from "fast-check";
import { fuzzRuns } from "../../../../test/support/base/fuzz.ts";
import { makeRollout } from "../../../../test/support/evidence/evidence.ts";
import { check } from "../../../../test/support/evidence/scanner.ts";

describe("line scanner", () => {
  const compact = JSON.stringify(makeRollout());

  it("reads every number as JSON.parse does", () => {
    const digits = (max: number): fc.Arbitrary<string> =>
      fc.string({
        unit: fc.constantFrom("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
        minLength: 1,
        maxLength: max,
      });
    const written = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.double({ min: 1e-9, max: 1e9, noNaN: true }).map(String),
      fc
        .tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.nat(20))
        .map(([x, n]) => x.toExponential(n)),
      // Halfway between two doubles, and beside it.
      fc
        .tuple(fc.nat(2 ** 30), fc.integer({ min: -2, max: 2 }), fc.nat(8))
        .map(([n, more, shift]) =>
          String((2n ** 53n + 2n * BigInt(n) + 1n) * 2n ** BigInt(shift) + BigInt(more)),
        ),
      fc
        .tuple(fc.constantFrom("", "-"), digits(20), digits(24), fc.integer({ min: -345, max: 312 }))
        .map(([sign, whole, decimals, e]) => `${sign}${BigInt(whole)}.${decimals}${e === 0 ? "" : `e${e}`}`),
      fc.constantFrom(
        "-0",
        "0.0",
        "0e0",
        "1E+2",
        "1.e2",
        "01",
        ".5",
        "1e",
        "1e+",
        "--1",
        "+1",
        "1e23",
        "9007199254740993",
      ),
    );
    let taken = 0;
    fc.assert(
      fc.property(written, (number) => {
        if (check(compact.replace(/"reward":[^,]+/, `"reward":${number}`))) taken++;
      }),
      { numRuns: fuzzRuns(2000), examples: [["2.2250738585072011e-308"], ["7.2057594037927933e16"]] },
    );
    assert.ok(taken > fuzzRuns(2000) / 2, `only ${taken} numbers were taken`);
  });
});
