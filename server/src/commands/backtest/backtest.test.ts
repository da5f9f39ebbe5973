import assert from "node:assert/strict";
import { interventionWith } from "../../../../test/support/language/sampleProject.ts";
import { appendFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { placeOf } from "../../engine/workspace/place.ts";
import { keepEngine, withEngine } from "../../engine/owner/withEngine.ts";
import { openWorkspace } from "../../engine/workspace/workspace.ts";
import { ingestFile } from "../../evidence/ingest/ingest.ts";
import { makeRollout, toLine } from "../../../../test/support/evidence/evidence.ts";
import { makeTestRepository, type TestRepository } from "../../../../test/support/lineage/repository.ts";
import { backtest } from "./backtest.ts";
import type { BacktestOptions } from "./backtestOptions.ts";

const project = `apiVersion: evotrainer/v1
kind: Project
name: toy
domain: toy
trainer: { command: [node, trainer.mjs] }
evaluation:
  splits: { train: train.jsonl, selection: selection.jsonl, audit: audit.jsonl }
surfaces: [{ factor: reward, file: harness/main.reward.yaml }]
reward: harness/main.reward.yaml
`;
const reward = (components: string, filter = "{}"): string => `apiVersion: evotrainer/v1
kind: Reward
name: main
components:
  correctness: ${components}
filter: ${filter}
`;
const flat = reward("{ shape: flat, weight: 1 }");

describe("evotrainer backtest", function () {
  this.timeout(60_000);
  let project1: TestRepository;
  let root = "";
  before(async () => {
    project1 = makeTestRepository({ "evotrainer.yaml": project, "harness/main.reward.yaml": flat });
    root = project1.root;
    const workspace = await openWorkspace(root);
    const at = "2026-01-01T00:00:00.000Z";
    const version = {
      type: "version",
      at,
      domain: "toy",
      parent: null,
      generation: 0,
      factor: null,
      intervention: null,
      title: "start",
    } as const;
    const commit = project1.git("rev-parse", "HEAD");
    await workspace.ledger.append([{ ...version, id: "v:v1", version: "v1", commit }]);
    // The work tree has moved on: the version keeps the reward that it trained with.
    project1.write("harness/main.reward.yaml", reward("{ shape: linear, weight: 7 }"));
    const place = placeOf(root);
    await mkdir(place.evidenceRoot, { recursive: true });
    const owner = await keepEngine(place, { role: "verb" });
    // 4 groups of 4: two with one pass, two where the flat tiers make .6 and .9 the same.
    const values = [
      [1, 0.2, 0.2, 0],
      [1, 0, 0, 0],
      [0.6, 0.9, 0.6, 0.6],
      [0.5, 0.5, 0.5, 0.5],
    ];
    const tiers = (x: number): number => (x === 0 ? 0 : x < 0.5 ? 0.3 : x < 1 ? 0.5 : 1);
    const path = join(place.evidenceRoot, "v1.jsonl");
    for (const [g, group] of values.entries())
      for (const [sample, x] of group.entries())
        appendFileSync(
          path,
          toLine(
            makeRollout({
              id: `${g}-${sample}`,
              run: "v1.train.s1",
              group: `g${g}`,
              sample,
              outcome: x === 1 ? "pass" : "fail",
              reward: tiers(x),
              components: { correctness: x },
              turns: Array.from({ length: g === 0 ? 12 : 3 }, () => ({
                role: "assistant",
                text: "",
                tool: "edit",
              })),
            }),
          ),
        );
    await ingestFile(owner.store, { path, kind: "rollouts", version: "v1", run: "v1.train.s1" });
    for (const name of ["imported", "more-1", "more-2"]) {
      const other = join(place.evidenceRoot, `${name}.jsonl`);
      await writeFile(other, toLine(makeRollout({ run: name, reward: null })));
      await ingestFile(owner.store, { path: other, kind: "rollouts", version: name, run: name });
    }
    await owner.close();
  });
  after(() => project1.dispose());

  const inPlace = async (
    spec: string,
    options: Omit<BacktestOptions, "spec"> = {},
  ): Promise<{ code: number; printed: string }> => {
    let printed = "";
    const io = {
      ...{ json: false, color: false, live: false, terminal: false, columns: 1000 },
      out: (t: string) => void (printed += t),
      err: () => undefined,
    };
    return { code: await backtest(io, root, { spec, ...options }), printed };
  };

  it("tries a diagnostic on all versions with --against all, as without it", async () => {
    project1.write(
      "tries.diagnostic.yaml",
      'apiVersion: evotrainer/v1\nkind: Diagnostic\nname: tries\nlabel: { when: "n_turns > 5" }\n',
    );
    const all = await inPlace("tries.diagnostic.yaml", { against: "all" });
    assert.equal(all.code, 0);
    assert.match(all.printed, /^v1 .*\n(?:.*\n)*imported .*\nmore-1 .*\nmore-2 /m);
    assert.deepEqual(await inPlace("tries.diagnostic.yaml"), all);
  });

  const run = async (text: string, options: Omit<BacktestOptions, "spec"> & { json?: boolean } = {}) => {
    const { json = false, ...rest } = options;
    project1.write("try.reward.yaml", text);
    let printed = "";
    const io = {
      json,
      color: false,
      live: false,
      terminal: false,
      columns: 1000,
      out: (t: string) => void (printed += t),
      err: () => undefined,
    };
    const code = await backtest(io, root, { spec: "try.reward.yaml", ...rest });
    return { code, printed: json ? printed : printed.replaceAll("\n  ", " ") };
  };

  it("compares with the version's reward at its commit, and describes the result in words", async () => {
    const { code, printed } = await run(reward("{ shape: linear, weight: 1 }"));
    assert.equal(code, 0);
    assert.match(
      printed,
      /^v1, train split, against its own reward, harness\/main\.reward\.yaml at [0-9a-f]{8}\n/,
    );
    assert.match(printed, /- Dead groups .* 50\.0 % → 25\.0 % of 4 groups: 1 of 2 dead groups revived\./);
    assert.doesNotMatch(printed, /recorded rewards/);
  });

  it("calls a change that group normalisation cancels a no-op, and exits with 1", async () => {
    const { code, printed } = await run(reward("{ shape: flat, weight: 3 }"));
    assert.equal(code, 1);
    assert.match(printed, /No-op: in every group/);
  });

  it("calls a change of the filter no no-op, whether the reward is as it was or scaled", async () => {
    const same = await run(reward("{ shape: flat, weight: 1 }", "{ kind: std, warmup: 0 }"));
    assert.match(same.printed, /- The reward is as before: only the filter changes\./);
    const scaled = await run(reward("{ shape: flat, weight: 3 }", "{ kind: std, warmup: 0 }"));
    assert.match(scaled.printed, /- Only the filter changes something: /);
    for (const { printed } of [same, scaled]) assert.doesNotMatch(printed, /No-op/);
  });

  it("replays a filter and length limits, and reads values derived from a rollout", async () => {
    const { code, printed } = await run(
      reward("{ shape: linear, weight: 1 }", "{ kind: std, warmup: 0, minKeep: 0 }").replace(
        "filter:",
        "  streak: { signal: rollout.longest_tool_streak, above: 4, weight: -0.2 }\nfilter:",
      ),
      { turnLimits: [10], tokenLimits: [1] },
    );
    assert.equal(code, 0);
    assert.match(printed, /The filter \(std, absolute, keep 0\.9\) keeps 50\.0 % → [\d.]+ % of 4 groups/);
    assert.match(
      printed,
      /At most 10 turns: 4 rollouts of 16 cut, 1 of 2 successes lost, 50\.0 % \[[\d.]+, [\d.]+\]; saves 9\.5 % of the turns/,
    );
    assert.match(printed, /At most 1 token: 16 rollouts of 16 cut/);
    // The penalty takes the same from all rollouts of the one group that it hits.
    assert.match(printed, /Dead groups .* 50\.0 % → 25\.0 %/);
  });

  it("names the known components when no rollout has one that the spec uses, and replays nothing", async () => {
    const { code, printed } = await run(reward("{ signal: corectness, shape: linear, weight: 1 }"));
    assert.equal(code, 1);
    assert.match(printed, /Of 16 rollouts none can be replayed/);
    assert.match(printed, /16 rollouts without corectness/);
    assert.match(printed, /No rollout has corectness; the evidence has correctness\./);
  });

  it("covers all versions, and says what it compares with when no spec is known", async () => {
    const { printed } = await run(reward("{ weight: 1, shape: linear }"), { against: "all", json: true });
    const report = JSON.parse(printed) as { results: { version: string; base: { type: string } }[] };
    assert.deepEqual(
      report.results.map((r) => [r.version, r.base.type]),
      [
        ["v1", "spec"],
        ["imported", "archived"],
        ["more-1", "archived"],
        ["more-2", "archived"],
      ],
    );
    const all = await run(reward("{ weight: 1, shape: linear }"), { against: "all" });
    assert.match(all.printed, /^v1 +train +4 +50\.0 % +25\.0 % +1 +0 +0 +75\.0 %$/m);
    assert.match(all.printed, /^more-2 +train +0 +– +– +0 +0 +0 +– +nothing to replay$/m);
    const imported = await run(reward("{ weight: 1, shape: linear }"), { against: "imported" });
    assert.match(
      imported.printed,
      /against the recorded reward, because imported is not in the lineage of toy/,
    );
    assert.equal(imported.code, 1);
  });

  it("refuses a spec or version that it cannot read, and says where the mistake is", async () => {
    await assert.rejects(
      run(reward("{ shape: square, weight: 1 }")),
      (e) =>
        HarnessError.is(e, "specInvalid") &&
        /try\.reward\.yaml:5: components\.correctness\.shape/.test(e.message),
    );
    await assert.rejects(run(flat, { against: "v9" }), (e) => HarnessError.is(e, "notFound"));
    const io = {
      json: false,
      color: false,
      live: false,
      terminal: false,
      columns: 80,
      out: () => {},
      err: () => {},
    };
    await assert.rejects(backtest(io, root, { spec: "evotrainer.yaml" }), (e) =>
      HarnessError.is(e, "badInput"),
    );
    await assert.rejects(backtest(io, root, { spec: "no.reward.yaml" }), (e) =>
      HarnessError.is(e, "notFound"),
    );
    const path = "harness/interventions/bolder.intervention.yaml";
    const edit =
      "  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: linear, to: flat }";
    project1.write(path, interventionWith(edit).replace("name: binary-reward", "name: bolder"));
    for (const spec of [path, "bolder"])
      await assert.rejects(
        backtest(io, root, { spec }),
        (e) => HarnessError.is(e, "badInput") && e.message.startsWith(`${spec} is an intervention, which is`),
      );
  });

  it("gives the same answer in this process and through another owner's socket, for a text that is in no file", () => {
    const ask = {
      path: "unsaved.reward.yaml",
      text: reward("{ shape: binary, weight: 1 }"),
      versions: ["v1"],
      turnLimits: [2],
    };
    return withEngine(placeOf(root), async (own) => {
      const told = async (engine: typeof own) => {
        const { spec, results } = await engine.request("backtest.reward", ask);
        return { spec, results: results.map((r) => ({ ...r, milliseconds: null })) };
      };
      const here = await told(own);
      assert.equal(here.results[0]?.reward.dead.after, 2);
      assert.deepEqual(await withEngine(placeOf(root), told), here);
    });
  });
});
