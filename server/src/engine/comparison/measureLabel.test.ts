import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { labelShare } from "../../../../shared/model/labelShare.ts";
import { labelDiagnostics } from "../../diagnosis/labelDiagnostics.ts";
import { signalScope } from "../../diagnosis/versionFacts.ts";
import { ingestFile } from "../../evidence/ingest/ingest.ts";
import type { Store } from "../../evidence/archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import { usableDiagnostics } from "../project/usableDiagnostics.ts";
import { evaluated } from "./chosen.ts";
import { guardrailReports, type GuardrailReport } from "./guardrails.ts";

describe("guardrails on labels", () => {
  let workspace: Workspace;
  let store: Store;
  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
    // Groups of two in training: those of every third item, or of every second one, have equal rewards.
    await archive("a", (item) => item % 3 === 0);
    await archive("b", (item) => item % 2 === 0);
    // A source that gives a reward to failures only.
    await archive("c", () => false, { passesHaveReward: false });
  });
  after(() => workspace.remove());

  async function archive(
    version: string,
    isDead: (item: number) => boolean,
    { passesHaveReward } = { passesHaveReward: true },
  ): Promise<void> {
    const lines: string[] = [];
    for (const split of ["train", "selection"] as const)
      for (let item = 0; item < 60; item++)
        for (let sample = 0; sample < 2; sample++) {
          const reward = sample === 1 && (split === "selection" || !isDead(item)) ? 1 : 0;
          lines.push(
            toLine(
              makeRollout({
                ...{ id: `${split}-${item}-${sample}`, run: version, split, sample },
                reward: reward > 0 && !passesHaveReward ? null : reward,
                ...{
                  item: `${split}-${item}`,
                  group: `${split}-${item}`,
                  outcome: reward > 0 ? "pass" : "fail",
                },
              }),
            ),
          );
        }
    const path = workspace.file(`${version}.jsonl`);
    await writeFile(path, lines.join(""));
    await ingestFile(store, { path, kind: "rollouts", version, run: version });
  }
  async function guarded(metric: string, tolerance: number, against = "b"): Promise<GuardrailReport> {
    const of = (version: string) => evaluated(store, version, { step: "all", metric: "micro" });
    const [a, b] = [await of("a"), await of(against)];
    const compared = { store, root: workspace.root, given: [], a, b, aggregator: "micro" } as const;
    const [report] = await guardrailReports(compared, [{ metric, tolerance }], null);
    assert.ok(report);
    return report;
  }

  it("over groups find the very number that diagnose shows", async () => {
    const { overGroups } = await usableDiagnostics(workspace.root);
    const specs = overGroups.filter(({ name }) => name === "dead-group");
    const scope = { split: "selection" } as const;
    for (const [side, rate] of [
      ["a", 1 / 3],
      ["b", 1 / 2],
    ] as const) {
      const groups = await signalScope(store, { version: side, scope });
      const [count] = await labelDiagnostics(store, specs, {
        rollouts: { ...scope, version: side },
        groups,
      });
      assert.ok(count);
      assert.equal(labelShare(count).rate, rate);
      assert.equal((await guarded("dead-group", 0.02))[side], rate);
    }
  });
  it("over groups are judged like any other", async () => {
    const [tight, wide] = [await guarded("dead-group", 0.005), await guarded("dead-group", 0.5)];
    assert.deepEqual([tight.unit, tight.because, tight.items], ["share", null, 60]);
    assert.ok(Math.abs((tight.difference ?? 0) - 1 / 6) < 1e-12);
    assert.equal(wide.verdict, "holds");
  });
  it("are refused where a share may differ by more than 1", async () => {
    for (const metric of ["dead-group", "solve_rate"])
      await assert.rejects(
        guarded(metric, 10),
        /of 10 allows everything: it is a share from 0 to 1; .* such as 2%/,
      );
    assert.equal((await guarded("tokens_mean", 10)).unit, "value");
  });
  it("are not measured by a mean of the rewards that failures have alone", async () => {
    const report = await guarded("reward_mean", 0.1, "c");
    assert.deepEqual([report.a, report.b, report.difference], [null, null, null]);
    assert.match(
      report.because ?? "",
      /no pass of c has a reward: a mean would be that of its failures alone/,
    );
  });
  it("are refused for a label that nothing measures", () =>
    assert.rejects(guarded("no-such-label", 0.1), /A guardrail cannot use no-such-label/));
});
