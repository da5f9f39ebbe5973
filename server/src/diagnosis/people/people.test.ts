import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { peopleLines } from "../../../../shared/words/people.ts";
import { ingestFile } from "../../evidence/ingest/ingest.ts";
import type { HumanLabel } from "../judge/humanLabels.ts";
import { labelDiagnostics } from "../labelDiagnostics.ts";
import { chooseQuestions, type Pool } from "./chooseQuestions.ts";
import { measuredByPeople, partOf } from "./measuredByPeople.ts";
import { labelByPeople, peopleTallies } from "./peopleTallies.ts";

const answered = (asked: number, right: number, askedWithout: number, missed: number) => ({
  labelled: { asked, right },
  clear: { asked: askedWithout, missed },
});
const rounded = (estimate: { value: number; low: number; high: number } | null): number[] | null =>
  estimate === null
    ? null
    : [estimate.value, estimate.low, estimate.high].map((x) => Math.round(x * 1000) / 1000);

describe("labels by people's word", () => {
  for (const [what, answers, sizes, precision, recall] of [
    ["nobody was asked", answered(0, 0, 0, 0), [10, 90], null, null],
    [
      "only rollouts with the label were asked about",
      answered(4, 3, 0, 0),
      [10, 90],
      [0.75, 0.301, 0.954],
      null,
    ],
    // 10 × 0.75 of the rollouts with it, 90 × 0.1 of those without it: 7.5 of 16.5. Its ends are 3.01 of 3.01 + 90 × 0.404,
    // and 9.54 of 9.54 + 90 × 0.0179.
    [
      "each side counts with its size",
      answered(4, 3, 10, 1),
      [10, 90],
      [0.75, 0.301, 0.954],
      [0.455, 0.076, 0.856],
    ],
    ["every rollout has it", answered(4, 4, 0, 0), [10, 0], [1, 0.51, 1], [1, 1, 1]],
    ["none has it", answered(0, 0, 4, 1), [0, 10], null, [0, 0, 0]],
    ["none has it and none should", answered(0, 0, 4, 0), [0, 10], null, null],
    ["nothing is right and nothing missed", answered(4, 0, 4, 0), [10, 90], [0, 0, 0.49], null],
  ] as const)
    it(`are measured where ${what}`, () => {
      const found = measuredByPeople(answers, { labelled: sizes[0], clear: sizes[1] });
      assert.deepEqual([rounded(found.precision), rounded(found.recall)], [precision, recall]);
    });

  it("keep the items of the two parts apart, half of them each, and examples in tuning", () => {
    const items = Array.from({ length: 1000 }, (_, i) => `item-${i}`);
    const heldOut = items.filter((item) => partOf(item, new Set()) === "heldOut");
    assert.ok(heldOut.length > 440 && heldOut.length < 560, `${heldOut.length}`);
    assert.ok(heldOut.every((item) => partOf(item, new Set(heldOut)) === "tuning"));
  });

  describe("in the archive", () => {
    let workspace: Workspace;
    before(async () => {
      workspace = await makeWorkspace();
    });
    after(() => workspace.remove());

    it("count stored labels, pass over versions that were never labelled, and follow the examples", async () => {
      const store = await workspace.open();
      for (const version of ["v1", "v2"]) {
        const path = workspace.file(`${version}.jsonl`);
        const lines = Array.from({ length: 20 }, (_, i) =>
          toLine(
            makeRollout({
              ...{ id: `r${i}`, run: version, split: "selection", item: `i${i}`, group: `g${i}` },
              tokens: i,
            }),
          ),
        );
        await writeFile(path, lines.join(""));
        await ingestFile(store, { path, kind: "rollouts", version, run: version });
      }
      const spec = DiagnosticSpec.parse({
        ...{ apiVersion: "evotrainer/v1", kind: "Diagnostic", name: "long" },
        label: { when: "tokens >= 15" },
        examples: [{ rollout: "v1/r15", expect: "labelled" }],
      });
      const scope = { version: "v1", split: "selection" } as const;
      await labelDiagnostics(store, [spec], { rollouts: scope, groups: scope });
      const say = (run: string, i: number, labelled: boolean): HumanLabel => ({
        ...{ run, id: `r${i}`, label: "long", labelled, by: "ada", at: "2026-01-01T00:00:00Z" },
      });
      const said = [
        ...Array.from({ length: 20 }, (_, i) => say("v1", i, i >= 14)),
        ...[say("v2", 16, false), say("v1", 99, false)],
      ];
      const tally = (await peopleTallies(store, said, [spec])).get("long");
      assert.ok(tally);
      assert.deepEqual(tally.sizes, { labelled: 5, clear: 15 });
      const { heldOut, tuning } = tally.parts;
      assert.equal(heldOut.labelled.asked + tuning.labelled.asked, 5, "v2 was never labelled");
      assert.equal(heldOut.clear.missed + tuning.clear.missed, 1);
      const isHeldOut = (i: number): boolean => i !== 15 && partOf(`i${i}`, new Set()) === "heldOut";
      const labelled = [15, 16, 17, 18, 19];
      assert.equal(heldOut.labelled.asked, labelled.filter(isHeldOut).length);
      const without = (await peopleTallies(store, said, [])).get("long")?.parts;
      assert.equal(
        (without?.heldOut.labelled.asked ?? 0) - heldOut.labelled.asked,
        partOf("i15", new Set()) === "heldOut" ? 1 : 0,
      );
      const lines = peopleLines(labelByPeople("long", tally));
      assert.equal(lines.length, 2);
      assert.match(
        lines[0] ?? "",
        /^people, held-out items: precision 100 % \[[\d., ]+\] \((\d) of \1 right\), recall /,
      );
    });
  });

  describe("are asked for", () => {
    const pool = (
      label: string,
      side: "labelled" | "clear",
      more: Partial<Pool<string>> = {},
    ): Pool<string> => ({
      ...{ label, side, part: "heldOut", sizes: { labelled: 20, clear: 80 }, weight: 1 },
      answered: answered(0, 0, 0, 0),
      rollouts: Array.from({ length: 20 }, (_, i) => `${label} ${side} ${i}`),
      ...more,
    });
    const both = (label: string, more: Partial<Pool<string>> = {}) => [
      pool(label, "labelled", more),
      pool(label, "clear", more),
    ];

    it("where nobody answered before where people did, and first what more hangs on", () => {
      const known = both("known", { answered: answered(50, 45, 50, 1) });
      const chosen = chooseQuestions([...known, ...both("mild"), ...both("grave", { weight: 3 })], 4);
      assert.deepEqual(
        chosen.map(({ rollout }) => rollout),
        ["grave labelled 0", "grave clear 0", "mild labelled 0", "mild clear 0"],
      );
    });

    it("about rollouts without the label once those with it are clear", () => {
      const [asked] = chooseQuestions(both("long", { answered: answered(40, 38, 4, 0) }), 1);
      assert.equal(asked?.side, "clear");
    });

    it("no more often than there are rollouts, and each once", () => {
      const few = { rollouts: ["a", "b"] };
      const chosen = chooseQuestions(
        [pool("long", "labelled", few), pool("long", "clear", { rollouts: [] })],
        9,
      );
      assert.deepEqual(
        chosen.map(({ rollout }) => rollout),
        ["a", "b"],
      );
    });
  });
});
