import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Attached } from "./attached.ts";
import { targetOf } from "./target.ts";

describe("a run that is followed", () => {
  let root = "";
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "evo-attached-")));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("says at the first look how far it is with what was written before", async () => {
    const [here, run] = [join(root, "here"), join(root, "run")];
    for (const folder of [here, run]) mkdirSync(folder);
    for (const step of [1, 2, 3])
      writeFileSync(
        join(run, `${step}.jsonl`),
        `${JSON.stringify({ input: "q", output: "a", score: 0, step })}\n`,
      );
    const attached = await Attached.open(here, await targetOf(here, here, run), { with: [] });
    const said: string[] = [];
    const now = await attached.look(new AbortController().signal, (message) => said.push(message));
    await attached.close();
    assert.equal(now?.rollouts, 3);
    assert.equal(said.at(-1), "3 files, 3 rollouts");
  });
});
