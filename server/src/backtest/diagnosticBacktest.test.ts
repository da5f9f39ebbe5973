import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import type { LabelCount } from "../../../shared/ledger/measures.ts";
import { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { HarnessError } from "../base/errors.ts";
import { ingestFile } from "../evidence/ingest/ingest.ts";
import { labelAll } from "../evidence/labels/labelAll.ts";
import { SharedReads } from "../evidence/labels/sharedReads.ts";
import { writeLabels } from "../evidence/labels/labels.ts";
import type { Store } from "../evidence/archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../test/support/evidence/evidence.ts";
import { buildLineage, wholeRecord } from "../lineage/graph.ts";
import type { VersionRecord } from "../lineage/records/versionRecord.ts";
import { conditionOf, quarantineRevision } from "../changes/condition.ts";
import { fatesOf, itemLabels } from "../changes/fates.ts";
import { backtestDiagnostic, storedRevision } from "./diagnosticBacktest.ts";
import { letThrough, refuseLettingThrough } from "./quarantine.ts";

const spec = (when: string, more: object = {}, label: object = {}): DiagnosticSpec =>
  DiagnosticSpec.parse({
    apiVersion: "evotrainer/v1",
    kind: "Diagnostic",
    name: "dear",
    label: { when, ...label },
    ...more,
  });

describe("diagnostics over archived versions", function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let store: Store;
  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
    // Rewards 0 to 9 in a, 5 to 14 in b; t has training rollouts only; the audit split of a is sealed.
    for (const [version, split, from] of [
      ["a", "selection", 0],
      ["b", "selection", 5],
      ["t", "train", 0],
      ["a", "audit", 0],
    ] as const) {
      const run = `${version}.${split}.s1`;
      const path = workspace.file(`${run}.jsonl`);
      const rollouts = Array.from({ length: 10 }, (_, i) =>
        makeRollout({ id: `r-${i}`, run, split, item: `i-${i}`, reward: i === 9 ? null : from + i }),
      );
      await writeFile(path, rollouts.map(toLine).join(""));
      await ingestFile(store, { path, kind: "rollouts", version, run });
    }
  });
  after(() => workspace.remove());

  it("report what a revision would change, with examples, and store nothing", async () => {
    const before = { type: "spec", spec: spec("reward >= 4.0") } as const;
    const commits = store.commits();
    const result = await backtestDiagnostic(store, { spec: spec("reward >= 7.0 || reward < 1.0"), before });
    assert.equal(store.commits(), commits);
    assert.deepEqual(await store.query({ sql: "SELECT * FROM labels", params: [] }), []);
    assert.notEqual(result.before, result.revision);
    assert.deepEqual(
      result.versions.map((v) => [v.version, v.split, v.rollouts, v.before, v.after, v.newly, v.noLonger]),
      [
        [
          "a",
          "selection",
          10,
          { labelled: 5, undecided: 1 },
          { labelled: 3, undecided: 1 },
          { count: 1, examples: ["a.selection.s1/r-0"] },
          { count: 3, examples: ["a.selection.s1/r-4", "a.selection.s1/r-5", "a.selection.s1/r-6"] },
        ],
        [
          "b",
          "selection",
          10,
          { labelled: 9, undecided: 1 },
          { labelled: 7, undecided: 1 },
          { count: 0, examples: [] },
          { count: 2, examples: ["b.selection.s1/r-0", "b.selection.s1/r-1"] },
        ],
        [
          "t",
          "train",
          10,
          { labelled: 5, undecided: 1 },
          { labelled: 3, undecided: 1 },
          { count: 1, examples: ["t.train.s1/r-0"] },
          { count: 3, examples: ["t.train.s1/r-4", "t.train.s1/r-5", "t.train.s1/r-6"] },
        ],
      ],
    );
  });

  it("read only the versions and the split that are asked for, and features only where they need them", async () => {
    const before = { type: "nothing" } as const;
    const some = await backtestDiagnostic(store, {
      spec: spec("n_turns >= 1"),
      before,
      versions: ["b", "none"],
    });
    assert.deepEqual(
      some.versions.map((v) => [v.version, v.before, v.after.labelled, v.newly.count]),
      [["b", null, 10, 0]],
    );
    const train = await backtestDiagnostic(store, { spec: spec("n_turns >= 1"), before, split: "train" });
    assert.deepEqual(
      train.versions.map((v) => v.version),
      ["t"],
    );
  });

  it("compare with the stored labels when no other revision is known", async () => {
    const old = conditionOf(spec("reward >= 8.0"));
    const reads = new SharedReads();
    await labelAll(store, {
      scope: { split: "selection", version: "a" },
      labels: [{ label: "dear", revision: old.revision, where: [reads.of("r", old.sql)], evidence: null }],
      reads,
    });
    assert.equal(await storedRevision(store, "dear"), old.revision);
    assert.equal(await storedRevision(store, "unheard-of"), null);
    const before = { type: "stored", revision: old.revision } as const;
    const result = await backtestDiagnostic(store, { spec: spec("reward >= 7.0"), before, versions: ["a"] });
    assert.deepEqual(
      result.versions.map((v) => [v.before?.labelled, v.after.labelled, v.newly.examples]),
      [[1, 2, ["a.selection.s1/r-7"]]],
    );
  });

  it("check the examples of the spec, and refuse to read the audit split", async () => {
    const examples = [
      { rollout: "a.selection.s1/r-8", expect: "labelled" },
      { rollout: "a.selection.s1/r-1", expect: "labelled" },
      { rollout: "t.train.s1/r-1", expect: "clear" },
      { rollout: "a.selection.s1/r-9", expect: "clear" },
      { rollout: "a.audit.s1/r-8", expect: "labelled" },
    ];
    const result = await backtestDiagnostic(store, {
      spec: spec("reward >= 7.0", { examples }),
      before: { type: "nothing" },
    });
    assert.deepEqual(
      result.examples.map((e) => [e.found, e.right]),
      [
        ["labelled", true],
        ["clear", false],
        ["clear", true],
        ["undecided", null],
        ["not_archived", null],
      ],
    );
  });

  it("refuse a condition that does not compile", () =>
    assert.rejects(
      backtestDiagnostic(store, { spec: spec("rewrd > 1"), before: { type: "nothing" } }),
      (e) => HarnessError.is(e, "specInvalid") && /The diagnostic dear cannot be used/.test(e.message),
    ));

  it("count their labels by item, and other labels as stored, and return null for a label nobody looked for", async () => {
    const judged = {
      label: "judged",
      revision: "1",
      labels: [{ run: "b.selection.s1", id: "r-3", turns: [] }],
    };
    await writeLabels(store, judged);
    const a = await fatesOf(store, { split: "selection", version: "a" }, [spec("reward >= 4.0")]);
    const b = await fatesOf(store, { split: "selection", version: "b" }, [spec("reward >= 4.0")]);
    assert.deepEqual([a.labels, b.labels], [["dear"], ["dear", "judged"]]);
    assert.equal(itemLabels(a, "judged"), null);
    assert.deepEqual(
      itemLabels(b, "judged")?.filter((i) => i.labelled > 0),
      [{ item: "i-3", labelled: 1, decided: 1, rollouts: 1 }],
    );
    assert.deepEqual(itemLabels(a, "dear")?.at(-1), { item: "i-9", labelled: 0, decided: 0, rollouts: 1 });
    assert.equal((await fatesOf(store, { split: "selection", version: "none" }, [])).rollouts.length, 0);
  });

  describe("and the quarantine", () => {
    const common = { at: "2026-01-01T00:00:00Z", domain: "swe", version: "a" };
    const dear: LabelCount = {
      name: "dear",
      severity: "critical",
      labelled: 2,
      rollouts: 10,
      alert: null,
      invalidates: true,
    };
    const versions = (labels: LabelCount[], ...more: LedgerEntry[]): readonly VersionRecord[] =>
      buildLineage(
        [
          {
            ...common,
            ...{ id: "v", type: "version", commit: "a".repeat(40), parent: null, generation: 0 },
            ...{ factor: null, intervention: null, title: "" },
          },
          {
            ...common,
            ...{
              id: "e",
              type: "evidence",
              split: "selection",
              score: null,
              cleanScore: null,
              labels,
              signals: {},
            },
          },
          {
            ...common,
            ...{
              id: "d",
              type: "decision",
              decision: "invalid",
              reason: "r",
              comparison: null,
              evidence: [],
            },
          },
          ...more,
        ] as LedgerEntry[],
        "swe",
      ).versions;
    const invalid = { invalidates: true };
    const fires = spec("reward >= 7.0", {}, invalid);
    const silent = spec("reward >= 70.0", {}, invalid);
    const other = spec("reward >= 6.0", { name: "other" }, invalid);

    for (const [what, diagnostics, reason] of [
      ["the diagnostic fires", [fires], null],
      ["the diagnostic no longer fires", [silent], "does_not_fire"],
      ["the diagnostic does not fire, but another one does", [silent, other], null],
      ["the diagnostic fires but no longer invalidates", [spec("reward >= 7.0")], "no_longer_invalidates"],
      [
        "the diagnostic is now made for another domain",
        [spec("reward >= 7.0", { domains: ["math"] }, invalid)],
        "other_domain",
      ],
      ["the diagnostic is gone", [], "removed"],
    ] as const)
      it(`${reason === null ? "keep a version in it" : `let a version out (${reason})`} when ${what}`, async () => {
        const options = { versions: versions([dear]), diagnostics, domain: "swe" };
        assert.deepEqual(
          (await letThrough(store, options)).map((l) => [l.version, l.diagnostic, l.reason]),
          reason === null ? [] : [["a", "dear", reason]],
        );
        if (reason === null) await refuseLettingThrough(store, options);
        else
          await assert.rejects(
            refuseLettingThrough(store, options),
            (e) =>
              HarnessError.is(e, "revisionRefused") &&
              /^a was quarantined for dear and would be let through: .*`evotrainer backtest dear`/.test(
                e.message,
              ),
          );
      });

    it("cannot check a version without its rollouts, unless the same revision fired", async () => {
      const gone = (labels: LabelCount[]) =>
        versions(labels).map((v): VersionRecord => ({ ...wholeRecord(v), name: "forgotten" }));
      const reasons = async (labels: LabelCount[]): Promise<string[]> =>
        (await letThrough(store, { versions: gone(labels), diagnostics: [fires], domain: "swe" })).map(
          (l) => l.reason,
        );
      assert.deepEqual(await reasons([dear]), ["not_archived"]);
      assert.deepEqual(await reasons([{ ...dear, revision: conditionOf(fires).revision }]), []);
    });

    it("let a version out when somebody accepted that revision, and for no other revision", async () => {
      const waiver: LedgerEntry = {
        ...common,
        id: "w",
        type: "waiver",
        diagnostic: "dear",
        revision: quarantineRevision(silent),
        by: "ada",
        reason: "it was a false alarm",
      };
      const options = { versions: versions([dear], waiver), domain: "swe" };
      await refuseLettingThrough(store, { ...options, diagnostics: [silent] });
      const [found] = await letThrough(store, { ...options, diagnostics: [silent] });
      assert.deepEqual(found?.waived, { by: "ada", reason: "it was a false alarm" });
      for (const diagnostics of [[], [spec("reward >= 71.0", {}, invalid)], [spec("reward >= 70.0")]])
        await assert.rejects(refuseLettingThrough(store, { ...options, diagnostics }));
    });

    it("ignore versions that are invalid for another reason", async () => {
      const options = {
        versions: versions([{ ...dear, labelled: 0 }]),
        diagnostics: [silent],
        domain: "swe",
      };
      assert.deepEqual(await letThrough(store, options), []);
    });
  });
});
