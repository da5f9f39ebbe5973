import assert from "node:assert/strict";
import { themes, type Theme } from "../../../test/editor/ui/themes.ts";
import {
  alertLooks,
  decisionLooks,
  themeColours,
  verdictLooks,
  type Look,
} from "../../../shared/words/decisions.ts";

const states: Readonly<Record<string, Look>> = {
  better: verdictLooks.improved,
  worse: verdictLooks.regressed,
  "not to be trusted": decisionLooks.invalid,
  "a warning": alertLooks.warning,
  undecided: verdictLooks.inside_noise,
};
/** Colours that lie nearer, in CIE 1976 L*a*b*, are taken for the same in a small sign. */
const least = 25;

type Lab = readonly [number, number, number];

function labOf(hex: string): Lab {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const [x = 0, y = 0, z = 0] = [
    (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
    0.2126 * r + 0.7152 * g + 0.0722 * b,
    (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
  ].map((part) => (part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const apart = (a: Lab, b: Lab): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

describe("the colours of better, worse, a warning and what is not to be trusted", () => {
  for (const theme of Object.keys(themes) as Theme[])
    it(`are told apart in a ${theme} theme`, () => {
      const colours = Object.entries(states).map(([name, { colour }]) => {
        const token = themeColours[colour].replace(".", "-");
        const found = Object.entries(themes[theme]).find(([key]) => key === token)?.[1];
        assert.ok(found, `${theme} has no ${token}`);
        return { name, lab: labOf(found) };
      });
      for (const [i, a] of colours.entries())
        for (const b of colours.slice(i + 1))
          assert.ok(apart(a.lab, b.lab) >= least, `${a.name} looks like ${b.name}: ${apart(a.lab, b.lab)}`);
    });

  it("are never alone: each state has a word of its own, and alerts a shape of their own", () => {
    const marks = Object.values({ ...verdictLooks, ...alertLooks, reject: decisionLooks.reject }).map(
      ({ mark }) => mark,
    );
    assert.equal(new Set(marks).size, marks.length);
    const words = Object.values(states).map(({ word }) => word);
    assert.equal(new Set(words).size, words.length);
  });
});
