import assert from "node:assert/strict";
import { specKindIn, specKindOf } from "./specKind.ts";

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
    it(`${name}: ${kind ?? "no spec"}`, () => assert.equal(specKindOf(name), kind));
});

describe("specKindIn", () => {
  const cases: readonly (readonly [string, string, string | undefined])[] = [
    ["/p/a.evidence.yaml", "kind: Evidence\n", "evidence"],
    ["/p/a.evidence.yaml", "# a\nkind: Lineage # of runs\nname: [", "lineage"],
    ["file:///p/a.evidence.yaml", 'kind: "Lineage"\r\n', "lineage"],
    ["/p/a.evidence.yaml", "fields:\n  kind: Lineage\n", "evidence"],
    ["/p/a.evidence.yaml", "", "evidence"],
    ["/p/a.reward.yaml", "kind: Lineage\n", "reward"],
    ["/p/a.yaml", "kind: Lineage\n", undefined],
  ];
  for (const [name, text, kind] of cases)
    it(`${name} with ${JSON.stringify(text)}: ${kind ?? "no spec"}`, () =>
      assert.equal(specKindIn(name, text), kind));
});
