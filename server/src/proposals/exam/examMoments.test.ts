import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { buildLineage } from "../../lineage/graph.ts";
import type { ExamChange } from "./examDraft.ts";
import { examMoments, type ExamGround } from "./examMoments.ts";

const told = (version: string) => ({ at: "2026-01-01T00:00:00.000Z", domain: "toy", version });

/** A version of a generation, and what it did to the score against its parent. */
const made = (name: string, parent: string | null, generation: number, effect?: number): LedgerEntry[] => [
  {
    ...{ ...told(name), id: `version:${name}`, type: "version", commit: "a".repeat(40), parent, generation },
    ...{ title: name, factor: parent?.startsWith("v0") === false ? "data" : null, intervention: null },
  },
  ...(effect === undefined || parent === null ? [] : [decided(name, parent, effect)]),
];

const decided = (name: string, against: string, difference: number): LedgerEntry => ({
  ...{ ...told(name), id: `decision:${name}`, type: "decision", decision: "reject", reason: "because" },
  evidence: [],
  comparison: {
    ...{ against, difference, low: difference - 0.1, high: difference + 0.1, confidence: 0.95, items: 10 },
    ...{ verdict: "inside_noise", itemsNeeded: null },
  },
});

describe("the moments of an exam", () => {
  const lineage = buildLineage(
    [
      ...[made("v0", null, 0), made("v1", "v0", 0), made("v2", "v1", 1, 0.01), made("v3", "v1", 2, 0.05)],
      ...[made("v4", "v3", 3, -0.02), made("v5", "v1", 4, -0.01), made("v6", "v3", 5, 0.03)],
      ...[made("v7", "v6", 6, 0.02), made("v8", "v3", 7)],
    ].flat(),
    "toy",
  );
  const ground: ExamGround = {
    metric: "solve_rate",
    changeOf: () => assert.fail("no other tool made these"),
  };

  it("are the versions of which two or more changes were measured, whenever that was", async () => {
    const { moments, leftOut } = await examMoments(lineage, ground);
    assert.deepEqual(
      moments.map(({ parent, drafts }) => [parent.name, drafts.map(({ version }) => version)]),
      [
        ["v1", ["v2", "v3", "v5"]],
        ["v3", ["v4", "v6"]],
      ],
    );
    assert.deepEqual(
      moments[0]?.drafts.map(({ effect }) => effect),
      [0.01, 0.05, -0.01],
    );
    assert.deepEqual(Object.fromEntries(leftOut.map(({ because, versions }) => [because, versions])), {
      "not decided yet": 2,
      "no other change of the same parent can be asked about": 1,
    });
  });

  it("know what was decided before the first of these changes, and nothing else", async () => {
    const { moments } = await examMoments(lineage, ground);
    assert.deepEqual(
      moments.map(({ generation, cases }) => [generation, cases.map(({ version }) => version)]),
      [
        [1, []],
        [3, ["v2", "v3"]],
      ],
    );
  });
});

/** A version of another tool: what it scored by a loss, which is better the lower it is, and what it was to change. */
const imported = (
  name: string,
  parent: string | null,
  {
    loss,
    plan,
    metric = "loss",
    ...more
  }: Partial<Record<"plan" | "metric" | "decision", string>> & { loss?: number | null },
): LedgerEntry[] => [
  {
    ...{ ...told(name), id: `version:${name}`, type: "version", commit: "b".repeat(40), parent },
    ...{
      generation: parent === null ? 0 : 1,
      title: `${name} was secretly good`,
      factor: null,
      intervention: null,
    },
    origin: {
      ...{ format: "mapping", lineage: "toy", key: name, parents: parent === null ? [] : [parent] },
      ...{ status: "secretly kept", note: "a secret", missing: false, digest: "d" },
      ...(plan === undefined ? {} : { plan }),
    },
  },
  ...(loss === undefined
    ? []
    : [
        {
          ...{
            ...told(name),
            id: `evidence:${name}`,
            type: "evidence" as const,
            split: "selection" as const,
          },
          ...{ score: null, cleanScore: null, labels: [], signals: {} },
          measured: { metric, value: loss, direction: "lower" as const, unit: null },
        },
      ]),
  ...(more.decision === undefined
    ? []
    : [
        {
          ...{
            ...told(name),
            id: `decision:${name}`,
            type: "decision" as const,
            decision: "invalid" as const,
          },
          ...{ reason: "a secret", evidence: [], comparison: null },
        },
      ]),
];

describe("the moments of a lineage that another tool made", () => {
  const edited: ExamChange = {
    edits: [{ file: "train.yaml", path: "lr", from: 1, to: 2 }],
    factor: "optimisation",
  };
  const nothing: ExamChange = { edits: [], factor: null };
  const ask = (...versions: LedgerEntry[][]) =>
    examMoments(buildLineage(versions.flat(), "toy"), {
      metric: "solve_rate",
      changeOf: ({ name }) => Promise.resolve(name.startsWith("edited") ? edited : nothing),
    });

  it("have what the score says against the parent's, and a recorded comparison where there is one", async () => {
    const { moments, leftOut } = await ask(
      imported("root", null, { loss: 2 }),
      imported("edited-a", "root", { loss: 1.5 }),
      imported("planned", "root", { loss: 2.25, plan: "Halve the batch." }),
      imported("edited-leak", "root", { loss: 0, decision: "invalid" }),
      [...imported("edited-b", "root", { loss: 9 }), decided("edited-b", "root", 0.125)],
      ["edited-c", "edited-d"].flatMap((name, i) => [
        ...imported(name, "planned", { loss: 9 }),
        decided(name, "planned", i / 8),
      ]),
    );
    assert.deepEqual(
      Object.fromEntries(
        (moments[0]?.drafts ?? []).map(({ version, effect, by, metric }) => [version, [effect, by, metric]]),
      ),
      {
        "edited-a": [0.5, "score", "loss"],
        planned: [-0.25, "score", "loss"],
        "edited-leak": [-Infinity, "score", null],
      },
    );
    assert.deepEqual(moments[1]?.drafts.map(({ effect, by }) => [effect, by]).sort(), [
      [0, "comparison"],
      [0.125, "comparison"],
    ]);
    assert.deepEqual(leftOut, [
      { because: "measured by another metric than most changes of the same parent", versions: 1 },
    ]);
  });

  it("leave out what cannot be asked about, and say why", async () => {
    const { moments, leftOut } = await ask(
      imported("root", null, { loss: 2 }),
      imported("edited-a", "root", { loss: 1 }),
      imported("edited-b", "root", { loss: 3 }),
      imported("crashed", "root", { loss: null, plan: "p" }),
      imported("silent", "root", { loss: 1 }),
      imported("mute", "root", { loss: 1 }),
      imported("edited-other", "root", { loss: 1, metric: "bytes" }),
      imported("edited-c", "crashed", { loss: 1 }),
      imported("edited-d", "edited-a", { loss: 1 }),
      ["edited-e", "edited-f", "edited-g"].map((name) => imported(name, "edited-b", { loss: 1 })).flat(),
    );
    assert.deepEqual(
      moments.map(({ drafts }) => drafts.length),
      [2],
    );
    assert.deepEqual(
      leftOut.map(({ because, versions }) => `${versions}: ${because}`),
      [
        "3: as good as every other change of the same parent, so that no order of them is wrong",
        "2: nothing from before the outcome says what was changed: no file differs, and there is no plan",
        "1: no score was recorded",
        "1: measured by another metric than the parent",
        "1: no score of the parent was recorded",
        "1: no other change of the same parent can be asked about",
      ],
    );
  });

  it("tell nothing from after the parent: no name, title, note, status or order, and no case that came later", async () => {
    const later = ["edited-x", "edited-y"].flatMap((name) => [
      ...imported(name, "root", { loss: 1 }),
      decided(name, "root", 0.3),
    ]);
    const { moments } = await ask(
      imported("root", null, { loss: 2 }),
      [...made("v1", "root", 1, 0.02), ...made("v2", "v1", 1, 0.05)],
      imported("parent", "root", { loss: 2 }),
      later,
      ["edited-good", "edited-bad", "edited-middle"].flatMap((name, i) =>
        imported(name, "parent", { loss: i, ...(i === 2 ? {} : { plan: `Plan ${i}` }) }),
      ),
    );
    const moment = moments.find(({ parent }) => parent.name === "parent");
    assert.ok(moment?.isImported === true);
    const told = JSON.stringify(moment.drafts.map(({ name, factor, idea }) => ({ name, factor, idea })));
    assert.doesNotMatch(told, /secret|good|bad|middle/);
    assert.deepEqual(
      moment.drafts.map(({ name }) => name),
      ["draft-1", "draft-2", "draft-3"],
    );
    // The order is one of what is told, whatever the outcomes and the times are.
    const backwards = await ask(
      imported("root", null, { loss: 2 }),
      ["edited-middle", "edited-bad", "edited-good"].flatMap((name, i) =>
        imported(name, "root", { loss: -i, ...(i === 0 ? {} : { plan: `Plan ${2 - i}` }) }),
      ),
    );
    assert.deepEqual(
      backwards.moments[0]?.drafts.map(({ version }) => version),
      moment.drafts.map(({ version }) => version),
    );
    assert.deepEqual(
      moment.cases.map(({ version }) => version),
      ["v1", "v2"],
    );
  });
});
