import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { parse } from "yaml";
import { replayFilter } from "../../server/src/backtest/filterReplay.ts";
import { replayGroups } from "../../server/src/backtest/replayGroups.ts";
import { signalsOf } from "../../server/src/backtest/rewardColumn.ts";
import { replayReward } from "../../server/src/backtest/rewardReplay.ts";
import { groupColumns } from "../../server/src/evidence/queries/groupColumns.ts";
import { ingestFile } from "../../server/src/evidence/ingest/ingest.ts";
import { openStore } from "../../server/src/evidence/archive/store.ts";
import { RewardSpec } from "../../shared/spec/reward.ts";

const example = join(import.meta.dirname, "../../examples/swe-gym");

describe("a replay of the bundled trainer's run", function () {
  this.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), "evo-replay-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  const change = (file: string, changes: Readonly<Record<string, string>>): void => {
    const path = join(folder, "project", file);
    let text = readFileSync(path, "utf8");
    for (const [from, to] of Object.entries(changes)) {
      assert.ok(text.includes(from), `${file} has no ${from}`);
      text = text.replace(from, to);
    }
    writeFileSync(path, text);
  };

  for (const mode of ["absolute", "top-p"] as const)
    it(`gives exactly the same rewards and kept groups, with the filter in mode ${mode}`, async () => {
      const root = join(folder, "project");
      rmSync(root, { recursive: true, force: true });
      cpSync(join(example, "template"), root, { recursive: true });
      change("harness/train.yaml", {
        "steps: 80": "steps: 12",
        "prompts: 24": "prompts: 6",
        "demonstrations: 3000": "demonstrations: 400",
      });
      writeFileSync(
        join(root, "harness/train.yaml"),
        readFileSync(join(root, "harness/train.yaml"), "utf8").replace(/every: \d+/, "every: 1"),
      );
      change("harness/main.reward.yaml", {
        "kind: none": `kind: std\n  mode: ${mode}\n  warmup: 24`,
        "shape: flat": "shape: linear",
        "minKeep: 0.5": "minKeep: 0.2",
      });
      const trainer = join(folder, "trainer.mjs");
      await build({
        entryPoints: [join(example, "trainer/src/main.ts")],
        bundle: true,
        platform: "node",
        format: "esm",
        outfile: trainer,
        logLevel: "error",
      });
      const run = `run-${mode}`;
      const [base, runDir] = [join(folder, `${mode}.bin`), join(folder, run)];
      for (const env of [
        { EVO_RUN_DIR: join(folder, `base-${mode}`), EVO_SPLITS: "selection", EVO_POLICY_OUT: base },
        { EVO_RUN_DIR: runDir, EVO_SPLITS: "train", EVO_POLICY_IN: base, EVO_POLICY_OUT: `${base}.trained` },
      ]) {
        const done = spawnSync(process.execPath, [trainer], {
          cwd: root,
          env: { PATH: process.env["PATH"], EVO_RUN_ID: run, EVO_HARNESS: "c0ffee", EVO_SEED: "3", ...env },
          encoding: "utf8",
        });
        assert.deepEqual([done.status, done.stderr], [0, ""]);
      }
      const store = await openStore({ path: join(folder, `${mode}.duckdb`), evidenceRoot: folder });
      try {
        for (const kind of ["rollouts", "metrics"] as const)
          await ingestFile(store, { path: join(runDir, `${kind}.jsonl`), kind, version: run, run });
        const spec = RewardSpec.parse(parse(readFileSync(join(root, "harness/main.reward.yaml"), "utf8")));
        const columns = await groupColumns(
          store,
          { split: "train", version: run },
          { signals: signalsOf(spec) },
        );
        const groups = replayGroups(columns, { before: spec, after: spec });
        assert.deepEqual([...groups.after], [...columns.reward.values], "every reward, to the last bit");
        const reward = replayReward(columns, groups, spec);
        assert.equal(reward.reproduced.same, reward.rollouts);
        const { replay } = replayFilter(columns, groups, { filter: spec.filter, reward: "after" });
        const kept = await store.query({
          sql: "SELECT step, value FROM metrics WHERE run = ? AND name = 'kept_group_ratio' ORDER BY step",
          params: [run],
        });
        assert.deepEqual(
          replay.steps.map((s) => [s.step, s.kept / s.groups]),
          kept.map(({ step, value }) => [Number(step), value]),
        );
        assert.ok(replay.low > 0, "the filter has dropped something for its spread");
      } finally {
        await store.close();
      }
    });
});
