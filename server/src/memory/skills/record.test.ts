import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { SkillUse } from "../../../../shared/ledger/skillUse.ts";
import { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { SkillSpec } from "../../../../shared/spec/skill.ts";
import { buildLineage, type Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { Doubts } from "./doubts.ts";
import { skillsIn } from "./fromVersion.ts";
import { knownTogether, recordOf } from "./record.ts";

const commit = (n: number): string => n.toString(16).padStart(40, "0");
const spec = (name: string, to: unknown, more: Record<string, unknown> = {}): InterventionSpec =>
  InterventionSpec.parse({
    ...{ apiVersion: "evotrainer/v1", kind: "Intervention", name, factor: "reward", targets: ["low-score"] },
    hypothesis: { change: "shape", metric: "solve_rate", direction: "increase", because: "it pays" },
    edit: [{ file: "r.yaml", path: "shape", from: "flat", to }],
    success: { atLeast: 0.02 },
    ...more,
  });

interface Told {
  readonly spec?: InterventionSpec;
  readonly decision?: "keep" | "reject" | "invalid" | "prune";
  readonly change?: readonly [number, number, number] | null;
  readonly stage?: "one_seed" | "replicated";
  readonly skill?: SkillUse;
  readonly speaksOf?: "part";
  readonly without?: string;
}

/** A version that was proposed on v1, and what became of it; undecided without a decision. */
function told(
  n: number,
  { spec: is = spec("linear", "linear"), decision, change, stage, ...more }: Told,
): LedgerEntry[] {
  const version = `v${n}`;
  const common = { at: `2026-01-${String(n).padStart(2, "0")}T00:00:00.000Z`, domain: "math", version };
  const [difference, low, high] = change ?? [0, 0, 0];
  return [
    {
      ...{ ...common, id: `version:${version}`, type: "version", commit: commit(n), parent: "v1" },
      ...{ generation: 1, factor: "reward", intervention: is.name, title: "t" },
      ...(more.without === undefined ? {} : { without: more.without }),
    },
    {
      ...{ ...common, id: `hypothesis:${version}`, type: "hypothesis", statement: "s", spec: is },
      ...{ targets: is.targets, predictedFixes: [], predictedRisks: [] },
      ...(more.skill === undefined ? {} : { skill: more.skill }),
      ...(more.speaksOf === undefined ? {} : { speaksOf: more.speaksOf }),
    },
    ...(decision === undefined
      ? []
      : [
          {
            ...{
              ...common,
              id: `decision:${version}`,
              type: "decision" as const,
              decision,
              reason: "r",
              evidence: [],
            },
            comparison:
              change == null
                ? null
                : {
                    ...{
                      against: "v1",
                      difference,
                      low,
                      high,
                      confidence: 0.95,
                      items: 60,
                      itemsNeeded: null,
                    },
                    verdict: low > 0 ? ("improved" as const) : ("inside_noise" as const),
                  },
            stage: stage ?? ("replicated" as const),
          },
        ]),
  ];
}

const start: LedgerEntry = {
  ...{ id: "version:v1", at: "2026-01-01T00:00:00.000Z", domain: "math", version: "v1", type: "version" },
  ...{ commit: commit(1), parent: null, generation: 0, factor: null, intervention: null, title: "start" },
};
const lineage = (...versions: readonly LedgerEntry[][]): Lineage =>
  buildLineage([start, ...versions.flat()], "math");
const doubts = ({ decision }: VersionRecord): Doubts => ({
  notKept: decision?.decision === "keep" ? null : "it was not kept.",
  held: null,
});
const better = [0.1, 0.05, 0.15] as const;
const use: SkillUse = { name: "linear", expected: { difference: 0.1, low: 0, high: 0.2, uses: 1 } };

/** The only skill that a lineage proves, with its record there. */
function only(of: Lineage, doubtsOf = doubts): ReturnType<typeof recordOf> {
  const { skills } = skillsIn(of, doubtsOf);
  assert.equal(skills.length, 1);
  const [first] = skills;
  assert.ok(first !== undefined);
  return recordOf(first.skill, of, doubtsOf);
}

describe("skills that a lineage proves", () => {
  it("are those of versions that were kept on several seeds, one for each change", () => {
    const of = lineage(
      told(2, { decision: "keep", change: better }),
      told(3, { decision: "keep", change: better }),
      told(4, { decision: "keep", change: better, spec: spec("linear", "square") }),
      told(5, { decision: "reject", change: [-0.1, -0.2, -0.05], spec: spec("other", "cubic") }),
    );
    const { skills, refused } = skillsIn(of, doubts);
    assert.deepEqual(
      skills.map(({ skill, versions }) => [skill.name, versions]),
      [
        ["linear", ["v2", "v3"]],
        ["v4", ["v4"]],
      ],
      "another change of the same name gets the name of its version",
    );
    assert.deepEqual(refused, []);
  });

  const patch = "--- a/r.py\n+++ b/r.py\n@@ -1 +1 @@\n-a\n+b\n";
  const cases: readonly (readonly [string, Told, RegExp])[] = [
    ["one seed", { stage: "one_seed" }, /was kept on one seed only\. .* testing\.seeds/],
    ["lines of files", { spec: spec("lines", "x", { edit: [{ patch }] }) }, /Only changes of values/],
    ["altered at its gate", { speaksOf: "part" }, /altered at its gate/],
    ["taken out of others", { without: "v1" }, /made of other versions/],
    ["no better score", { change: [0.01, -0.05, 0.07] }, /not better than its parent's/],
    ["nothing compared", { change: null }, /not compared/],
  ];
  for (const [name, more, says] of cases)
    it(`are refused with the reason: ${name}`, () => {
      const { skills, refused } = skillsIn(
        lineage(told(2, { decision: "keep", change: better, ...more })),
        doubts,
      );
      assert.deepEqual(skills, []);
      assert.match(refused[0]?.because ?? "", says);
    });
});

describe("a version whose gain may be a shortcut", () => {
  const why = "v3 waits for a person, because its gain may be a shortcut.";
  const ofV3 = (version: VersionRecord): Doubts => ({
    ...doubts(version),
    held: version.name === "v3" ? why : null,
  });
  it("proves no skill until a person has looked", () => {
    const of = lineage(told(3, { decision: "keep", change: better }));
    const held = skillsIn(of, ofV3);
    assert.deepEqual([held.skills, held.refused], [[], [{ version: "v3", because: why }]]);
    assert.equal(skillsIn(of, doubts).skills.length, 1);
  });
  it("confirms no skill that was used in it, whatever the skill expects and a file says", () => {
    const of = lineage(
      told(2, { decision: "keep", change: better }),
      told(3, { decision: "keep", change: better, skill: use }),
    );
    const record = only(of, ofV3);
    assert.deepEqual(
      record.validations.map(({ version }) => version),
      ["v2"],
    );
    assert.deepEqual(
      record.open.map(({ because }) => because),
      [why],
    );
    assert.equal(record.cameTrue, 0);
    const before = only(of);
    assert.equal(before.validations.length, 2);
    const [skill] = skillsIn(of, doubts).skills;
    assert.ok(skill !== undefined);
    const saved = { ...skill.skill, validations: [...before.validations] };
    assert.equal(recordOf(saved, of, doubts).validations.length, 2);
    assert.equal(recordOf(saved, of, ofV3).validations.length, 1, "what was written before counts no more");
    const elsewhere = saved.validations.map((one) => ({ ...one, domain: "code" }));
    assert.equal(recordOf({ ...saved, validations: elsewhere }, of, ofV3).validations.length, 3);
  });
  it("like one that was reverted, confirms nothing; one that failed is known to have failed", () => {
    const of = lineage(
      told(2, { decision: "keep", change: better }),
      told(3, { decision: "reject", change: [-0.1, -0.15, -0.05] }),
    );
    const [skill] = skillsIn(of, doubts).skills;
    assert.ok(skill !== undefined);
    const reverted = (): Doubts => ({ notKept: "it was reverted.", held: null });
    assert.deepEqual(
      recordOf(skill.skill, of, reverted).validations.map(({ version, outcome }) => [version, outcome]),
      [["v3", "refuted"]],
    );
  });
});

describe("skills that are alike", () => {
  type Made = Partial<Pick<SkillSpec, "factor" | "edit" | "retired" | "expects">>;
  const skill = (name: string, validations: readonly object[], more: Made = {}): SkillSpec =>
    SkillSpec.parse({
      ...{ apiVersion: "evotrainer/v1", kind: "Skill", name, factor: "environment", validations },
      edit: [{ path: "turnLimit", from: 10, to: 10 + name.length }],
      when: { targets: ["low-score"] },
      expects: { direction: "increase" },
      ...more,
    });
  const by = (domain: string): object => ({ domain, version: "v2", change: 0.2, low: 0.1, high: 0.3 });
  const known = (...specs: readonly SkillSpec[]) =>
    knownTogether(specs.map((spec) => ({ spec, record: recordOf(spec, lineage(), doubts) }))).map(
      ({ record }) => [
        record.isShared,
        record.alike.map(({ name, domains }) => `${name}: ${domains.join()}`),
      ],
    );
  const math = skill("more", [by("math")]);
  const isAlike = (a: Made, b: Made): boolean =>
    known(skill("a", [by("math")], a), skill("bb", [by("code")], b))[0]?.[0] === true;
  const limit = (from: number | undefined, to: number): Made => ({
    edit: [{ path: "turnLimit", to, ...(from === undefined ? {} : { from }) }],
  });

  it("are shared once two domains confirmed one of them each, and expect only what was measured of each", () => {
    const code = skill("most", [by("code")]);
    assert.deepEqual(known(math, code), [
      [true, ["most: code"]],
      [true, ["more: math"]],
    ]);
    const [alone] = [recordOf(math, lineage(), doubts)];
    const [together] = knownTogether(
      [math, code].map((spec) => ({ spec, record: recordOf(spec, lineage(), doubts) })),
    );
    assert.deepEqual(together?.record.expected, alone.expected);
  });
  it("lend nothing to one that nobody confirmed, and nothing that somebody retired", () => {
    const retired = { because: "It was a shortcut." };
    assert.deepEqual(known(math, skill("never", []), skill("most", [by("code")], { retired })), [
      [false, []],
      [false, []],
      [true, ["more: math"]],
    ]);
  });
  it("move the same values in the same direction, or to the same value", () => {
    assert.ok(isAlike(limit(16, 24), limit(10, 64)));
    assert.ok(isAlike(limit(undefined, 24), limit(10, 24)));
    assert.ok(!isAlike(limit(undefined, 24), limit(10, 64)));
    assert.ok(!isAlike(limit(16, 24), limit(24, 16)));
    assert.ok(!isAlike(limit(10, 10), limit(10, 5)), "what does not move is not lowered");
    const two = (a: number, b: number): Made => ({
      edit: [
        { file: "a.yaml", path: "k", from: 5, to: a },
        { file: "b.yaml", path: "k", from: 5, to: b },
      ],
    });
    assert.ok(!isAlike(two(9, 1), two(1, 9)), "two files are two values");
    assert.ok(isAlike(two(9, 1), two(8, 2)));
    const on = (to: boolean): Made => ({ edit: [{ path: "open", from: !to, to }] });
    assert.ok(isAlike(on(true), on(true)) && !isAlike(on(true), on(false)));
    assert.ok(!isAlike({}, { factor: "reward" }));
    assert.ok(!isAlike({}, { expects: { metric: "solve_rate", direction: "decrease" } }));
  });
});

describe("the record of a skill", () => {
  it("counts uses by what came of them, and versions that tried the same without it only as trials", () => {
    const record = only(
      lineage(
        told(2, { decision: "keep", change: better }),
        told(3, { decision: "reject", change: [-0.1, -0.15, -0.05] }),
        told(4, { decision: "keep", change: better, skill: use }),
        told(5, { decision: "reject", change: [0.02, -0.05, 0.09], skill: use, stage: "one_seed" }),
        told(6, { decision: "invalid", change: [0.5, 0.4, 0.6], skill: use }),
        told(7, { skill: use }),
        told(8, { decision: "prune", skill: use }),
        told(9, { decision: "keep", change: better, skill: use, speaksOf: "part" }),
        told(10, { decision: "keep", change: better, skill: { ...use, name: "another" } }),
      ),
    );
    assert.deepEqual(
      record.validations.map(({ version, used, outcome }) => [version, used === true, outcome]),
      [
        ["v2", false, "confirmed"],
        ["v3", false, "refuted"],
        ["v4", true, "confirmed"],
        ["v5", true, "inside_noise"],
        ["v6", true, "refuted"],
        ["v10", false, "confirmed"],
      ],
    );
    assert.deepEqual(
      record.open.map(({ version }) => version),
      ["v7", "v8", "v9"],
    );
    const { used, cameTrue, refuted, insideNoise } = record;
    assert.deepEqual([used, cameTrue, refuted, insideNoise], [6, 1, 1, 1]);
    assert.equal(record.expected?.uses, 5, "what an invalid version gained is not believed");
    assert.equal(record.retired, null);
  });

  it("retires by itself after two refuted uses, and is back once one is confirmed", () => {
    const worse = [-0.1, -0.15, -0.05] as const;
    const failing = [
      told(2, { decision: "keep", change: better }),
      told(3, { decision: "reject", change: worse, skill: use }),
      told(4, { decision: "reject", change: worse, skill: use }),
    ];
    assert.match(only(lineage(...failing)).retired ?? "", /refuted \(v3, v4\)/);
    const after = [...failing, told(5, { decision: "keep", change: better, skill: use })];
    assert.equal(only(lineage(...after)).retired, null);
  });

  it("counts a version once that stands in the file and in the ledger, and not one of the same name elsewhere", () => {
    const of = lineage(told(2, { decision: "keep", change: better }));
    const [proved] = skillsIn(of, doubts).skills;
    assert.ok(proved !== undefined);
    const { validations } = recordOf(proved.skill, of, doubts);
    assert.equal(
      recordOf({ ...proved.skill, validations: [...validations] }, of, doubts).validations.length,
      1,
    );
    const elsewhere = validations.map((one) => ({ ...one, commit: commit(99) }));
    assert.equal(recordOf({ ...proved.skill, validations: elsewhere }, of, doubts).validations.length, 2);
  });

  it("says of another metric than the score what the decision says of the hypothesis", () => {
    const of = lineage(
      told(2, { decision: "keep", change: better }).map((entry) =>
        entry.type !== "decision"
          ? entry
          : {
              ...entry,
              hypothesis: {
                ...{ metric: "dead_group_ratio", direction: "decrease", unit: "share", from: 0.5, to: 0.2 },
                ...{ low: -0.4, high: -0.2, moved: "as_said", fixes: [], risks: [], sideEffects: [] },
              },
            },
      ),
    );
    const [proved] = skillsIn(of, doubts).skills;
    assert.ok(proved !== undefined);
    const expects = { metric: "dead_group_ratio", direction: "decrease" as const };
    const [trial] = recordOf({ ...proved.skill, expects }, of, doubts).validations;
    assert.deepEqual([trial?.metric, trial?.outcome], ["dead_group_ratio", "confirmed"]);
    assert.ok(Math.abs((trial?.change ?? 0) + 0.3) < 1e-12);
    const { validations, expected } = recordOf(
      { ...proved.skill, expects: { ...expects, metric: "kl" } },
      of,
      doubts,
    );
    assert.deepEqual([validations, expected], [[], null]);
  });
});
