import assert from "node:assert/strict";
import { dropInErrors, lateLow, riseBounds, sharpFall } from "./curveErrors.ts";

const level = (count: number, value: number): number[] => Array.from({ length: count }, () => value);

describe("the errors of means over few rollouts", () => {
  // The steps themselves hardly vary, as in means of few rollouts they may by chance.
  const fell = [...level(10, 0.5), ...level(10, 0.3)].map((value, i) => value + 0.001 * (i % 2));

  it("hold back a fall that as few rollouts show by chance", () => {
    assert.ok((dropInErrors(fell) ?? 0) > 4.5);
    assert.ok((dropInErrors(fell, level(20, 0.2)) ?? 9) < 2);
    assert.ok((dropInErrors(fell, level(20, 0.001)) ?? 0) > 4.5);
  });

  it("widen the bounds of a rise, those of the steps with the fewest rollouts", () => {
    const [low, high] = riseBounds(fell, [...level(15, 0), ...level(5, 0.3)]) ?? [0, 0];
    assert.ok(low < -0.4 && high > 0, `${low} to ${high}`);
    assert.ok((riseBounds(fell)?.[1] ?? 0) < 0);
  });

  it("lower what the last steps show for certain", () => {
    const late = [...level(15, 0), ...level(5, 0.2)];
    assert.equal(lateLow(late), 0.2);
    assert.equal(lateLow(late, level(20, 0.1)).toFixed(3), (0.2 - (2.58 * 0.1) / Math.sqrt(5)).toFixed(3));
  });
});

describe("a sharp fall", () => {
  const crash = [...level(40, 0.8), ...level(5, 0.1)];
  it("is one of the last five steps, each below all of the twenty before them", () => {
    assert.equal(sharpFall(crash)?.toFixed(3), "0.700");
    assert.equal(sharpFall(crash.slice(0, -1)), 0, "four steps may pass by");
    assert.equal(sharpFall(crash.with(43, 0.8)), 0);
    assert.equal(sharpFall(crash.with(30, 0.1)), 0, "it was there before");
    assert.equal(sharpFall(crash.slice(-24)), null);
    assert.equal(sharpFall([...level(300, 0.8), ...level(25, 0.1)])?.toFixed(3), "0.700");
  });

  it("is none where the steps have few rollouts", () => {
    assert.equal(sharpFall(crash, level(45, 0.05))?.toFixed(3), "0.700");
    assert.equal(sharpFall(crash, level(45, 0.4)), 0);
  });
});
