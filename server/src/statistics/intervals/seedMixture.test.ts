import assert from "node:assert/strict";
import fc from "fast-check";
import { fuzzRuns } from "../../../../test/support/base/fuzz.ts";
import { normalCdf } from "../distributions/normal.ts";
import { studentCdf, studentQuantile } from "../distributions/student.ts";
import { chanceBeyond, differenceBeyond, standardError, type DifferenceError } from "./seedMixture.ts";

const onlySeeds = (degrees: number): DifferenceError => ({
  ...{ items: 0, itemDegrees: 1e6, seed: 0.0009, seedDegrees: degrees, floor: 0, shares: 1 },
});

describe("the error of a difference over items and seeds", () => {
  for (const degrees of [1, 2, 4, 10, 60])
    it(`is Student's t if only seeds matter: ${degrees} degrees`, () => {
      for (const t of [0.5, 1, 2, 3, 5]) {
        const expected = 1 - studentCdf(t, degrees);
        const chance = chanceBeyond(t * 0.03, onlySeeds(degrees));
        assert.ok(Math.abs(chance - expected) < 2e-3 * expected + 1e-7, `${t}: ${chance}, ${expected}`);
      }
    });
  it("is Student's t over items if no seed is known, to two digits", () => {
    const error = { items: 0.0004, itemDegrees: 29, seed: 0, seedDegrees: 0, floor: 0, shares: 2 };
    for (const p of [0.1, 0.025, 0.001]) {
      const expected = 0.02 * studentQuantile(1 - p, 29);
      assert.ok(Math.abs(differenceBeyond(p, error) - expected) < 0.01 * expected);
    }
  });
  it("is normal if both are known well", () => {
    const error = {
      ...{ items: 0.0004, itemDegrees: 1e6, seed: 0.001, seedDegrees: 20_000, floor: 0.0003, shares: 1 },
    };
    const expected = 1 - normalCdf(0.08 / standardError(error));
    assert.ok(Math.abs(chanceBeyond(0.08, error) - expected) < 0.02 * expected);
  });

  const anyError = fc.record({
    items: fc.double({ min: 1e-6, max: 0.01, noNaN: true }),
    itemDegrees: fc.integer({ min: 5, max: 500 }),
    seed: fc.double({ min: 0, max: 0.01, noNaN: true }),
    seedDegrees: fc.integer({ min: 1, max: 40 }),
    floor: fc.double({ min: 0, max: 0.001, noNaN: true }),
    shares: fc.double({ min: 0.1, max: 2, noNaN: true }),
  });
  it("is beaten by a larger difference less often, and symmetric", () =>
    fc.assert(
      fc.property(anyError, fc.double({ min: 0, max: 0.5, noNaN: true }), (error, difference) => {
        const chance = chanceBeyond(difference, error);
        assert.ok(chance >= chanceBeyond(difference + 0.01, error) - 1e-12);
        assert.ok(Math.abs(chance + chanceBeyond(-difference, error) - 1) < 1e-9);
      }),
      { numRuns: fuzzRuns() },
    ));
  it("never widens with more seeds", () =>
    fc.assert(
      fc.property(anyError, fc.constantFrom(0.2, 0.025, 0.003), (error, chance) => {
        // More seeds average evaluation too, so that the items' part falls with it.
        const fewer = { ...error, items: error.items + error.floor * error.shares };
        const more = {
          ...error,
          shares: error.shares / 2,
          items: error.items + (error.floor * error.shares) / 2,
        };
        assert.ok(differenceBeyond(chance, more) <= differenceBeyond(chance, fewer) + 1e-9);
      }),
      { numRuns: fuzzRuns() },
    ));
  it("gives back the chance that it was asked for", () =>
    fc.assert(
      fc.property(anyError, fc.constantFrom(0.2, 0.025, 0.003), (error, chance) => {
        const difference = differenceBeyond(chance, error);
        if (difference < 2) assert.ok(Math.abs(chanceBeyond(difference, error) - chance) < 1e-6);
      }),
      { numRuns: fuzzRuns() },
    ));
});
