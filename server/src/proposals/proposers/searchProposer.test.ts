import assert from "node:assert/strict";
import { columnsOf, type TestGroup } from "../../../../test/support/backtest/columns.ts";
import type { Finding } from "../../diagnosis/rules.ts";
import { SkillSpec } from "../../../../shared/spec/skill.ts";
import { recordOf } from "../../memory/skills/record.ts";
import type { Case } from "../../memory/cases/case.ts";
import { loadProject } from "../../project/project.ts";
import type { FileSource } from "../../project/source.ts";
import { chooseDrafts, type Question } from "../chooseDrafts.ts";
import { searchProposer } from "./searchProposer.ts";

const reward = "harness/main.reward.yaml";
const config = "harness/train.yaml";

const intervention = (name: string, factor: string, edit: string, atLeast = 0.02): string =>
  `apiVersion: evotrainer/v1
kind: Intervention
name: ${name}
hypothesis: { change: x, metric: solve_rate, direction: increase, because: it should }
targets: [insufficient-signal]
factor: ${factor}
edit: [${edit}]
success: { atLeast: ${atLeast} }
`;

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
  - { factor: optimisation, file: ${config}, paths: [kl, gpus] }
frozen: [{ file: ${config}, paths: [gpus] }]
library: { use: none }
`,
  [config]: "kl: 0.1\ngpus: 8\nother: 3\n",
  [reward]: `apiVersion: evotrainer/v1
kind: Reward
name: main
components: { correctness: { shape: linear, weight: 1 }, tests: { shape: linear, weight: 0 } }
`,
  "harness/interventions/kl.intervention.yaml": intervention(
    "kl",
    "optimisation",
    `{ file: ${config}, path: kl, range: [0.01, 1], scale: log }`,
  ),
  "harness/interventions/coarse.intervention.yaml": intervention(
    "coarse",
    "reward",
    `{ file: ${reward}, path: components.correctness.shape, from: linear, to: flat }`,
    0.5,
  ),
};

const source: FileSource = {
  name: "the parent",
  read: (path) => Promise.resolve(files[path]),
  list: (folder) =>
    Promise.resolve(Object.keys(files).filter((p) => p.slice(0, p.lastIndexOf("/")) === folder)),
};

/** Two groups that the flat tiers make dead, and one that has a spread because of the tests alone. */
const groups: readonly TestGroup[] = [
  [0.6, 0.9, 0],
  [0.1, 0.4, 0],
  [0.5, 0.5, 1],
].map(([a = 0, b = 0, tests = 0]) => ({
  rollouts: [
    { outcome: "fail", signals: { correctness: a, tests } },
    { outcome: "fail", signals: { correctness: b, tests: 0 } },
  ],
}));

const finding: Finding = {
  name: "insufficient-signal",
  severity: "critical",
  message: "Many groups are dead.",
};

const klCase = (to: number, low: number, high: number, ended: Case["ended"]): Case => ({
  ...{ version: "v2", parent: "v1", factor: "optimisation", template: "kl" },
  ...{ triggers: ["insufficient-signal"], decision: "reject", ended, seconds: 100 },
  edits: [{ type: "value", file: config, path: "kl", from: 0.1, to }],
  profile: { rates: new Map(), alerts: [] },
  effect: { difference: (low + high) / 2, low, high, confidence: 0.95, error: (high - low) / 3.92 },
});

async function ask(changes: Partial<Question> = {}) {
  return chooseDrafts({
    ...{ project: await loadProject(source), parent: source, version: "v1", findings: [finding] },
    ...{ tried: [], cases: [], skills: [], profile: { rates: new Map(), alerts: [] }, answered: {} },
    ...{ seed: 1, count: 50 },
    archive: {
      trainGroups: (_, signals) => Promise.resolve(columnsOf(groups, signals)),
      trainLabels: () => Promise.resolve(new Map()),
    },
    ...changes,
  });
}

/** What is asked of a project that sets its search. */
async function askAs(search: string, changes: Partial<Question> = {}) {
  const set = `${files["evotrainer.yaml"]}search: ${search}\n`;
  const project = await loadProject({
    ...source,
    read: (path) => Promise.resolve(path === "evotrainer.yaml" ? set : files[path]),
  });
  return ask({ project, ...changes });
}

const valuesOf = ({ drafts }: Awaited<ReturnType<typeof ask>>, path: string): unknown[] =>
  drafts.flatMap(({ spec }) => spec.edit.flatMap((e) => ("to" in e && e.path === path ? [e.to] : [])));

describe("the search", () => {
  it("tries several values of a parameter, and general moves on what surfaces declare", async () => {
    const asked = await ask();
    assert.ok(valuesOf(asked, "kl").length >= 5, "the domain and half and twice the value");
    assert.deepEqual(valuesOf(asked, "components.tests.weight").sort(), [0.25, 0.5]);
    assert.deepEqual([valuesOf(asked, "gpus"), valuesOf(asked, "other")], [[], []]);
    const said = asked.drafts.flatMap(({ spec: { hypothesis } }) => hypothesis.because);
    const moves = said.filter((because) => because.includes("no intervention of the project"));
    assert.ok(moves.length > 0);
    for (const because of moves) assert.match(because, / It is tried for the finding insufficient-signal\.$/);
    // What was found is no reason for just this.
    for (const { spec, because } of asked.drafts)
      assert.equal(/ This is a trial: /.test(because), / This is a trial: /.test(spec.hypothesis.because));
  });
  it("refuses what makes its own target worse on the archive, whatever its author promises", async () => {
    const { drafts, passedOver } = await ask();
    assert.ok(!drafts.some(({ spec }) => spec.name === "coarse"));
    assert.match(passedOver.join(), /^coarse is skipped: .* makes insufficient-signal worse/);
  });
  it("refuses a general move that changes no advantage", async () => {
    const { trace } = await ask();
    const doubled = trace.refused.find(({ idea }) => idea.spec.name === "correctness-weight-up");
    assert.match(doubled?.why ?? "", /every advantage stays the same/);
  });
  it("does not repeat a value that was tried, but tries another one after noise", async () => {
    const tried = [
      { version: "v2", name: "kl", isHere: false, edit: [{ file: config, path: "kl", from: 0.1, to: 1 }] },
    ];
    const values = valuesOf(await ask({ tried, cases: [klCase(1, -0.02, 0.03, "noise")] }), "kl");
    assert.ok(!values.includes(1) && values.includes(0.2), values.join());
  });
  it("goes no further the way that was worse", async () => {
    const values = valuesOf(await ask({ cases: [klCase(0.2, -0.09, -0.02, "worse")] }), "kl");
    assert.ok(
      values.every((value) => typeof value === "number" && value < 0.2),
      values.join(),
    );
    assert.ok(values.includes(0.05));
  });
  it("expects less of what is near to a rejected change, and more of what is near to a kept one", async () => {
    const mean = async (cases: Case[]): Promise<number> => {
      const { trace } = await ask({ cases });
      return trace.ranked.find(({ spec }) => spec.name === "kl-down")?.belief.mean ?? NaN;
    };
    const [worse, none, better] = [
      await mean([klCase(0.07, -0.05, 0.01, "noise")]),
      await mean([]),
      await mean([klCase(0.07, 0.02, 0.08, "better")]),
    ];
    assert.ok(worse < none && none < better, `${worse} ${none} ${better}`);
  });
  it("gives the same answer to the same question, and other seeds begin elsewhere", async () => {
    const names = async (seed: number): Promise<string> =>
      (await ask({ seed })).drafts.map(({ spec }) => JSON.stringify(spec.edit)).join();
    assert.equal(await names(1), await names(1));
    assert.notEqual(await names(1), await names(2));
  });
  it("proposes nothing where nothing is wrong", async () =>
    assert.deepEqual((await ask({ findings: [] })).drafts, []));
  it("uses a skill that was confirmed in the domain, and says what it expects of it, so that the use is scored", async () => {
    const spec = SkillSpec.parse({
      ...{ apiVersion: "evotrainer/v1", kind: "Skill", name: "tests-count", factor: "reward" },
      when: { targets: ["insufficient-signal"] },
      edit: [{ path: "components.tests.weight", to: 0.3 }],
      expects: { direction: "increase" },
      validations: [
        { domain: "toy", version: "v7", change: 0.1, low: 0.06, high: 0.14, outcome: "confirmed" },
      ],
    });
    const lineage = { domain: "toy", versions: [], problems: [] };
    const known = { spec, record: recordOf(spec, lineage, () => ({ notKept: null, held: null })) };
    const used = (await ask({ skills: [known] })).drafts.filter(({ skill }) => skill !== undefined);
    assert.deepEqual(
      used.map((draft) => [draft.spec.name, draft.skill?.name, draft.finding]),
      [["tests-count", "tests-count", "insufficient-signal"]],
    );
    assert.ok(Math.abs((used[0]?.skill?.expected?.difference ?? 0) - 0.1) < 1e-9);
    const elsewhere = { ...lineage, domain: "other" };
    const foreign = SkillSpec.parse({
      ...spec,
      validations: spec.validations.map((one) => ({ ...one, domain: "other" })),
    });
    const asked = await ask({
      skills: [
        { spec: foreign, record: recordOf(foreign, elsewhere, () => ({ notKept: null, held: null })) },
      ],
    });
    assert.equal(asked.drafts.filter(({ skill }) => skill !== undefined).length, 0);
  });
  it("is a proposer like any other", async () => {
    const { tried, cases, skills, profile, answered, seed, archive } = {
      ...{ tried: [], cases: [], skills: [], profile: null, answered: {}, seed: 1 },
      archive: {
        trainGroups: (_: string, signals: readonly string[]) => Promise.resolve(columnsOf([], signals)),
        trainLabels: () => Promise.resolve(new Map<string, readonly number[]>()),
      },
    };
    const proposer = searchProposer({ tried, cases, skills, profile, answered, seed, archive });
    const question = {
      ...{ project: await loadProject(source), findings: [finding], count: 2, hints: [] },
      tools: { tools: [], call: () => Promise.reject(new Error("It reads the archive itself.")) },
    };
    const parent = { name: "v1", commit: "0".repeat(40), source };
    const ideas = await proposer.propose({ ...question, parent }, new AbortController().signal);
    assert.deepEqual([ideas.length, ideas[0]?.finding], [2, "insufficient-signal"]);
  });
});

describe("the search as evotrainer.yaml sets it", () => {
  const named = ({ trace }: Awaited<ReturnType<typeof ask>>): string[] =>
    trace.ranked.map(({ spec }) => `${spec.name} ${JSON.stringify(spec.edit)}`);
  const worse = [klCase(0.2, -0.09, -0.02, "worse")];

  it("at random looks at every idea, whatever was found, in an order that the seed gives and tried ideas do not change", async () => {
    const all = named(await askAs("{ ranking: random }"));
    assert.deepEqual(named(await askAs("{ ranking: random }", { findings: [] })), all);
    assert.ok(
      all.some((one) => one.startsWith("coarse ")),
      "what the archive speaks against is there too",
    );
    assert.notDeepEqual(named(await askAs("{ ranking: random }", { seed: 2 })), all);
    assert.deepEqual(named(await askAs("{ ranking: random }", { seed: 2 })).sort(), all.toSorted());
    const { trace } = await askAs("{ ranking: random }");
    const chosen = trace.chosen.map(({ ranked }) => ranked.spec.name);
    assert.deepEqual(
      chosen,
      trace.ranked.map(({ spec }) => spec.name).filter((name) => chosen.includes(name)),
      "the order of the draw is the order of the drafts",
    );
  });
  it("by score alone ranks by what was measured, and by no promise, finding or replay", async () => {
    const means = async (changes: Partial<Question>): Promise<Set<number>> =>
      new Set((await askAs("{ ranking: score }", changes)).trace.ranked.map(({ belief }) => belief.mean));
    assert.deepEqual([...(await means({ findings: [] }))], [0]);
    assert.ok((await means({ cases: [klCase(0.5, 0.02, 0.08, "better")] })).size > 1);
    const { trace } = await askAs("{ ranking: score }");
    assert.deepEqual(
      [trace.rollouts, new Set(trace.ranked.map(({ replay }) => replay))],
      [0, new Set([null])],
    );
  });
  it("without backtests refuses nothing because of the archive", async () => {
    const { trace } = await askAs("{ backtests: off }");
    assert.equal(trace.rollouts, 0);
    assert.deepEqual(
      trace.refused.filter(({ stage }) => stage === "backtest"),
      [],
    );
  });
  it("without memory ranks without cases, and still does not repeat what was worse", async () => {
    const asked = await askAs("{ memory: off }", { cases: worse });
    assert.ok(asked.trace.ranked.every(({ belief }) => belief.cases === 0));
    assert.ok(valuesOf(asked, "kl").every((value) => typeof value === "number" && value < 0.2));
  });
  it("without feedback does not know that a change was worse", async () => {
    const values = valuesOf(await askAs("{ feedback: off }", { cases: worse }), "kl");
    assert.ok(values.includes(0.2) && values.includes(0.398), values.join());
  });
  it("without costs does not prefer what trains faster", async () => {
    const fast = [
      { ...klCase(0.05, -0.02, 0.03, "noise"), seconds: 10 },
      { ...klCase(0.5, -0.02, 0.03, "noise"), factor: "data" as const, edits: [], seconds: 100 },
    ];
    const costs = async (search: string): Promise<number[]> =>
      (await askAs(search, { cases: fast })).trace.ranked.map(({ cost }) => cost);
    assert.ok((await costs("{}")).some((cost) => cost < 1));
    assert.ok((await costs("{ costs: off }")).every((cost) => cost === 1));
  });
});
