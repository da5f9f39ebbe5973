import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { labelShare } from "../../../shared/model/labelShare.ts";
import type { Rollout } from "../../../shared/model/rollout.ts";
import { ingestFile } from "../evidence/ingest/ingest.ts";
import { groupSignals } from "../evidence/queries/signals.ts";
import type { Store } from "../evidence/archive/store.ts";
import { compilePredicate } from "../predicate/compile.ts";
import { shippedDiagnostics } from "../project/library.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../test/support/evidence/evidence.ts";
import { groupFacts } from "./groupFacts.ts";
import { labelGroups } from "./groups.ts";

const shipped = (...names: readonly string[]) =>
  names.map((wanted) => {
    const found = shippedDiagnostics().find(({ spec }) => spec.name === wanted);
    assert.ok(found);
    return found.spec;
  });
const dead = shipped("dead-group");

type Sample = readonly [Rollout["outcome"], number | null];

describe("groups that hold an unknown outcome", () => {
  let workspace: Workspace;
  let store: Store;
  let versions = 0;
  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  after(() => workspace.remove());

  /** A run with the groups, and whether each of them is dead in memory. */
  async function archive(groups: readonly (readonly Sample[])[]) {
    const version = `v${versions++}`;
    const made = groups.map((samples, g) =>
      samples.map(([outcome, reward], sample) =>
        makeRollout({
          ...{ id: `r${g}-${sample}`, run: version, split: "train", item: `i${g}`, group: `g${g}`, sample },
          ...{ outcome, reward },
          ...(outcome === "unknown" ? { unknown_reason: "the sandbox broke" } : {}),
        }),
      ),
    );
    const path = workspace.file(`${version}.jsonl`);
    await writeFile(path, made.flat().map(toLine).join(""));
    await ingestFile(store, { path, kind: "rollouts", version, run: version });
    const scope = { split: "train", version } as const;
    const [count] = await labelGroups(store, dead, scope);
    const { groups: measured, dead: none, deadGroupRatio, topShare } = await groupSignals(store, scope);
    return { made, scope, count, signals: [measured, none, deadGroupRatio] as const, top: topShare };
  }
  const whenDead = (group: readonly Rollout[]): boolean | null => {
    const [spec] = dead;
    const compiled = compilePredicate(spec?.label.when ?? "", "group", spec?.params ?? {});
    assert.ok(compiled.ok);
    return compiled.predicate.test(groupFacts(group));
  };

  it("are not dead because what broke was given the reward of a failure", async () => {
    const { made, count, signals } = await archive([
      [
        ["fail", 0],
        ["fail", 0],
        ["unknown", 0],
      ],
      [
        ["fail", 0],
        ["pass", 1],
        ["unknown", 0],
      ],
      [
        ["fail", 0],
        ["fail", 0],
        ["fail", 0],
      ],
      [
        ["unknown", 0],
        ["unknown", 0],
        ["unknown", 0],
      ],
      // Without a reward nothing of it went into training.
      [
        ["fail", 0],
        ["fail", 0],
        ["unknown", null],
      ],
      // The only spread comes from what broke.
      [
        ["pass", 1],
        ["pass", 1],
        ["unknown", 0],
      ],
    ]);
    assert.deepEqual([count?.rollouts, count?.labelled, count?.undecided], [6, 2, 3]);
    assert.deepEqual([count?.over, count?.split], ["group", "train"]);
    assert.deepEqual(signals, [3, 2, 2 / 3]);
    assert.deepEqual(made.filter((_, i) => i !== 3).map(whenDead), [null, false, true, true, null]);
  });
  it("are neither solved nor unsolved while an unknown outcome leaves that open, and nor are groups of one", async () => {
    const { scope } = await archive([
      [
        ["fail", 0],
        ["fail", 0],
        ["unknown", 0],
      ],
      [
        ["fail", 0],
        ["fail", 0],
      ],
      [
        ["pass", 1],
        ["pass", 1],
        ["unknown", 0],
      ],
      [
        ["pass", 1],
        ["fail", 0],
        ["unknown", 0],
      ],
      [["fail", 0]],
    ]);
    const counts = await labelGroups(
      store,
      shipped("unsolved-group", "solved-group", "similar-solutions"),
      scope,
    );
    assert.deepEqual(
      counts.map(({ name, labelled, undecided, rollouts }) => [name, labelled, undecided, rollouts]),
      [
        ["unsolved-group", 1, 2, 5],
        ["solved-group", 0, 2, 5],
        ["similar-solutions", 0, 5, 5],
      ],
    );
  });
  it("have the same share by dead-group as by dead_group_ratio, even beside groups of one", async () => {
    const { count, signals } = await archive([
      [
        ["fail", 0],
        ["fail", 0],
      ],
      [
        ["fail", 0],
        ["pass", 1],
      ],
      [["fail", 0]],
      [["unknown", null]],
    ]);
    assert.ok(count);
    const { rate, decided } = labelShare(count);
    assert.deepEqual([rate, decided], [1 / 2, 2]);
    assert.deepEqual(signals, [2, 1, rate]);
  });
  it("are not dead because the reward is missing of passes alone, which are no small part of its share then", async () => {
    const { made, count, signals, top } = await archive([
      [
        ["fail", 0],
        ["fail", 0],
        ["pass", null],
        ["pass", null],
      ],
      [
        ["fail", 0],
        ["fail", 0],
        ["fail", 0],
        ["fail", 0],
      ],
      // The reward of a failure is missing beside those of failures.
      [
        ["fail", 0],
        ["fail", 0],
        ["fail", null],
      ],
      [
        ["pass", null],
        ["pass", null],
        ["pass", null],
        ["pass", null],
      ],
    ]);
    assert.deepEqual([count?.rollouts, count?.labelled, count?.undecided], [4, 2, 2]);
    assert.deepEqual(signals, [2, 2, 1]);
    assert.deepEqual(made.map(whenDead), [null, true, true, null]);
    // 8 of 14: the six passes have another reward than the failures, and nobody knows whether they share one.
    assert.equal(top, 8 / 14);
  });
  it("have no most frequent reward where more passes than that lack theirs", async () => {
    const { top } = await archive([
      [
        ["fail", 0],
        ["pass", null],
        ["pass", null],
      ],
    ]);
    assert.equal(top, null);
  });
  it("are counted as they are where the source has no verdict at all", async () => {
    const { made, count, signals } = await archive([
      [
        ["unknown", 0.5],
        ["unknown", 0.5],
      ],
      [
        ["unknown", 0],
        ["unknown", 1],
      ],
    ]);
    assert.deepEqual([count?.rollouts, count?.labelled, count?.undecided], [2, 1, 0]);
    assert.deepEqual(signals, [2, 1, 1 / 2]);
    assert.deepEqual(made.map(whenDead), [true, false]);
  });
});
