import assert from "node:assert/strict";
import type { ArchiveFacts } from "../../../../shared/protocol/views/archiveFacts.ts";
import type { Effect } from "../live/effect.ts";
import type { FeatureContext } from "../symbols/featureContext.ts";
import { namedProject, openProject } from "../../../../test/support/language/openProject.ts";
import { peopleOn } from "../../../../test/support/diagnosis/peopleOn.ts";
import { codeLenses } from "./codeLenses.ts";
import { inlayHints } from "./inlayHints.ts";

const facts: ArchiveFacts = {
  at: 0,
  rollouts: 1000,
  versions: [],
  fields: {},
  metrics: {},
  components: {},
  labels: { loops: { rollouts: 412, of: 13_290 } },
  sharedItems: [],
};
const { contextOf } = openProject(namedProject, facts);
const loops = contextOf("harness/diagnostics/loops.diagnostic.yaml");
const reward = contextOf("harness/main.reward.yaml");

describe("code lenses", () => {
  it("show what a label caught, and what can be done", () => {
    assert.deepEqual(
      codeLenses(loops, undefined, 5000).map(({ title }) => title),
      ["412 rollouts of all versions, 3.1 % · 5 s ago", "backtest", "show"],
    );
    const worse = contextOf("harness/diagnostics/worse.diagnostic.yaml");
    assert.deepEqual(
      codeLenses(worse, undefined, 5000).map(({ title }) => title),
      ["no rollout carries it yet", "backtest"],
    );
    const { contextOf: told } = openProject(namedProject, { ...facts, tried: ["loops"] });
    assert.equal(
      codeLenses(told("harness/diagnostics/worse.diagnostic.yaml"), undefined, 5000)[0]?.title,
      "no rollout was labelled with it yet",
    );
  });

  it("and the words about a label say how right it is by people's answers, where there are any", () => {
    const told = openProject(namedProject, { ...facts, people: [peopleOn("loops")] });
    const says =
      "people, held-out items: precision 75.0 % [30.1, 95.4] (3 of 4 right), recall unknown (nobody was asked about rollouts without it)";
    const lenses = codeLenses(told.contextOf("harness/diagnostics/loops.diagnostic.yaml"), undefined, 5000);
    assert.deepEqual(
      lenses.map(({ title, action }) => [title, action]),
      [
        ["412 rollouts of all versions, 3.1 % · 5 s ago", undefined],
        [says, undefined],
        ["backtest", "backtest"],
        ["show", "showRollouts"],
      ],
    );
    const fewer = told.contextOf("harness/interventions/fewer-loops.intervention.yaml");
    const [hint] = inlayHints(fewer, { start: 0, end: fewer.spec.text.length });
    assert.ok(hint?.tooltip.endsWith(`.\n\n${says}`), hint?.tooltip);
  });

  const effects: readonly (readonly [Effect, string])[] = [
    [
      {
        type: "condition",
        rollouts: 20_000,
        labelled: 412,
        undecided: 0,
        done: false,
        before: 0.028,
        at: 3000,
      },
      "412 of 20,000 newest, 2.1 % (was 2.8 %) · 2 s ago",
    ],
    [
      {
        type: "condition",
        rollouts: 1000,
        labelled: 1000,
        undecided: 0,
        done: true,
        before: undefined,
        at: 5000,
      },
      "1,000 of 1,000, 100 % · 0 s ago",
    ],
    [
      { type: "condition", rollouts: 0, labelled: 0, undecided: 0, done: true, before: 0, at: 5000 },
      "no rollouts to try it on · 0 s ago",
    ],
    [
      {
        type: "condition",
        rollouts: 1199,
        labelled: 120,
        undecided: 1064,
        done: true,
        before: 0.1,
        at: 5000,
      },
      "120 of 135 decided of 1,199, 88.9 % (was 10.0 %) · 0 s ago",
    ],
    [
      { type: "condition", rollouts: 9, labelled: 0, undecided: 9, done: false, before: undefined, at: 5000 },
      "none of 9 newest can be decided · 0 s ago",
    ],
    [
      { type: "none", because: "the condition has mistakes", at: 5000 },
      "the condition has mistakes · 0 s ago",
    ],
  ];
  for (const [effect, expected] of effects)
    it(expected, () => assert.equal(codeLenses(loops, effect, 5000).at(-1)?.title, expected));

  it("show what a reward does to groups", () => {
    const effect = {
      type: "reward",
      version: "v3",
      groups: 200,
      deadBefore: 100,
      deadAfter: 55,
      noOp: false,
      changed: "components.correctness.shape",
      at: 5000,
    } as const;
    const [lens] = codeLenses(reward, effect, 5000);
    assert.equal(lens?.title, "dead groups 50.0 % → 27.5 % in v3 · 0 s ago");
    const [same] = codeLenses(reward, { ...effect, noOp: true }, 5000);
    assert.match(same?.title ?? "", /^no effect: every advantage stays/);
  });
});

describe("inlay hints", () => {
  it("show the value at an edited path, and the rates of labels", () => {
    const fewer = contextOf("harness/interventions/fewer-loops.intervention.yaml");
    const { text } = fewer.spec;
    const hints = inlayHints(fewer, { start: 0, end: text.length });
    assert.deepEqual(
      hints.map((hint) => `${text.slice(hint.at - 5, hint.at)}| ${hint.text}`),
      ["loops| 3.1 %", "shape| = flat", "loops| 3.1 %", "loops| 3.1 %"],
    );
    assert.deepEqual(inlayHints(fewer, { start: 0, end: 10 }), []);
  });

  const base = {
    rollouts: 1000,
    labelled: 20,
    undecided: 0,
    done: true,
    before: undefined,
    at: 5000,
  } as const;
  const replayed = { version: "v3", groups: 10, deadBefore: 5, deadAfter: 2, noOp: false, at: 5000 } as const;
  const none = { type: "none", because: "the archive is held", at: 5000 } as const;
  const places: readonly (readonly [string, FeatureContext, Effect, RegExp])[] = [
    [
      "an edited condition",
      loops,
      { type: "condition", ...base },
      /^  when: .*\| 20 of 1,000, 2\.0 % · 2 s ago$/,
    ],
    ["a condition without a count", loops, none, /^  when: .*\| the archive is held · 2 s ago$/],
    [
      "an edited shape",
      reward,
      { type: "reward", ...replayed, changed: "components.correctness.shape" },
      /^  correctness: .*\| dead groups 50\.0 % → 20\.0 % in v3 · 2 s ago$/,
    ],
    [
      "an edited filter",
      reward,
      { type: "reward", ...replayed, changed: "filter.kind" },
      /^  kind: .*\| dead/,
    ],
    ["a removed term", reward, { type: "reward", ...replayed, changed: undefined }, /^components:\| dead/],
  ];
  for (const [what, context, effect, expected] of places)
    it(`show at the end of the line what ${what} does`, () => {
      const { text } = context.spec;
      const hint = inlayHints(context, { start: 0, end: text.length }, effect, 7000).at(-1);
      assert.ok(hint);
      const line = text.slice(text.lastIndexOf("\n", hint.at - 1) + 1, hint.at);
      assert.match(`${line}| ${hint.text}`, expected);
      assert.ok(hint.at === text.length || text[hint.at] === "\n");
    });

  it("show no effect in any other spec", () => {
    const fewer = contextOf("harness/interventions/fewer-loops.intervention.yaml");
    const all = { start: 0, end: fewer.spec.text.length };
    assert.deepEqual(inlayHints(fewer, all, none), inlayHints(fewer, all));
  });
});
