import assert from "node:assert/strict";
import { versionLook } from "./comparedText.ts";

describe("the verdict on a version beside a job of it", () => {
  const compared = { against: "v2-edit", difference: 0.062, verdict: "improved" } as const;
  for (const [seeds, word] of [
    [3, "v4 over 3 seeds: better than v2, +6.2 points"],
    [1, "v4 over 1 seed: better than v2, +6.2 points"],
    [undefined, "v4: better than v2, +6.2 points"],
  ] as const)
    it(`names the version and its seeds: ${word}`, () => {
      const found = versionLook("v4-efficiency", { ...compared, ...(seeds === undefined ? {} : { seeds }) });
      assert.deepEqual(found, { mark: "▲", colour: "green", word });
    });
});
