import assert from "node:assert/strict";
import { specKindOf } from "./specKind.ts";

describe("specKindOf", () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["/p/evotrainer.yaml", "project"],
    ["evotrainer.yaml", "project"],
    ["C:\\p\\evotrainer.yaml", "project"],
    ["/p/my-evotrainer.yaml", undefined],
    ["/p/echo-trap.diagnostic.yaml", "diagnostic"],
    ["/p/a.intervention.yaml", "intervention"],
    ["/p/main.reward.yaml", "reward"],
    ["/p/dumps.evidence.yaml", "evidence"],
    ["/p/.reward.yaml", undefined],
    ["/p/reward.yaml", undefined],
    ["/p/a.reward.yml", undefined],
    ["/p/a.reward.yaml/readme.md", undefined],
  ];
  for (const [name, kind] of cases)
    it(`${name}: ${kind ?? "none of ours"}`, () => assert.equal(specKindOf(name), kind));
});
