import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { foreignFile } from "../../importing/foreignFile.ts";
import { detectFormats } from "../registry.ts";
import { flatMetrics } from "./metricLines.ts";

describe("the reader of metrics in lines of JSON", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "evotrainer-lines-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const [what, record, step] of [
    ["prime-rl", { step: 3, reward: 0.5 }, 3],
    ["wandb", { _step: 4, _runtime: 12.5, reward: 0.5 }, 4],
    ["ROLL", { "system/step": 0, "critic/score/mean": 0.25 }, 0],
    ["a script", { global_step: 7, loss: null }, 7],
    ["a script that writes both", { step: 2, global_step: 9 }, 2],
  ] as const)
    it(`finds the step that ${what} writes`, async () => {
      const path = join(folder, "metrics.jsonl");
      await writeFile(path, `${JSON.stringify(record)}\n`);
      const file = await foreignFile(path);
      const formats = await detectFormats(file);
      assert.deepEqual(
        formats.map(({ name }) => name),
        ["metrics-jsonl"],
      );
      const [draft] = flatMetrics.convert(record, { file, line: 1, prepared: undefined });
      assert.ok(draft?.type === "metrics");
      assert.equal(draft.step, step);
      const own = Object.keys(record).filter((name) => record[name as keyof typeof record] !== step);
      assert.deepEqual(Object.keys(draft.values), own);
    });
});
