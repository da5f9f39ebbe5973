import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openParquet } from "../server/src/reading/parquet.ts";
import { readTensorBoard } from "../server/src/reading/tensorboard.ts";
import { fileBytes } from "../server/src/reading/bytes.ts";
import { patience } from "./support/base/patience.ts";
import { skipBecause } from "./support/base/skip.ts";

const python = process.env["EVOTRAINER_PYTHON"] ?? "python3";

describe("files that Python's libraries write", function () {
  this.timeout(60_000 * patience);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "python-files-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function written(context: Mocha.Context, modules: readonly string[], program: string): void {
    for (const module of modules)
      if (spawnSync(python, ["-c", `import ${module}`]).status !== 0)
        skipBecause(context, `${python} has no ${module}; name one in EVOTRAINER_PYTHON`);
    const ran = spawnSync(python, ["-c", program], { cwd: folder, encoding: "utf8" });
    assert.equal(ran.status, 0, ran.stderr);
  }

  it("are read: scalars of TensorBoard", async function () {
    written(
      this,
      ["torch", "tensorboard"],
      `from torch.utils.tensorboard import SummaryWriter
writer = SummaryWriter("run")
for step in range(3): writer.add_scalar("train/loss", 1 / (step + 1), step)
writer.close()`,
    );
    const [name] = readdirSync(join(folder, "run"));
    assert.ok(name !== undefined);
    const path = join(folder, "run", name);
    const found: unknown[] = [];
    for await (const item of readTensorBoard(fileBytes(path), { name: path }))
      if (item.type === "scalar") found.push([item.step, item.tag, item.value]);
    assert.deepEqual(found, [
      [0, "train/loss", 1],
      [1, "train/loss", 0.5],
      [2, "train/loss", Math.fround(1 / 3)],
    ]);
  });

  it("are read: lists of messages in Parquet of pyarrow", async function () {
    written(
      this,
      ["pyarrow"],
      `import pyarrow as pa, pyarrow.parquet as pq
messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": None}]
pq.write_table(pa.Table.from_pylist([{"step": 1, "messages": messages, "score": float("nan")}]), "t.parquet")`,
    );
    const parquet = await openParquet(join(folder, "t.parquet"));
    const rows: unknown[] = [];
    for await (const page of parquet.pages()) rows.push(...page);
    await parquet.close();
    assert.deepEqual(rows, [
      {
        step: 1,
        messages: [
          { role: "user", content: "Hi" },
          { role: "assistant", content: null },
        ],
        score: NaN,
      },
    ]);
  });
});
