import assert from "node:assert/strict";
import { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { Admission } from "../../../../shared/ledger/admission.ts";
import { admissionFigures, admitHarness } from "./admitHarness.ts";
import { changedDiagnostics, withAdmitted, type DiagnosticChange } from "./inForce.ts";
import { judgeDiagnostic, type DiagnosticFacts } from "./judgeDiagnostic.ts";

const facts = (told: Partial<DiagnosticFacts> = {}): DiagnosticFacts => ({
  ...{ name: "one-turn", change: "added", revision: "r1", invalidates: false },
  ...{ question: "kept_against_rejected", versions: 8, auc: 1, p: 0.036 },
  ...{ labelled: 40, rollouts: 400, secondsPer10000: 0.4, overlaps: [] },
  explains: { failures: 30, of: 100 },
  failures: { labelled: 36, of: 200 },
  passes: { labelled: 4, of: 200 },
  agreement: { right: 0, wrong: 0 },
  separation: { verdict: "separates", because: "p = 0.036; it gets 8 of 8 unseen versions right." },
  ...{ unmeasured: null, before: null, refusals: [] },
  ...told,
});
const few = {
  verdict: "cannot_tell",
  because: "With 2 kept and 1 rejected versions luck is likely.",
} as const;
const no = { verdict: "does_not_separate", because: "Luck would do as well (p = 0.4)." } as const;
const old = { overlaps: [], invalidates: false, isSameCondition: false };

describe("the admission of a diagnostic", () => {
  for (const [what, told, verdict, says] of [
    [
      "separates",
      {},
      "admitted",
      /one-turn separates kept from rejected versions \(AUC 1\.00\).*30 of 100 failures.*\(30\.0 %\)/,
    ],
    [
      "with few versions",
      { separation: few },
      "on_trial",
      /Nobody can tell yet.*luck is likely.*on trial until/,
    ],
    [
      "with few versions, invalidating",
      { separation: few, invalidates: true },
      "on_trial",
      /on trial and makes no version invalid/,
    ],
    ["explains what nothing else does", { separation: no }, "admitted", /30 of 100 failures/],
    [
      "explains too little",
      { separation: no, explains: { failures: 9, of: 100 } },
      "refused",
      /would have to label at least 10 %/,
    ],
    [
      "labels passes as often as failures",
      { separation: no, passes: { labelled: 36, of: 200 } },
      "refused",
      /failures more often than passes/,
    ],
    [
      "invalidates without separating",
      { separation: no, invalidates: true, question: "sound_against_invalid" },
      "refused",
      /does not separate sound from invalid versions/,
    ],
    [
      "repeats another label",
      { overlaps: [{ label: "echo-trap", jaccard: 0.93 }] },
      "refused",
      /one-turn repeats echo-trap: .*93\.0 %.*at most 80 %/,
    ],
    [
      "has a label in common up to the limit",
      { overlaps: [{ label: "echo-trap", jaccard: 0.8 }] },
      "admitted",
      /separates/,
    ],
    [
      "repeated it before",
      {
        change: "revised",
        overlaps: [{ label: "echo-trap", jaccard: 0.93 }],
        before: { ...old, overlaps: [{ label: "echo-trap", jaccard: 0.95 }] },
      },
      "admitted",
      /separates/,
    ],
    ["takes too long", { secondsPer10000: 75 }, "refused", /75 seconds for 10,000 rollouts, and may take 60/],
    [
      "contradicts people",
      { agreement: { right: 2, wrong: 3 } },
      "refused",
      /what people said of 3 of the 5 rollouts/,
    ],
    ["contradicts few answers", { agreement: { right: 1, wrong: 3 } }, "admitted", /separates/],
    ["labels nothing", { labelled: 0 }, "on_trial", /labels none of the 400 rollouts/],
    ["cannot be measured", { unmeasured: "It asks a model." }, "on_trial", /^It asks a model\./],
    [
      "lets a quarantined version through",
      { refusals: ["v3 would be let through."] },
      "refused",
      /^v3 would be let through\.$/,
    ],
    [
      "moves a threshold only",
      { change: "revised", separation: no, before: { ...old, isSameCondition: true } },
      "admitted",
      /labels the same rollouts as before/,
    ],
    [
      "revises what invalidates, with few versions",
      { change: "revised", separation: few, invalidates: true, before: { ...old, invalidates: true } },
      "refused",
      /one on trial could not/,
    ],
    ["is taken away", { change: "removed", separation: no }, "admitted", /taken away; it labelled 40 of 400/],
  ] satisfies [string, Partial<DiagnosticFacts>, string, RegExp][])
    it(`${verdict} if it ${what}`, () => {
      const judged = judgeDiagnostic(facts(told));
      assert.equal(judged.verdict, verdict, judged.because);
      assert.match(judged.because, says);
      Admission.parse({ verdict: judged.verdict, diagnostics: [judged] });
    });

  it("is that of the whole version: one that is refused refuses it, one on trial puts it on trial", () => {
    const of = (...all: Partial<DiagnosticFacts>[]) => admitHarness(all.map(facts));
    assert.equal(of({}, {}).admission.verdict, "admitted");
    assert.match(of({}, { separation: few }).reason, /^Admitted on trial\. Nobody can tell yet/);
    assert.match(
      of({ separation: few }, { secondsPer10000: 99 }).reason,
      /^Not admitted\. one-turn takes 99 seconds/,
    );
    assert.match(of().reason, /^Not admitted: it changes no diagnostic/);
    assert.equal(admissionFigures(of({}).admission)["AUC"], 1);
  });
});

describe("the diagnostics in force", () => {
  const spec = (name: string, when: string, invalidates = false): DiagnosticSpec =>
    DiagnosticSpec.parse({
      ...{ apiVersion: "evotrainer/v1", kind: "Diagnostic", name, label: { when, invalidates } },
    });
  const change = (told: Partial<DiagnosticChange>): DiagnosticChange => ({
    ...{ version: "v5", name: "a", before: null, after: null, onTrial: false },
    ...told,
  });
  const [one, two, three] = [spec("a", "reward > 1"), spec("a", "reward > 2"), spec("a", "reward > 3")];
  const force = (committed: readonly DiagnosticSpec[], changes: readonly DiagnosticChange[]) =>
    withAdmitted(
      committed.map((own) => ({ spec: own })),
      changes,
      (own) => ({ spec: own }),
    );
  const specs = (found: ReturnType<typeof force>): DiagnosticSpec[] => found.diagnostics.map((d) => d.spec);

  it("are those of the commit with the admitted changes, in their order", () => {
    const changes = [
      change({ before: one, after: two }),
      change({ version: "v6", before: two, after: three }),
      change({ version: "v7", name: "b", after: spec("b", "reward < 0") }),
    ];
    assert.deepEqual(specs(force([one], changes)), [three, spec("b", "reward < 0")]);
    // What was brought into the branch by hand is in force once.
    assert.deepEqual(specs(force([three, spec("b", "reward < 0")], changes)), [
      three,
      spec("b", "reward < 0"),
    ]);
    assert.deepEqual(specs(force([one], [change({ before: one, after: null })])), []);
  });

  it("leave alone what somebody committed differently, and say so", () => {
    const own = spec("a", "reward > 9");
    const found = force([own], [change({ before: one, after: two })]);
    assert.deepEqual(specs(found), [own]);
    assert.match(found.notes[0] ?? "", /v5 changed a, and your commit has another a: yours is in force/);
  });

  it("on trial make no version invalid, wherever they come from, until they are another revision", () => {
    const trial = spec("a", "reward > 2", true);
    const changes = [change({ after: trial, onTrial: true })];
    for (const committed of [[], [trial]]) {
      const found = force(committed, changes);
      assert.deepEqual([...found.onTrial], ["a"]);
      assert.equal(specs(found)[0]?.label.invalidates, false);
    }
    const mended = spec("a", "reward > 4", true);
    assert.equal(specs(force([mended], changes))[0]?.label.invalidates, true);
  });

  it("differ by name, whatever file they are in", () => {
    assert.deepEqual(
      changedDiagnostics([one, spec("b", "true")], [two, spec("c", "true")]).map((c) => c.name),
      ["a", "c", "b"],
    );
    assert.deepEqual(changedDiagnostics([one], [spec("a", "reward > 1")]), []);
  });
});
