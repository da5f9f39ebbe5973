import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { SkillUse } from "../../../../shared/ledger/skillUse.ts";
import { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { SkillSpec } from "../../../../shared/spec/skill.ts";
import { buildLineage, type Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { skillsIn, type Doubts } from "./fromVersion.ts";
import { isSameMove, recordOf } from "./record.ts";

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
function only(of: Lineage): ReturnType<typeof recordOf> {
  const { skills } = skillsIn(of, doubts);
  assert.equal(skills.length, 1);
  const [first] = skills;
  assert.ok(first !== undefined);
  return recordOf(first.skill, of);
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
  const ofParent = {
    parent: "v1",
    score: null,
    comparison: null,
    because: "It failed.",
    switched: ["history"],
  };
  const doubtful = (n: number, more: Told = {}): LedgerEntry[] =>
    told(n, { decision: "keep", change: better, ...more }).map((entry) =>
      entry.type === "decision" ? { ...entry, inParentEnvironment: ofParent, held: true } : entry,
    );
  it("proves no skill until a person has looked", () => {
    const why = "v2 waits for a person, because its gain may be a shortcut.";
    const held = skillsIn(lineage(doubtful(2)), (version) => ({ ...doubts(version), held: why }));
    assert.deepEqual([held.skills, held.refused], [[], [{ version: "v2", because: why }]]);
    assert.equal(skillsIn(lineage(doubtful(2)), doubts).skills.length, 1);
  });
  it("confirms no skill that was used in it, nor one that changes the same", () => {
    const of = lineage(
      told(2, { decision: "keep", change: better }),
      doubtful(3, { skill: use }),
      doubtful(4),
    );
    const record = only(of);
    assert.deepEqual(
      record.validations.map(({ version }) => version),
      ["v2"],
    );
    assert.match(record.open.map(({ because }) => because).join(), /may be a shortcut/);
    assert.equal(record.cameTrue, 0);
  });
});

describe("skills that move the same values in the same direction", () => {
  const skill = (name: string, edit: SkillSpec["edit"], domain: string): SkillSpec =>
    SkillSpec.parse({
      ...{ apiVersion: "evotrainer/v1", kind: "Skill", name, factor: "environment", edit },
      when: { targets: ["low-score"] },
      expects: { direction: "increase" },
      validations: [{ domain, version: "v2", change: 0.2, low: 0.1, high: 0.3 }],
    });
  const more = skill("more", [{ path: "turnLimit", from: 16, to: 24 }], "math");
  const most = skill("most", [{ path: "turnLimit", from: 10, to: 64 }], "code");
  const less = skill("less", [{ path: "turnLimit", from: 24, to: 16 }], "swe");
  const unknown = skill("unknown", [{ path: "turnLimit", to: 24 }], "swe");
  const on = skill("on", [{ path: "open", from: false, to: true }], "math");
  const off = skill("off", [{ path: "open", from: true, to: false }], "code");
  it("are alike, whatever the value", () => {
    assert.ok(isSameMove(more, most) && isSameMove(on, { ...on, name: "another" }));
    for (const other of [less, unknown, on, { ...more, factor: "reward" as const }])
      assert.ok(!isSameMove(more, other), other.name);
    assert.ok(!isSameMove(on, off));
    const down = { ...more, expects: { ...more.expects, direction: "decrease" as const } };
    assert.ok(!isSameMove(more, down), "what they expect is another thing");
  });
  it("are shared once two domains confirmed one of them each, and expect only what was measured of each", () => {
    const alone = recordOf(more, lineage());
    assert.deepEqual([alone.domains, alone.isShared, alone.alike], [["math"], false, []]);
    const together = recordOf(more, lineage(), [most]);
    assert.deepEqual(
      [together.domains, together.isShared, together.alike],
      [["code", "math"], true, ["most"]],
    );
    assert.deepEqual([together.expected, together.validations], [alone.expected, alone.validations]);
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
    const { validations } = recordOf(proved.skill, of);
    assert.equal(recordOf({ ...proved.skill, validations: [...validations] }, of).validations.length, 1);
    const elsewhere = validations.map((one) => ({ ...one, commit: commit(99) }));
    assert.equal(recordOf({ ...proved.skill, validations: elsewhere }, of).validations.length, 2);
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
    const [trial] = recordOf({ ...proved.skill, expects }, of).validations;
    assert.deepEqual([trial?.metric, trial?.outcome], ["dead_group_ratio", "confirmed"]);
    assert.ok(Math.abs((trial?.change ?? 0) + 0.3) < 1e-12);
    const { validations, expected } = recordOf(
      { ...proved.skill, expects: { ...expects, metric: "kl" } },
      of,
    );
    assert.deepEqual([validations, expected], [[], null]);
  });
});
