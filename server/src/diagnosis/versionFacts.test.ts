import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import type { Rollout, Turn } from "../../../shared/model/rollout.ts";
import { ingestFile } from "../evidence/ingest/ingest.ts";
import type { Store } from "../evidence/archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../test/support/evidence/evidence.ts";
import { shippedDiagnostics } from "../project/library.ts";
import { variablesOf } from "../predicate/variables.ts";
import { diagnose } from "./diagnose.ts";
import { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { groupTables, labelGroups } from "./groups.ts";
import { versionValues, type VersionValues } from "./versionFacts.ts";

const call = (tool: string, more: Partial<Turn> = {}): Turn => ({
  role: "assistant",
  text: "",
  tool,
  ...more,
});
const edit = (path: string, ok = true): Turn => call("edit", { args: { path }, ok });
const test = call("bash", { args: { command: "pytest -q" }, ok: true });

/** Groups of two; the fourth has a third rollout. */
const groupOf = (i: number): number => (i < 8 ? Math.floor(i / 2) : i === 8 ? 3 : 4);

const selection = { split: "selection" } as const;
const about = (changes: readonly Partial<Rollout>[]): Rollout[] =>
  changes.map((c, i) =>
    makeRollout({ split: "selection", id: `r-${i}`, item: `item-${i % 2}`, group: `g-${i % 2}`, ...c }),
  );

describe("the variables of a version", () => {
  let workspace: Workspace;
  let store: Store;
  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
    const versions: Readonly<Record<string, readonly Rollout[]>> = {
      v0: about([
        { outcome: "pass", reward: 1, tokens: 10, turns: [edit("a.py"), test], logprob_mean: -0.2 },
        { outcome: "fail", reward: 0, tokens: 30, turns: [edit("a.py", false), edit("b.py")] },
        { outcome: "fail", reward: 0, tokens: 20, turns: [edit("b.py")], step: 1 },
        { outcome: "unknown", unknown_reason: "crash", reward: null, tokens: null, turns: [] },
      ]),
      rising: about(
        [0, 1, 2, 3].map((step) => ({ step, turns: Array.from({ length: step + 1 }, () => test) })),
      ),
      trained: [
        ...about([{ reward: 1 }, { reward: 0 }]),
        ...about([{ reward: 0.5 }, { reward: 0.5 }]).map((r) => ({
          ...r,
          id: `t-${r.id}`,
          split: "train" as const,
          group: "train",
        })),
      ],
      // Two phantom groups, one with both outcomes, one that an unknown outcome leaves open, one without a spread.
      phantom: (
        [
          ["fail", 0.2, { format: 1, total: 0.2 }],
          ["fail", 0, { format: 0, total: 0 }],
          ["pass", 1.2, { format: 1, total: 1.2 }],
          ["pass", 1, { format: 0, total: 1 }],
          ["pass", 1.2, { format: 1, total: 1.2 }],
          ["fail", 0, { format: 0, total: 0 }],
          ["fail", 0.2, { format: 1, total: 0.2 }],
          ["fail", 0, { format: 0, total: 0 }],
          ["unknown", 0, {}],
          ["fail", 0, { format: 0, total: 0 }],
          ["fail", 0, { format: 0, total: 0 }],
        ] as const
      ).map(([outcome, reward, components], i) =>
        makeRollout({
          ...{ split: "selection", id: `r-${i}`, outcome, reward, components },
          ...{ item: `i-${groupOf(i)}`, group: `g-${groupOf(i)}`, sample: i },
          ...(outcome === "unknown" ? { unknown_reason: "crash" } : {}),
        }),
      ),
      broken: about([
        ...[1, 1, 0.5].map((reward) => ({ outcome: "pass" as const, reward })),
        ...Array.from({ length: 5 }, () => ({
          outcome: "unknown" as const,
          unknown_reason: "sandbox",
          reward: 0,
        })),
      ]),
      // What some sources do: a reward for failures only.
      oneSided: about([
        { outcome: "pass", reward: null },
        { outcome: "fail", reward: 0 },
        { outcome: "fail", reward: 0.2 },
      ]),
      // The long item is the easy one; of its rollouts the longer ones earn less, as of those of the other.
      lengths: about(
        [
          [100, 1],
          [10, 0.2],
          [120, 0.8],
          [30, 0],
        ].map(([tokens, reward]) => ({ tokens: tokens ?? 0, reward: reward ?? 0 })),
      ),
      // One pair says nothing of the others, which have no group.
      alone: about(
        [0, 1, 2, 3, 4, 5].map((i) => ({
          tokens: 10 * i,
          reward: i < 5 ? i : 3,
          group: `g-${Math.min(i, 4)}`,
        })),
      ),
      more: about([{ turns: Array.from({ length: 5 }, () => test) }]),
      edits: about([
        {
          turns: [
            ...[
              "cat > try.py << 'EOF'\nimport a\nEOF\npython3 try.py 2>&1",
              "cat > try.py << 'EOF'\nimport a\nEOF",
              "cd /app && sed -i 's/a/b/' missing.py",
              "sed -i 's/a/b/' a.py && python a.py",
              "git apply fix.patch; pytest_like",
            ].map((command) => call("shell", { args: { command }, ok: false })),
            call("shell", { args: { command: "sed -i 's/a/b/' a.py && python a.py" }, ok: true }),
          ],
        },
      ]),
      mute: about([
        { turns: [call("bash", { ok: false }), call("bash"), call("bash"), call("bash")], logprob_mean: -1 },
      ]),
    };
    for (const [version, rollouts] of Object.entries(versions)) {
      const path = workspace.file(`${version}.jsonl`);
      await writeFile(path, rollouts.map((r) => toLine({ ...r, run: version })).join(""));
      const report = await ingestFile(store, { path, kind: "rollouts", version, run: version });
      assert.deepEqual(report.quarantined, []);
    }
  });
  after(() => workspace.remove());

  const values = (
    version: string,
    split: typeof selection | { split: "train" } = selection,
  ): Promise<VersionValues> =>
    versionValues(store, { version, scope: split, aggregator: "micro", jobFailure: "crash" });
  const near = (found: VersionValues, expected: VersionValues): void => {
    for (const [name, value] of Object.entries(expected)) {
      const actual = found[name];
      if (typeof value === "number" && typeof actual === "number")
        assert.ok(Math.abs(actual - value) < 1e-9, `${name}: ${actual}, not ${value}`);
      else assert.equal(actual, value, name);
    }
  };

  it("are all there, under the names of the language", async () =>
    assert.deepEqual(
      Object.keys(await values("v0")).sort(),
      variablesOf("version")
        .map((v) => v.name)
        .sort(),
    ));

  it("agree with the rollouts", async () =>
    near(await values("v0"), {
      rollouts: 4,
      unknown_rate: 0.25,
      score: 1 / 3,
      score_low: 1 / 4,
      score_high: 1 / 2,
      rewards: 3,
      reward_mean: 1 / 3,
      // Of the rollouts whose turns were kept, as for the tests that the policy ran.
      turns_mean: 5 / 3,
      turns_mean_failed: 3 / 2,
      tokens_mean: 20,
      length_reward_correlation: -Math.sqrt(3) / 2,
      tool_failure_rate: 1 / 5,
      edit_failure_rate: 1 / 4,
      edit_ratio: 4 / 5,
      test_ratio: 1 / 5,
      search_ratio: 0,
      terminal_ratio: 0,
      self_test_rate: 1 / 3,
      tool_entropy: 1 / 3,
      sequence_diversity: 1,
      job_failure: "crash",
    }));

  it("say nothing of an edit whose command goes on and fails: it need not be the edit", async () =>
    // Told are the edit that stands alone, the one behind a `cd`, and the one that ended well.
    near(await values("edits"), { edit_ratio: 1, edit_failure_rate: 2 / 3, tool_failure_rate: 5 / 6 }));

  it("count the groups whose rewards differ though no outcome does, and name what is paid there", async () => {
    near(await values("phantom"), { phantom_group_ratio: 2 / 3, phantom_component: "format" });
    near(await values("trained", { split: "train" }), { phantom_group_ratio: null, phantom_component: null });
    const group = shippedDiagnostics()
      .map(({ spec }) => spec)
      .filter(({ name }) => name === "phantom-group");
    const [count] = await labelGroups(store, group, { split: "selection", version: "phantom" });
    assert.deepEqual([count?.labelled, count?.undecided, count?.rollouts], [2, 1, 5]);
  });
  it("take the reward of a rollout that broke for none that the policy earned", async () =>
    // Three of eight rewards were earned: too few to say which value holds most of them.
    near(await values("broken"), { rollouts: 8, rewards: 3, reward_mean: 5 / 6, top_reward_share: null }));

  it("compare lengths and rewards within groups, so that an easy item with long answers pays nobody for length", async () =>
    near(await values("lengths"), { length_reward_correlation: -1 }));
  it("compare lengths and rewards of all rollouts where few have another in their group", async () =>
    near(await values("alone"), { length_reward_correlation: 0.907841299003 }));

  it("have no mean of the rewards that failures have alone", async () => {
    near(await values("oneSided"), { rollouts: 3, rewards: 2, reward_mean: null });
    const groups = groupTables({ ...selection, version: "oneSided" }, { withFiles: false, withTurns: false });
    const [group] = await store.query({
      sql: `WITH ${groups.sql} SELECT reward_mean FROM groups WHERE "group" = 'g-0'`,
      params: groups.params,
    });
    assert.deepEqual(group, { reward_mean: null });
  });

  it("have no value when the evidence does not give one", async () => {
    near(await values("none"), {
      rollouts: 0,
      score: null,
      turns_mean: null,
      edit_ratio: null,
      self_test_rate: null,
    });
    // Of four calls one says how it ended.
    near(await values("mute"), {
      tool_failure_rate: null,
      edit_failure_rate: null,
      turns_rise: null,
      file_diversity: null,
    });
  });

  it("count the evaluations with rising turns up to the last, in the selection split only", async () => {
    near(await values("rising"), { turns_rise: 3 });
    near(await values("v0"), { turns_rise: 0 });
    near(await values("trained", { split: "train" }), { turns_rise: null });
  });

  it("count evaluations in a row, continuing through the ancestors that have any", async () => {
    const along = async (
      version: string,
      ...ancestors: string[]
    ): Promise<number | string | null | undefined> =>
      (await versionValues(store, { version, scope: selection, aggregator: "micro", ancestors }))[
        "turns_rise"
      ];
    // Mean turns: v0 ends with 1 in step 1, mute takes 4, rising 1 to 4, more 5.
    assert.equal(await along("more", "none", "mute", "v0"), 2);
    assert.equal(await along("more", "rising", "v0"), 4);
    assert.equal(await along("more", "rising", "none"), 4);
    assert.equal(await along("more"), null);
    assert.equal(await along("none", "rising"), null);
    const { findings } = await diagnose(store, {
      version: "more",
      parent: "rising",
      ancestors: ["rising", "v0"],
      domain: "swe",
      aggregator: "micro",
      diagnostics: shippedDiagnostics().flatMap(({ spec }) => (spec.name === "echo-trap-rule" ? [spec] : [])),
    });
    assert.deepEqual(
      findings.map((f) => f.message),
      [
        "Failed rollouts take an unknown value turns, all take 5; the turns rose in 4 evaluations in a row (R2).",
      ],
    );
  });

  it("use the signals of the training split if it has groups", async () =>
    near(await values("trained"), { dead_group_ratio: 1, reward_mean: 0.5, rollouts: 2 }));

  it("are compared with those of the parent, including labels and rates", async () => {
    const spec = (name: string, more: object): DiagnosticSpec =>
      DiagnosticSpec.parse({ apiVersion: "evotrainer/v1", kind: "Diagnostic", name, ...more });
    const diagnosis = await diagnose(store, {
      version: "rising",
      parent: "v0",
      domain: "swe",
      aggregator: "micro",
      diagnostics: [
        spec("tests", { label: { when: 'action_count("test") > 0' } }),
        spec("more-tests", {
          over: "version",
          label: {
            when: 'rate("tests") > parent_rate("tests") && turns_mean > parent.turns_mean',
            message: '{parent_rate("tests")%} to {rate("tests")%}.',
          },
        }),
        spec("small-group", {
          over: "group",
          label: { when: "size < 2", critical: "turns_mean > 3.0" },
          alert: { above: 0.5 },
        }),
      ],
    });
    assert.equal(diagnosis.parent, "v0");
    assert.deepEqual(
      diagnosis.findings.map((f) => `${f.severity} ${f.name}: ${f.message}`),
      [
        "warning more-tests: 33.3 % to 100 %.",
        "warning small-group: 100 % of the groups are labelled small-group.",
      ],
    );
    assert.deepEqual(
      diagnosis.labels.map(({ name, labelled, rollouts, over, severity }) => [
        name,
        labelled,
        rollouts,
        over,
        severity,
      ]),
      [
        ["tests", 4, 4, undefined, "warning"],
        ["small-group", 4, 4, "group", "critical"],
      ],
    );
  });
});
