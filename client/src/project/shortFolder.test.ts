import assert from "node:assert/strict";
import { shortFolder } from "./shortFolder.ts";

describe("the short name of a project's folder", () => {
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ["/w/gym-a", ["/w/gym-a", "/w/gym-b"], "gym-a"],
    ["/w/a/gym", ["/w/a/gym", "/w/b/gym"], "a/gym"],
    ["/gym", ["/gym", "/w/gym"], "/gym"],
    ["C:\\w\\gym-a", ["C:\\w\\gym-a", "C:\\w\\gym-b"], "gym-a"],
  ];
  for (const [folder, all, short] of cases)
    it(`of ${folder} is ${short}`, () => assert.equal(shortFolder(folder, all), short));
});
