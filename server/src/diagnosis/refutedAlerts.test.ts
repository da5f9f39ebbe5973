import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import type { LabelCount } from "../../../shared/ledger/measures.ts";
import { ingestFile } from "../evidence/ingest/ingest.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../test/support/evidence/evidence.ts";
import { labelDiagnostics } from "./labelDiagnostics.ts";
import { isRefuted } from "./refutedAlerts.ts";

const of = (labelled: number, rollouts: number) => ({ labelled, rollouts });

describe("alerts that the passes of a version refute", () => {
  for (const [what, passes, fails, undecided, above, expected] of [
    ["every rollout has it", of(100, 100), of(100, 100), 0, 0.5, true],
    ["a third of those that have it pass, as of all", of(28, 30), of(57, 70), 0, 0.1, true],
    ["all rollouts pass", of(90, 100), of(0, 0), 0, 0.5, true],
    ["the failures have it more often", of(30, 100), of(70, 100), 0, 0.1, false],
    ["the passes are below the threshold", of(8, 100), of(60, 100), 0, 0.1, false],
    ["few passes have it", of(4, 4), of(96, 96), 0, 0.1, false],
    ["no rollout passes", of(0, 0), of(96, 96), 0, 0.1, false],
    ["the undecided could be failures that have it", of(60, 100), of(60, 100), 30, 0.1, false],
  ] as const)
    it(`are ${expected ? "none" : "kept"} where ${what}`, () =>
      assert.equal(isRefuted({ passes, fails, undecided }, above), expected));

  describe("of archived rollouts", () => {
    let workspace: Workspace;
    before(async () => {
      workspace = await makeWorkspace();
    });
    after(() => workspace.remove());

    it("are no findings, and say how many passes carry the label", async () => {
      const store = await workspace.open();
      const lines = Array.from({ length: 60 }, (_, i) =>
        toLine(
          makeRollout({
            ...{ id: `r${i}`, run: "v", split: "selection", item: `i${i}`, group: `g${i}` },
            outcome: i % 3 === 0 ? "pass" : "fail",
            tokens: i % 3 === 0 ? 5 : 50,
          }),
        ),
      );
      const path = workspace.file("v.jsonl");
      await writeFile(path, lines.join(""));
      await ingestFile(store, { path, kind: "rollouts", version: "v", run: "v" });
      const spec = (name: string, when: string, more: object = {}): DiagnosticSpec =>
        DiagnosticSpec.parse({
          ...{ apiVersion: "evotrainer/v1", kind: "Diagnostic", name },
          label: { when },
          alert: { above: 0.1, ...more },
        });
      const specs = [
        spec("everywhere", "n_turns > 0"),
        spec("failing", "tokens > 10"),
        spec("cheating", "n_turns > 0", { evenIfPassed: true }),
      ];
      const scope = { split: "selection", version: "v" } as const;
      const counts = await labelDiagnostics(store, specs, { rollouts: scope, groups: scope });
      assert.deepEqual(
        counts.map(({ name, alert, refutedBy }: LabelCount) => [name, alert, refutedBy]),
        [
          ["everywhere", null, { labelled: 20, passes: 20 }],
          ["failing", "warning", undefined],
          ["cheating", "warning", undefined],
        ],
      );
    });
  });
});
