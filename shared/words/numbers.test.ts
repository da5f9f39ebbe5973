import assert from "node:assert/strict";
import * as numbers from "./numbers.ts";

/** Each function with what it is given and what it says. */
const said: readonly (readonly [says: string, given: string])[] = [
  [numbers.percent(0), "0 %"],
  [numbers.percent(1), "100 %"],
  [numbers.percent(0.5), "50.0 %"],
  [numbers.percent(0.3816), "38.2 %"],
  [numbers.percent(0.00049), "< 0.1 %"],
  [numbers.percent(0.0005), "0.1 %"],
  [numbers.percent(0.99949), "99.9 %"],
  [numbers.percent(0.9995), "> 99.9 %"],
  [numbers.percent(1 - Number.EPSILON), "> 99.9 %"],
  [numbers.percent(-0.012), "−1.2 %"],
  [numbers.percent(1.034), "103.4 %"],
  [numbers.setPercent(0.95), "95 %"],
  [numbers.setPercent(0.98333), "98.33 %"],
  [numbers.setPercent(0.07), "7 %"],
  [numbers.percentOf(11, 40), "27.5 %"],
  [numbers.percentOf(0, 0), "none"],
  [numbers.percentInterval(0.33, 0.395), "[33.0, 39.5]"],
  [numbers.percentInterval(-0.00001, 1), "[0.0, 100.0]"],
  [numbers.percentWithin(0.363, 0.33, 0.395), "36.3 % [33.0, 39.5]"],
  [numbers.percentMargin(0.363, 0.331, 0.395), "± 3.2"],
  [numbers.percentMargin(0.5, 0.4, 0.7), "[40.0, 70.0]"],
  [numbers.points(0.047), "+4.7 points"],
  [numbers.points(-0.2), "−20.0 points"],
  [numbers.points(0), "0.0 points"],
  [numbers.points(-0.0001), "−0.0 points"],
  [numbers.pointsApart(-0.047), "4.7 points"],
  [numbers.pointsBeside(0.572, 0.531), "4.1 points above"],
  [numbers.pointsBeside(0.471, 0.544), "7.3 points below"],
  [numbers.pointsBeside(0.5001, 0.5), "as high"],
  [numbers.pointsWithin(0.044, 0.026, 0.063), "+4.4 points [+2.6, +6.3]"],
  [numbers.pointsInterval(-0.004, 0), "[−0.4, 0.0]"],
  [numbers.value(0.5), "0.5"],
  [numbers.value(-0.41249), "−0.412"],
  [numbers.value(-0.0001), "0"],
  [numbers.figure(12), "12"],
  [numbers.figure(1234567), "1234567"],
  [numbers.figure(-0.123456), "−0.1235"],
  [numbers.measuredElsewhere(0.1234567), "0.123457"],
  [numbers.measuredElsewhere(1234567.5), "1234567.5"],
  [numbers.pValue(0.01234), "0.012"],
  [numbers.count(12345), "12,345"],
  [numbers.counted(1, "group"), "1 group"],
  [numbers.counted(0, "group"), "0 groups"],
  [numbers.counted(1000, "success", "successes"), "1,000 successes"],
  [numbers.plural(1, "is", "are"), "is"],
  [numbers.plural(2, "is", "are"), "are"],
  [numbers.duration(0), "0 s"],
  [numbers.duration(-3), "0 s"],
  [numbers.duration(0.35), "350 ms"],
  [numbers.duration(0.9999), "1 s"],
  [numbers.duration(4.23), "4.2 s"],
  [numbers.duration(9.96), "10 s"],
  [numbers.duration(59.4), "59 s"],
  [numbers.duration(59.6), "1 min 00 s"],
  [numbers.duration(185), "3 min 05 s"],
  [numbers.duration(3599.7), "1 h 00 min"],
  [numbers.duration(7800), "2 h 10 min"],
  [numbers.hours(1.5), "1.50 h"],
  [numbers.money({ amount: 1.234, currency: "EUR" }), "1.23 EUR"],
  [numbers.money({ amount: 2, currency: "" }), "2.00"],
  [numbers.size(0), "0 bytes"],
  [numbers.size(1), "1 byte"],
  [numbers.size(1536), "1.5 KiB"],
  [numbers.size(64 * 2 ** 20), "64 MiB"],
  [numbers.size(3.25 * 2 ** 30), "3.3 GiB"],
  [numbers.gigabytes(12_345_678_901), "12.3 GB"],
  [numbers.gigabytes(5e9), "5 GB"],
  [numbers.dateTime("no time"), ""],
  [numbers.dateTime(new Date(2026, 0, 3, 9, 5).getTime()), "2026-01-03 09:05"],
  [numbers.age(0, 89_000), "89 s ago"],
  [numbers.age(0, 90_000), "2 min ago"],
  [numbers.age(0, 3 * 3_600_000), "3 h ago"],
  [numbers.age(0, 72 * 3_600_000), "3 days ago"],
  [numbers.age(5_000, 0), "0 s ago"],
];

describe("numbers in text", () => {
  for (const [says, wanted] of said) it(`are written as ${wanted}`, () => assert.equal(says, wanted));

  it("show 0 % or 100 % only where the share is exactly that", () => {
    for (let i = 1; i < 20_000; i++) {
      const shown = numbers.percent(i / 20_000);
      assert.ok(
        shown !== "0 %" && shown !== "100 %" && !shown.startsWith("0.0") && !shown.startsWith("100"),
        shown,
      );
    }
  });
});
