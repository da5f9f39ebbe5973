import assert from "node:assert/strict";
import { betaQuantile } from "./beta.ts";
import { binomialCdf, highestShare, mcnemarExact } from "./exactBinomial.ts";
import { chiSquareQuantile, logGamma, regularizedBeta, regularizedGamma } from "./gamma.ts";
import { normalQuantile } from "../../../../shared/model/normalQuantile.ts";
import { normalCdf } from "./normal.ts";
import { studentCdf, studentQuantile } from "./student.ts";

const near = (actual: number, expected: number, within: number): void =>
  assert.ok(Math.abs(actual - expected) <= within, `${actual} is not within ${within} of ${expected}`);

describe("distributions", () => {
  it("compute the gamma function", () => {
    near(logGamma(0.5), Math.log(Math.sqrt(Math.PI)), 1e-13);
    near(logGamma(10), Math.log(362_880), 1e-12);
    near(logGamma(1e6), 12_815_504.569_147_61, 1e-6);
  });
  it("compute the incomplete integrals, which match their closed forms", () => {
    near(regularizedGamma(1, 2), 1 - Math.exp(-2), 1e-14);
    near(regularizedGamma(3, 1), 1 - 2.5 * Math.exp(-1), 1e-14);
    near(regularizedGamma(3, 9), 1 - Math.exp(-9) * (1 + 9 + 40.5), 1e-14);
    near(regularizedBeta(0.5, 2, 3), 0.6875, 1e-13);
    near(regularizedBeta(0.3, 0.5, 0.5), (2 / Math.PI) * Math.asin(Math.sqrt(0.3)), 1e-13);
  });

  it("invert the beta distribution, which has closed forms", () => {
    near(betaQuantile(0.3, 1, 1), 0.3, 1e-9);
    near(betaQuantile(0.5, 3, 1), Math.cbrt(0.5), 1e-9);
    near(betaQuantile(0.9, 1, 4), 1 - 0.1 ** (1 / 4), 1e-9);
    near(betaQuantile(regularizedBeta(0.42, 2.5, 1.7), 2.5, 1.7), 0.42, 1e-9);
    assert.deepEqual([betaQuantile(0, 2, 2), betaQuantile(1, 2, 2)], [0, 1]);
  });

  // Abramowitz and Stegun 1964, tables 26.1, 26.10 and 26.8.
  it("agree with the tables of the normal distribution", () => {
    near(normalCdf(1), 0.841344746068543, 1e-14);
    near(normalCdf(-3), 0.00134989803163, 1e-14);
    near(normalCdf(normalQuantile(0.2)), 0.2, 1e-9);
    assert.deepEqual([normalCdf(-40), normalCdf(40), normalCdf(0)], [0, 1, 0.5]);
  });
  for (const [p, degrees, t] of [
    [0.975, 1, 12.706],
    [0.975, 2, 4.303],
    [0.975, 10, 2.228],
    [0.995, 30, 2.75],
    [0.95, 120, 1.658],
    [0.975, 1e9, 1.96],
  ] as const)
    it(`agree with the table of Student's t at ${p} and ${degrees} degrees of freedom`, () => {
      near(studentQuantile(p, degrees), t, 5e-4);
      near(studentQuantile(1 - p, degrees), -t, 5e-4);
      near(studentCdf(studentQuantile(p, degrees), degrees), p, 1e-7);
    });
  for (const [p, degrees, x] of [
    [0.95, 1, 3.84146],
    [0.95, 10, 18.307],
    [0.05, 2, 0.102587],
    [0.025, 1, 0.000982069],
    [0.99, 100, 135.807],
  ] as const)
    it(`agree with the table of chi-square at ${p} and ${degrees} degrees of freedom`, () =>
      near(chiSquareQuantile(p, degrees), x, 1e-5 * Math.max(1, x * 4)));

  it("count binomial tails exactly", () => {
    near(binomialCdf(1, 10, 0.5), 11 / 1024, 1e-14);
    near(binomialCdf(3, 5, 0.2), 0.99328, 1e-12);
    assert.deepEqual([binomialCdf(-1, 5, 0.2), binomialCdf(5, 5, 0.2)], [0, 1]);
  });
  it("bound a share as Clopper and Pearson do: 5 of 10 is at most 81.3 %, 0 of n at most 1 − α^(1/n)", () => {
    near(highestShare(5, 10, 0.025), 0.8129, 5e-5);
    near(highestShare(0, 50, 0.05), 1 - 0.05 ** (1 / 50), 1e-10);
    assert.equal(highestShare(7, 7, 0.025), 1);
  });
  it("test discordant pairs: 1 against 9 has p = 2 · 11 / 1024, no pairs have p = 1", () => {
    near(mcnemarExact(1, 9), 22 / 1024, 1e-12);
    near(mcnemarExact(9, 1), 22 / 1024, 1e-12);
    assert.deepEqual([mcnemarExact(0, 0), mcnemarExact(4, 4)], [1, 1]);
  });
});
