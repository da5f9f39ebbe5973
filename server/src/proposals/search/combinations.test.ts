import assert from "node:assert/strict";
import { columnsOf, type TestGroup } from "../../../../test/support/backtest/columns.ts";
import type { Finding } from "../../diagnosis/rules.ts";
import type { Case } from "../../memory/cases/case.ts";
import { loadProject } from "../../project/project.ts";
import type { FileSource } from "../../project/source.ts";
import { chooseDrafts, type Question } from "../chooseDrafts.ts";
import { beliefsFrom } from "./belief.ts";

const reward = "harness/main.reward.yaml";
const config = "harness/train.yaml";

const files: Readonly<Record<string, string>> = {
  "evotrainer.yaml": `apiVersion: evotrainer/v1
kind: Project
name: toy
domain: toy
trainer: { command: [node, trainer.mjs] }
reward: ${reward}
evaluation: { splits: { train: a, selection: b, audit: c } }
surfaces:
  - { factor: reward, file: ${reward}, paths: [components] }
  - { factor: environment, file: ${config}, paths: [turns] }
  - { factor: optimisation, file: ${config}, paths: [kl] }
library: { use: none }
`,
  [config]: "turns: 12\nkl: 0.1\n",
  [reward]: `apiVersion: evotrainer/v1
kind: Reward
name: main
components: { correctness: { shape: linear, weight: 1 }, tests: { shape: linear, weight: 0 } }
`,
};

const sourceOf = (texts: Readonly<Record<string, string>>): FileSource => ({
  name: "the parent",
  read: (path) => Promise.resolve(texts[path]),
  list: (folder) =>
    Promise.resolve(Object.keys(texts).filter((p) => p.slice(0, p.lastIndexOf("/")) === folder)),
});

const lowScore: Finding = { name: "low-score", severity: "critical", message: "The score is low." };
const groups: readonly TestGroup[] = [
  [0.1, 0.4, 0],
  [0.6, 0.9, 1],
].map(([a = 0, b = 0, tests = 0]) => ({
  rollouts: [
    { outcome: "fail", signals: { correctness: a, tests } },
    { outcome: "fail", signals: { correctness: b, tests: 0 } },
    { outcome: "pass", signals: { correctness: 1, tests: 0 } },
  ],
}));

/** A term of the reward for tests, which gained so many points. */
const testsTried = (difference: number, change: Partial<Case> = {}): Case => ({
  ...{ version: "v2-tests", parent: "v1", factor: "reward", template: "tests", triggers: ["low-score"] },
  edits: [{ type: "value", file: reward, path: "components.tests.weight", from: 0, to: 0.25 }],
  profile: { rates: new Map(), alerts: [] },
  effect: { difference, low: difference - 0.2, high: difference + 0.2, confidence: 0.95, error: 0.08 },
  ...{ decision: "reject", ended: "noise", seconds: null },
  ...change,
});

async function ask(
  cases: readonly Case[],
  { search = "", ...changes }: { search?: string } & Partial<Question> = {},
) {
  const source = sourceOf({ ...files, "evotrainer.yaml": `${files["evotrainer.yaml"]}${search}` });
  return chooseDrafts({
    ...{ project: await loadProject(source), parent: source, version: "v1", findings: [lowScore], cases },
    tried: cases.map(({ version, template, edits }) => ({
      ...{ version, name: template ?? version, isHere: true },
      edit: edits.flatMap((one) =>
        one.type === "value" ? [{ file: one.file, path: one.path, from: one.from, to: one.to }] : [],
      ),
    })),
    ...{ skills: [], profile: { rates: new Map(), alerts: [] }, answered: {}, seed: 1, count: 200 },
    archive: {
      trainGroups: (_, signals) => Promise.resolve(columnsOf(groups, signals)),
      trainLabels: () => Promise.resolve(new Map()),
    },
    ...changes,
  });
}

const joinedIn = ({ drafts }: Awaited<ReturnType<typeof ask>>) =>
  drafts.filter(({ joins }) => joins !== undefined);

describe("the search joins two changes", () => {
  it("where a tried one looked better, but not clearly: with changes of other factors, each edit as it was tried", async () => {
    const asked = await ask([testsTried(0.106)]);
    const turns = joinedIn(asked).find(({ spec }) => spec.name === "turns-up-with-v2");
    assert.ok(
      turns !== undefined,
      joinedIn(asked)
        .map(({ spec }) => spec.name)
        .join(", "),
    );
    assert.deepEqual(turns.spec.edit, [
      { file: reward, path: "components.tests.weight", from: 0, to: 0.25 },
      { file: config, path: "turns", from: 12, to: 24 },
    ]);
    assert.deepEqual(turns.joins?.factors, ["reward", "environment"]);
    assert.match(
      turns.spec.hypothesis.because,
      /^v2-tests looked better than v1 by \+10\.6 points \[.*\], but not clearly\. /,
    );
    assert.match(
      turns.files.find(({ path }) => path === reward)?.after ?? "",
      /tests: \{ shape: linear, weight: 0\.25 \}/,
    );
  });

  it("and tries that before other single changes, because it is expected to do more", async () => {
    const [first] = (await ask([testsTried(0.106)])).drafts;
    assert.equal(first?.joins?.version, "v2-tests");
  });

  it("not where the tried change was clear, worse, no better, of another parent, or altered at its gate", async () => {
    for (const [why, change] of [
      ["better", testsTried(0.3, { ended: "better" })],
      ["worse", testsTried(-0.3, { ended: "worse" })],
      ["quarantined", testsTried(0.3, { ended: "invalid", effect: null })],
      ["no better", testsTried(0.01)],
      ["of another parent", testsTried(0.106, { parent: "v0" })],
      ["altered", testsTried(0.106, { edits: [] })],
    ] as const)
      assert.deepEqual(joinedIn(await ask([change])), [], why);
  });

  it("even where the archive says that the tried one alone changes no advantage, because the other one may", async () => {
    const weight: Case["edits"] = [
      { type: "value", file: reward, path: "components.correctness.weight", from: 1, to: 2 },
    ];
    const names = joinedIn(await ask([testsTried(0.106, { edits: weight })])).map(({ spec }) => spec.name);
    assert.ok(names.includes("turns-up-with-v2"), names.join(", "));
  });

  it("not in a random order, and not without memory or feedback", async () => {
    for (const search of ["ranking: random", "memory: off", "feedback: off"])
      assert.deepEqual(
        joinedIn(await ask([testsTried(0.106)], { search: `search: { ${search} }\n` })),
        [],
        search,
      );
    assert.ok(
      joinedIn(await ask([testsTried(0.106)], { search: "search: { ranking: score }\n" })).length > 0,
    );
  });

  it("with a change that was inside the noise alone, and with none that was worse", async () => {
    const turns = (difference: number, ended: Case["ended"]): Case =>
      testsTried(difference, {
        ...{ version: "v3-turns-up", factor: "environment", template: "turns-up", ended },
        edits: [{ type: "value", file: config, path: "turns", from: 12, to: 24 }],
      });
    const names = async (one: Case) =>
      joinedIn(await ask([testsTried(0.106), one])).map(({ spec }) => spec.name);
    assert.ok((await names(turns(-0.01, "noise"))).includes("turns-up-with-v2"));
    assert.ok(!(await names(turns(-0.3, "worse"))).includes("turns-up-with-v2"));
  });

  it("not with one that was quarantined or worse together with another, nor alone", async () => {
    const turns: Case["edits"] = [{ type: "value", file: config, path: "turns", from: 12, to: 24 }];
    const first = testsTried(0.106);
    for (const ended of ["invalid", "worse"] as const) {
      const both = testsTried(-0.3, {
        ...{ version: "v3-turns-up-with-v2", factor: null, template: "turns-up-with-v2", ended },
        edits: [...first.edits, ...turns],
        parts: [
          { factor: "reward", template: "tests", edits: first.edits },
          { factor: "environment", template: "turns-up-with-v2", edits: turns },
        ],
      });
      const [without, asked] = [await ask([first]), await ask([first, both])];
      const names = ({ drafts }: typeof asked) => drafts.map(({ spec }) => spec.name);
      assert.ok(names(without).includes("turns-up"));
      assert.ok(!names(asked).some((name) => name.startsWith("turns-up")), names(asked).join(", "));
      assert.ok(names(asked).includes("turns-down-with-v2"));
    }
  });

  it("once, and three at most", async () => {
    const first = testsTried(0.106);
    const own: Case["edits"] = [{ type: "value", file: config, path: "turns", from: 12, to: 24 }];
    const pair = testsTried(0.12, {
      ...{ version: "v3-turns-up-with-v2", factor: null, template: "turns-up-with-v2" },
      edits: [...first.edits, ...own],
      parts: [
        { factor: "reward", template: "tests", edits: first.edits },
        { factor: "environment", template: "turns-up-with-v2", edits: own },
      ],
    });
    const asked = joinedIn(await ask([first, pair]));
    assert.ok(!asked.some(({ spec }) => spec.name === "turns-up-with-v2"));
    const three = asked.find(({ spec }) => spec.name === "kl-up-with-v3");
    assert.deepEqual(three?.joins?.factors, ["reward", "environment", "optimisation"]);
    const kl: Case["edits"] = [{ type: "value", file: config, path: "kl", from: 0.1, to: 0.2 }];
    const all = { ...pair, version: "v4-kl-up-with-v3", edits: [...pair.edits, ...kl] };
    const parts = [...(pair.parts ?? []), { factor: "optimisation" as const, template: null, edits: kl }];
    const after = joinedIn(await ask([{ ...all, parts, effect: pair.effect }]));
    assert.deepEqual(after, []);
  });
});

describe("what is believed of two changes together", () => {
  const turns: Case["edits"] = [{ type: "value", file: config, path: "turns", from: 12, to: 24 }];
  const ofTurns = { factor: "environment" as const, template: "turns-up", edits: turns };
  const ofTests = { factor: "reward" as const, template: "tests", edits: testsTried(0).edits };
  const unknown = { triggers: ["low-score"], declared: null, backtest: null };

  it("is the sum of what is believed of each, and less certain than either", () => {
    const believe = beliefsFrom([testsTried(0.106)]);
    const [pair, alone] = [
      believe({ ...unknown, parts: [ofTests, ofTurns] }),
      believe({ ...unknown, parts: [ofTurns] }),
    ];
    assert.ok(pair.mean > alone.mean && pair.sd > alone.sd, JSON.stringify({ pair, alone }));
  });

  it("takes a version that made both as evidence of both", () => {
    const both = testsTried(0.2, {
      factor: null,
      edits: [...ofTests.edits, ...turns],
      parts: [ofTests, ofTurns],
    });
    const before = beliefsFrom([])({ ...unknown, parts: [ofTurns] });
    const after = beliefsFrom([both])({ ...unknown, parts: [ofTurns] });
    assert.ok(after.mean > before.mean, JSON.stringify({ before, after }));
  });
});
