import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, relative, sep } from "node:path";
import type { Store } from "../archive/store.ts";
import { makeWorkspace, type Workspace } from "../../../../test/support/evidence/evidence.ts";
import { Companions } from "./companions.ts";
import { foreignFile } from "./foreignFile.ts";
import { importPaths } from "../../../../test/support/evidence/import.ts";

const json = (value: unknown): string => JSON.stringify(value);
const traj = json({ trajectory: [], history: [{ role: "user", content: "a" }], info: {} });
const tbTrial = (name: string): string =>
  json({ id: "x", trial_name: name, task_id: "t", is_resolved: true, failure_mode: "unset" });

/** Files of a folder by what an import says of them: those of `left` are listed as unknown, and no others. */
const folders: readonly {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly left: Readonly<Record<string, string>>;
}[] = [
  {
    what: "verifiers",
    files: {
      "run/results.jsonl": `${json({ example_id: 0, prompt: "a", completion: "b", reward: 1 })}\n`,
      "run/metadata.json": "{}",
    },
    left: { "other/metadata.json": "{}", "run/deep/metadata.json": "{}", "run/notes.json": "{}" },
  },
  {
    what: "SWE-agent with its reports",
    files: {
      "run/a/a.traj": traj,
      "run/a/a.pred": "{}",
      "run/a/report.json": json({ a: { resolved: true } }),
      "run/preds.json": "{}",
      "run/reports/a.report.json": "{}",
      "run/model.run.json": json({ resolved_ids: ["a"], error_ids: [] }),
    },
    left: { "run/mine.json": json({ notes: 1 }), "run/torn.json": "{", "run/a/data.txt": "x" },
  },
  {
    what: "checkpoints of TRL and transformers",
    files: {
      "run/checkpoint-10/trainer_state.json": json({ log_history: [{ step: 1, reward: 0.5 }] }),
      "run/checkpoint-10/optimizer.pt": "PK",
      "run/checkpoint-10/scheduler.pt": "PK",
      "run/checkpoint-10/rng_state.pth": "PK",
      "run/checkpoint-10/rng_state_0.pth": "PK",
      "run/checkpoint-10/training_args.bin": "PK",
      "run/checkpoint-10/model-00001-of-00002.safetensors": "x",
      "run/checkpoint-10/model.safetensors.index.json": "{}",
      "run/checkpoint-10/adapter_config.json": "{}",
      "run/checkpoint-10/tokenizer.json": "{}",
      "run/checkpoint-10/chat_template.jinja": "x",
      "run/checkpoint-10/vocab.json": "{}",
      "run/checkpoint-10/merges.txt": "a b",
      "run/checkpoint-10/README.md": "# Model",
      "run/config.json": "{}",
      "run/model.safetensors": "x",
      "run/training_args.bin": "PK",
    },
    left: {
      "run/mine.json": json({ notes: 1 }),
      "other/optimizer.pt": "PK",
      "run/checkpoint-10/mine.txt": "x",
    },
  },
  {
    what: "NeMo Gym",
    files: {
      "x_rollouts.jsonl": `${json({ responses_create_params: { input: "a" }, response: { output: [] }, reward: 1 })}\n`,
      "x_rollouts_aggregate_metrics.json": "{}",
    },
    left: { "y_rollouts_aggregate_metrics.json": "{}" },
  },
  {
    what: "Terminal-Bench",
    files: {
      "run/t/t.1-of-1.run/results.json": tbTrial("t.1-of-1.run"),
      "run/results.json": `{"results": [${tbTrial("t.1-of-1.run")}]}`,
      "run/run_metadata.json": "{}",
      "run/t/t.1-of-1.run/agent-logs/episode-0/prompt.txt": "a",
      "run/t/t.1-of-1.run/panes/post-test.txt": "a",
    },
    left: { "run/t/t.1-of-1.run/mine.txt": "a", "run_metadata.json": "{}" },
  },
  {
    what: "a Darwin Gödel Machine",
    files: {
      "node/metadata.json": json({
        overall_performance: {
          total_resolved_ids: ["a"],
          total_unresolved_ids: [],
          total_emptypatch_ids: [],
        },
      }),
      "node/reports/a.report.json": "{}",
      "node/transcripts/a.md": "a",
    },
    left: { "node/README.md": "a", "node/reports/deep/a.report.json": "{}" },
  },
];

describe("files that belong to other files", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  const put = async (name: string, text: string): Promise<string> => {
    const path = workspace.file(name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  };
  const leftOf = async (): Promise<{ left: string[]; count: number; changed: number }> => {
    const { skipped, counts } = await importPaths(store, [workspace.file("in")]);
    const left = skipped.unrecognised.map(({ path }) => relative(workspace.file("in"), path));
    return { left, count: skipped.unrecognisedCount, changed: counts.read };
  };

  for (const { what, files, left } of folders)
    it(`are not listed as unknown for ${what}, even when nothing is new; other files are`, async () => {
      for (const [name, text] of Object.entries({ ...files, ...left })) await put(`in/${name}`, text);
      const wanted = Object.keys(left).map((name) => name.replaceAll("/", sep));
      for (const changed of [1, 0]) {
        const found = await leftOf();
        assert.deepEqual(found.left.sort(), wanted.sort());
        assert.deepEqual([found.count, found.changed], [wanted.length, changed]);
      }
    });

  it("are matched by their exact names, even in folders whose names look like patterns", async () => {
    const file = await foreignFile(await put("in/a.b/x.(1)+.json", "{}"));
    const companions = new Companions();
    companions.add(file, ["x.(1)+_*.json", "../*/y.json", "./z.json"]);
    const has = (name: string): Promise<boolean> => companions.has(workspace.file(name));
    for (const name of ["in/a.b/x.(1)+_more.json", "in/other/y.json", "in/a.b/z.json"])
      assert.equal(await has(name), true, name);
    for (const name of ["in/acb/z.json", "in/a.b/x.1_more.json", "in/y.json", "in/a/b/y.json", "z.json"])
      assert.equal(await has(name), false, name);
  });
});
