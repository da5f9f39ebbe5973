import assert from "node:assert/strict";
import type { LabelCount } from "../../../../shared/ledger/measures.ts";
import { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { ProjectSpec } from "../../../../shared/spec/project.ts";
import { publishedTree, treePasses } from "../../../../test/support/lineage/publishedTree.ts";
import { comparePaired } from "../../statistics/comparison/compare.ts";
import { scoreOf } from "../../statistics/scores/score.ts";
import { decideVersion, type TrainedVersion } from "../decide.ts";
import type { Archived } from "./decideAgain.ts";
import { outcomesOf, seedsOf, type ArchivedVersion, type RolloutTally } from "./evidence.ts";
import { replayLineage, type RecordedVersion, type ReplayedVersion } from "./replayLineage.ts";
import { recordedRules, type ReplayRules } from "./rules.ts";
import { summaryOf } from "./sentences.ts";

const gates = ProjectSpec.shape.gates.parse({});
const samples = 8;
const aggregator = "macro";

/** Passes of 8 for every item, seed by seed. */
type Passes = readonly (readonly number[])[];

function archive(passes: Passes): ArchivedVersion {
  const tallies: RolloutTally[] = [];
  for (const [item] of (passes[0] ?? []).entries())
    for (const [i, seed] of passes.entries())
      for (const [outcome, count] of [
        ["pass", seed[item] ?? 0],
        ["fail", samples - (seed[item] ?? 0)],
      ] as const)
        if (count > 0) tallies.push({ item: `item-${item}`, seed: i + 1, outcome, spoiled: false, count });
  return { tallies, labels: null, groups: [] };
}

interface Made {
  readonly name: string;
  readonly parent: string | null;
  readonly passes: Passes;
  readonly kind?: TrainedVersion["kind"];
  readonly labels?: readonly LabelCount[];
  readonly candidates?: number;
  readonly atLeast?: number;
  readonly failure?: TrainedVersion["failure"];
  readonly answer?: RecordedVersion["answer"];
  readonly generation?: number;
  readonly targets?: readonly string[];
}

/** A lineage that was decided as the loop decides, by all seeds. */
function lineage(made: readonly Made[]): RecordedVersion[] {
  const archives = new Map(made.map(({ name, passes }) => [name, archive(passes)]));
  const all = (name: string) => {
    const of = archives.get(name) ?? archive([]);
    return outcomesOf(of, new Set(seedsOf(of)));
  };
  return made.map((one) => {
    const { name, parent, labels = [], candidates = 1, failure = null, generation = 1 } = one;
    const score = scoreOf(all(name), { aggregator });
    const comparison =
      parent === null
        ? null
        : comparePaired(parent, all(parent), all(name), { aggregator, confidence: 0.95, candidates });
    const trained: TrainedVersion = {
      kind: one.kind ?? "change",
      failure,
      measured: { score, cleanScore: score, labels, signals: { dead_group_ratio: 0.4 } },
      comparison,
      terms: {
        success:
          one.atLeast === undefined ? null : { metric: "solve_rate", atLeast: one.atLeast, confidence: 0.95 },
        guardrails: [],
      },
    };
    const { decision, reason } = decideVersion(trained);
    const archived: Archived = { type: "there", of: archives.get(name) ?? archive([]) };
    return {
      ...{ name, parent, generation, archived },
      decision: { decision, reason },
      decided: { name, against: parent, trained, isImported: false, candidates, look: null, takesOut: null },
      answer: one.answer ?? null,
      targets: one.targets ?? [],
    };
  });
}

const withoutRollouts = (versions: readonly RecordedVersion[]): RecordedVersion[] =>
  versions.map((version) => ({
    ...version,
    archived: { type: "missing", why: "the archive has no rollouts of it" },
  }));

function replay(versions: readonly RecordedVersion[], rules: Partial<ReplayRules> = {}): ReplayedVersion[] {
  return replayLineage(versions, { rules: { ...recordedRules, ...rules }, gates, aggregator });
}

const states = (versions: readonly ReplayedVersion[]): unknown[] =>
  versions.map(({ name, state, now }) => [name, state, now?.decision ?? null]);

/** The same number of passes for 40 items, a little more for every second one. */
const flat = (passes: number): number[] =>
  Array.from({ length: 40 }, (_, i) => Math.min(samples, Math.max(0, passes + (i % 3) - 1)));

const leak: LabelCount = {
  ...{ name: "leak", severity: "critical", labelled: 3, rollouts: 320 },
  ...{ alert: null, invalidates: true },
};

/** A base, a baseline, a change that is better with seed 1 only, and one that is better with every seed and built upon. */
const evolution = lineage([
  { name: "v0", parent: null, kind: "base", passes: [flat(2), flat(2), flat(2)], generation: 0 },
  { name: "v1", parent: "v0", kind: "baseline", passes: [flat(3), flat(3), flat(3)], generation: 0 },
  { name: "v2-luck", parent: "v1", passes: [flat(5), flat(2), flat(2)], candidates: 2 },
  { name: "v3-real", parent: "v1", passes: [flat(5), flat(5), flat(5)], candidates: 2 },
  { name: "v4-more", parent: "v3-real", passes: [flat(7), flat(7), flat(6)], generation: 2 },
  {
    ...{ name: "v5-leak", parent: "v3-real", passes: [flat(7), flat(7), flat(7)], generation: 2 },
    labels: [leak],
  },
  {
    ...{ name: "v6-crash", parent: "v4-more", passes: [[], [], []], generation: 3 },
    failure: { failure: "crash", message: "It ended with 1." },
  },
]);

describe("a replay by the recorded rules", () => {
  const recorded = evolution.map(({ name, decision }) => [name, "same", decision?.decision]);
  it("repeats every decision and its reason, from the rollouts and from the ledger alone", () => {
    for (const versions of [evolution, withoutRollouts(evolution)]) {
      const replayed = replay(versions);
      assert.deepEqual(states(replayed), recorded);
      for (const { recorded: was, now } of replayed) assert.deepEqual(now, was);
      assert.deepEqual(
        replayed.flatMap(({ notes }) => notes),
        [],
      );
    }
    const same = "7 versions decided again: every decision is the same.";
    assert.deepEqual(summaryOf(replay(evolution)), [same]);
    assert.deepEqual(summaryOf(replay(withoutRollouts(evolution))), [
      same,
      `${evolution.map(({ name }) => name).join(", ")} were decided from the numbers in the ledger, because the archive lacks rollouts.`,
    ]);
  });

  it("repeats the published tree, whatever was invented of its items", () => {
    for (const spread of ["steady", "usual"] as const) {
      const passes = treePasses(spread, 1);
      const tree = lineage(
        publishedTree.map(({ name, parent }) => ({
          ...{ name, parent, passes: [passes.get(name) ?? []] },
          kind: name === "v0" ? "base" : name === "v1" ? "baseline" : "change",
        })),
      );
      for (const { state, recorded: was, now } of replay(tree)) {
        assert.equal(state, "same");
        assert.deepEqual(now, was);
      }
    }
  });

  it("keeps to the ledger where the archive gives another comparison now, and says so", () => {
    const [first, second] = evolution;
    assert.ok(first && second);
    const other: RecordedVersion = {
      ...second,
      archived: { type: "there", of: archive([flat(1), flat(1), flat(1)]) },
    };
    const [, v1] = replay([first, other]);
    assert.equal(v1?.state, "same");
    assert.match(
      v1.notes[0] ?? "",
      /rests on what the ledger has \(\+12\.5 points .*archive it is −12\.5 points/,
    );
  });
});

describe("a replay by other rules", () => {
  it("shows what one seed would have decided", () => {
    const replayed = replay(evolution, { seeds: 1 });
    const luck = replayed.find(({ name }) => name === "v2-luck");
    assert.deepEqual(
      [luck?.state, luck?.recorded?.decision, luck?.now?.decision],
      ["changed", "reject", "keep"],
    );
    assert.deepEqual(luck?.comparison?.seeds, [1, 1]);
    assert.equal(luck.basis, "rollouts");
    assert.match(summaryOf(replayed)[0] ?? "", /1 decision changes \(v2-luck\)/);
  });

  it("cannot use more seeds than there are, and says how many there are", () => {
    const replayed = replay(evolution, { seeds: 4 });
    assert.deepEqual(
      replayed.map(({ state }) => state),
      [...Array.from({ length: 6 }, () => "cannot_tell"), "same"],
    );
    assert.deepEqual(replayed[1]?.notes, [
      "It cannot be decided again: it has 3 seeds in the archive, and these rules need 4.",
    ]);
  });

  it("cannot leave seeds out where only the ledger's numbers are left", () => {
    const [, v1] = replay(withoutRollouts(evolution), { seeds: 1 });
    assert.deepEqual(v1?.notes, ["It cannot be decided again: the archive has no rollouts of it."]);
  });

  it("compares at another confidence, corrected for the candidates of the generation", () => {
    const replayed = replay(evolution, { confidence: 0.8 });
    const real = replayed.find(({ name }) => name === "v3-real");
    assert.ok(Math.abs((real?.comparison?.confidence ?? 0) - 0.9) < 1e-12);
  });

  it("marks what would not have been tried, with all that follows from it", () => {
    const replayed = replay(evolution, { guardrails: [{ metric: "solve_rate", atMost: 0.5 }] });
    assert.deepEqual(states(replayed), [
      ["v0", "same", "base"],
      ["v1", "same", "keep"],
      ["v2-luck", "same", "reject"],
      ["v3-real", "changed", "reject"],
      ["v4-more", "not_tried", null],
      ["v5-leak", "not_tried", null],
      ["v6-crash", "not_tried", null],
    ]);
    assert.deepEqual(replayed[4]?.notes, [
      "It would not have been tried: its parent v3-real would have been rejected.",
    ]);
    assert.match(replayed[6]?.notes[0] ?? "", /its parent v4-more would not have been tried either/);
  });

  it("takes a diagnostic away: what it invalidated is decided by its score", () => {
    const leaking = replay(evolution, { without: ["leak"] }).find(({ name }) => name === "v5-leak");
    assert.deepEqual([leaking?.recorded?.decision, leaking?.now?.decision], ["invalid", "keep"]);
    assert.match(leaking?.now?.reason ?? "", /^Better: /);
  });

  it("says that nothing would have called for a change that only the missing diagnostic asked for", () => {
    const [base, ...rest] = evolution;
    assert.ok(base);
    const asked = rest.map((v) => (v.name === "v2-luck" ? { ...v, targets: ["leak"] } : v));
    const luck = replay([base, ...asked], { without: ["leak"] }).find(({ name }) => name === "v2-luck");
    assert.deepEqual(luck?.notes, [
      "It answers only leak, which nobody would have looked for under these rules.",
    ]);
  });

  it("labels by other diagnostics, seed by seed", () => {
    const spec = DiagnosticSpec.parse({
      ...{ apiVersion: "evotrainer/v1", kind: "Diagnostic", name: "late" },
      label: { when: "n_turns > 1", severity: "critical", invalidates: true },
    });
    const labelled = evolution.map((version): RecordedVersion => {
      const { archived, name } = version;
      if (archived.type === "missing" || name !== "v3-real") return version;
      const tallies = [1, 2, 3].map((seed) => ({
        ...{ seed, outcome: "pass" as const, rollouts: 320, undecided: 0 },
        labelled: seed === 1 ? 0 : 2,
      }));
      const labels = [{ spec, revision: "r", tallies }];
      return { ...version, archived: { type: "there", of: { ...archived.of, labels } } };
    });
    const decided = (rules: Partial<ReplayRules>) =>
      replay(labelled, rules).find(({ name }) => name === "v3-real")?.now?.reason ?? "";
    assert.match(decided({ harness: "v4-more" }), /^Quarantined for late in 4 of 960 rollouts/);
    assert.match(decided({ harness: "v4-more", seeds: 1 }), /^Better/);
  });
});

describe("a replay from the ledger's numbers alone", () => {
  const alone = withoutRollouts(evolution);
  const at = (confidence: number) => replay(alone, { confidence });
  const v3 = (versions: readonly ReplayedVersion[]) => versions.find(({ name }) => name === "v3-real");

  it("keeps a verdict at a lower confidence, and says that the interval is the old one", () => {
    assert.deepEqual([v3(at(0.8))?.state, v3(at(0.8))?.basis], ["same", "ledger"]);
    assert.match(
      v3(at(0.8))?.notes[0] ?? "",
      /is that at 97\.5 % confidence.*at 90 % the verdict is the same/,
    );
  });
  it("does not decide what a higher confidence could turn around", () => {
    assert.equal(v3(at(0.999))?.state, "cannot_tell");
    assert.match(
      v3(at(0.999))?.notes[0] ?? "",
      /the ledger has its interval at 97\.5 % confidence only, and the archive has no rollouts of it\.$/,
    );
    assert.match(
      replay(alone, { confidence: 0.999 }).find(({ name }) => name === "v4-more")?.notes[0] ?? "",
      /cannot be decided again/,
    );
  });
  it("leaves what is inside the noise there at a higher confidence", () => {
    const luck = at(0.999).find(({ name }) => name === "v2-luck");
    assert.deepEqual([luck?.state, luck?.now?.decision], ["same", "reject"]);
  });
  it("decides what a label made invalid whichever way the comparison would go", () => {
    assert.equal(at(0.999).find(({ name }) => name === "v5-leak")?.state, "same");
  });
  it("does not call a limit broken because the archive lacks its metric", () => {
    const [, v1] = replay(alone, { guardrails: [{ metric: "kl", atMost: 1 }] });
    assert.match(v1?.notes[0] ?? "", /the ledger has no kl of it, and the archive has no rollouts of it/);
  });
});

describe("the gates of a replay", () => {
  const rule = { answer: "approve", by: "rule: autonomy full" } as const;
  const ada = { answer: "reject", by: "ada" } as const;
  const asked = evolution.map((v): RecordedVersion =>
    v.parent === null || v.name === "v1" ? v : { ...v, answer: v.name === "v5-leak" ? ada : rule },
  );
  const says = (rules: Partial<ReplayRules>, name: string) =>
    replay(asked, rules).find((v) => v.name === name)?.gate?.says ?? null;

  it("wait for a person each time where a person answers", () => {
    assert.match(
      says({ gates: "human" }, "v4-more") ?? "",
      /would have waited for a person; the rule approved/,
    );
    assert.equal(says({ gates: "human" }, "v5-leak"), null);
  });
  it("ask a person for the first versions and after failures, even if the rule answers", () => {
    assert.match(says({ gates: "full" }, "v3-real") ?? "", /because the first 3 versions/);
    assert.match(says({ gates: "full" }, "v6-crash") ?? "no change", /no change/);
  });
  it("would have let through what a person rejected, and nobody knows how it would have ended", () => {
    const lenient = { ...gates, firstVersionsGated: 0 };
    const [, , , , , leaking] = replayLineage(asked, {
      ...{ rules: { ...recordedRules, gates: "full" }, gates: lenient, aggregator },
    });
    assert.match(leaking?.gate?.says ?? "", /ada rejected it, so nobody knows/);
  });
  it("are left alone where the rules do not speak of them", () => assert.equal(says({}, "v4-more"), null));
});
