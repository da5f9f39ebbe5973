import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jobLook } from "../../../../shared/words/decisions.ts";
import { evidenceFiles } from "../../runner/job/evidenceSummary.ts";
import { collapseOf } from "./collapse.ts";

describe("a training run that is over", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "evotrainer-collapse-"));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const write = (of: (step: number) => number): Promise<void> =>
    writeFile(
      join(folder, evidenceFiles.metrics),
      Array.from({ length: 60 }, (_, i) => `${JSON.stringify({ step: i + 1, reward: of(i + 1) })}\n`).join(
        "",
      ),
    );

  it("says where its score fell, and is then shown as no success", async () => {
    await write((step) => (step < 40 ? step / 50 : 0.05) + 0.01 * Math.sin(step));
    const collapsedAt = await collapseOf(folder);
    assert.ok(collapsedAt !== undefined && collapsedAt >= 36 && collapsedAt <= 44, String(collapsedAt));
    const look = jobLook({ state: "finished", collapsedAt });
    assert.equal(look.word, "finished, but its score fell");
    assert.equal(look.colour, "red");
  });

  it("says nothing where the score rose or nothing was logged", async () => {
    assert.equal(await collapseOf(folder), undefined);
    await write((step) => step / 60 + 0.01 * Math.sin(step));
    assert.equal(await collapseOf(folder), undefined);
    assert.equal(jobLook({ state: "finished" }).word, "finished");
  });
});
