import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { services } from "../../server/src/engine/services/services.ts";
import type { Owner } from "../../server/src/engine/owner/owner.ts";
import { keepEngine } from "../../server/src/engine/owner/withEngine.ts";
import { placeOf } from "../../server/src/engine/workspace/place.ts";
import { serviceNames, type AllServices, type ServiceName } from "../../shared/protocol/services.ts";
import { MadeProposals } from "../../shared/protocol/views/proposals.ts";
import { makeEvolvedProject, makeProjectAtPromotion } from "./finishedProject.ts";
import { firstProposal } from "./reviewProject.ts";
import { strictly } from "./strictly.ts";
import { Window } from "./window.ts";

type Params<N extends ServiceName> = AllServices[N]["params"];
/** What is asked of a service in the evolved project, or which other test asks it. */
type Row<N extends ServiceName> =
  | ((project: Project) => Params<N> | readonly Params<N>[])
  /** It starts programs that lie beside the bundle: the built language server is asked. */
  | { readonly built: Params<N>; /** Another project than the evolved one. */ readonly in?: () => string }
  | { readonly askedIn: string };

type How = "engine" | "built" | "elsewhere";
const howOf = (row: Row<ServiceName>): How =>
  typeof row === "function" ? "engine" : "built" in row ? "built" : "elsewhere";

const isList = <T>(given: T | readonly T[]): given is readonly T[] => Array.isArray(given);

interface Project {
  readonly root: string;
  /** What the rows before were answered, by name. */
  readonly answers: ReadonlyMap<string, unknown>;
}

const made = ({ answers }: Project): string =>
  MadeProposals.parse(answers.get("proposals.make")).proposals[0]?.id ?? "";
const textOf = ({ root }: Project, path: string): string => readFileSync(join(root, path), "utf8");

const [baseline, champion, leaking] = ["v1", "v2-linear-shape", "v5-visible-history"] as const;
const run = `${champion}.train.s1`;
const jobs = "jobs.test.ts";
/** Written into the project, so that lists of what is wrong have something in them. */
const more: Readonly<Record<string, string>> = {
  "harness/diagnostics/broken.diagnostic.yaml": "apiVersion: evotrainer/v1\nkind: Diagnostic\n",
  "harness/skills/broken.skill.yaml": "apiVersion: evotrainer/v1\nkind: Skill\n",
  "harness/skills/linear.skill.yaml": `apiVersion: evotrainer/v1
kind: Skill
name: linear
description: A linear shape leaves fewer groups without a gradient.
when: { targets: [insufficient-signal] }
factor: reward
edit: [{ path: shape, to: linear }]
expects: { metric: solve_rate, direction: increase }
validations: [{ domain: toy, version: v2-linear-shape, change: 0.33 }]
`,
  "notes.txt": "no evidence\n",
  "autoresearch/results.tsv":
    "commit\tval_bpb\tmemory_gb\tstatus\tdescription\na1b2c3d\t0.9979\t44.0\tkeep\tbaseline\nb2c3d4e\t0.9932\t44.2\tcrash\twider\n",
};
const reward = `apiVersion: evotrainer/v1
kind: Reward
name: draft
components: { correctness: { shape: binary, weight: 1 } }
filter: { kind: std, keep: 0.9 }
`;
const cheap = {
  path: "cheap.diagnostic.yaml",
  text: "apiVersion: evotrainer/v1\nkind: Diagnostic\nname: cheap\nlabel: { when: reward < 0.5 }\n",
};
const broken = '{"id": 1}\n';
const hosts = `
hosts:
  lab: { ssh: 127.0.0.1, port: 1, gpus: 2 }
`;

/** Every service, those that change the project after those that only read it. */
const rows: { readonly [N in ServiceName]: Row<N> } = {
  "versions.list": () => ({}),
  "versions.diagnose": () => [
    { version: leaking, trusted: true },
    { version: leaking, trusted: true, with: [cheap] },
  ],
  "versions.label": () => [{}, { split: "train" }],
  "versions.compare": () => [
    { a: baseline, b: champion, metric: "iqm", pickedFrom: 3 },
    { a: baseline, b: champion, step: "best" },
    {
      ...{ a: champion, b: leaking, divergences: 3, profile: true },
      guardrails: [{ metric: "solve_rate", tolerance: 0.05 }],
    },
  ],
  "versions.compareScores": () => ({ a: baseline, b: champion }),
  "versions.flow": () => ({ a: baseline, b: champion, by: "label" }),
  "versions.cases": () => [{ version: leaking }, { version: champion, limit: 1 }, { version: baseline }],
  "proposals.exam": () => ({ proposer: "search" }),
  "proposals.explain": () => ({ parent: champion, count: 2 }),
  "versions.tripwires": () => ({}),
  "versions.items": () => ({ versions: [baseline, champion], limit: 5 }),
  "versions.rewards": () => ({ versions: [baseline, champion, "nobody"] }),
  "versions.seeds": () => ({ versions: [baseline, champion, "nobody"] }),
  "versions.labels": () => ({ a: baseline, b: leaking, with: [cheap] }),
  "versions.gaps": () => [{ version: leaking }, { version: leaking, against: champion, without: ["leak"] }],
  "metrics.series": () => ({ versions: [baseline, champion] }),
  "lineage.predictions": () => ({}),
  "lineage.replay": () => [
    {},
    { seeds: 1, confidence: 0.8, gates: "human", harness: baseline },
    { without: ["leak"], guardrails: [{ metric: "solve_rate", atMost: 0.9 }], gates: "full" },
  ],
  "diagnostics.list": () => ({ version: leaking }),
  "skills.list": () => ({}),
  "skills.show": () => ({ name: "linear" }),
  "skills.offered": () => [{ trusted: true }, { version: baseline, trusted: true }],
  "diagnostics.liveCount": () => [
    { condition: "n_turns >" },
    { condition: "n_turns > params.many", params: { many: 2 } },
  ],
  "diagnostics.try": () => ({
    tries: [{ condition: "reward > 0.0", rollouts: [`${run}/selection-selection-0-4-0`] }],
  }),
  "backtest.diagnostic": (project) => {
    const path = "harness/diagnostics/leak.diagnostic.yaml";
    const text = textOf(project, path);
    return [
      { path, text: text.replace("critical: 0.5", "critical: 0.2") },
      { path, text: text.replace('"history" && t.ok', '"search"') },
    ];
  },
  "backtest.removal": () => ({ diagnostic: "leak" }),
  "backtest.curriculum": () => ({ version: champion, prompts: 4, steps: 3, keep: [0.1, 0.9], seed: 1 }),
  "backtest.reward": () => [
    { path: "draft.yaml", text: reward.replace("} }", "}, unheard: { weight: 1 } }"), versions: [champion] },
    { path: "draft.yaml", text: reward, versions: [champion], turnLimits: [2], tokenLimits: [5] },
  ],
  "rollouts.list": () => ({ version: leaking, search: "e", limit: 5 }),
  "rollouts.window": () => [
    { version: leaking, search: "e", offset: 0, limit: 5, counts: true },
    { version: leaking, offset: 3, limit: 5 },
  ],
  "rollouts.groups": () => ({ version: leaking, by: "label" }),
  "rollouts.label": () => ({
    ...{ version: leaking, run: `${leaking}.train.s1`, id: "selection-selection-0-4-0" },
    ...{ label: "leak", labelled: true, by: "ada", note: "it reads the history" },
  }),
  "rollouts.people": () => ({ labels: ["leak"] }),
  "rollouts.queue": () => ({ version: leaking, label: "leak", limit: 3 }),
  "rollouts.note": () => ({
    ...{ run: `${leaking}.train.s1`, id: "selection-selection-0-4-0", note: "odd", by: "ada" },
  }),
  "rollouts.show": () => ({ within: leaking, id: "selection-selection-0-4-0" }),
  "rollouts.divergence": () => ({
    a: { within: `${baseline}.selection.s1`, id: "selection-selection-0-4-0" },
    b: { within: `${leaking}.train.s1`, id: "selection-selection-0-4-0" },
  }),
  "rollouts.export": ({ root }) => ({ version: champion, path: join(root, "exported.jsonl") }),
  "jobs.list": { built: {} },
  "jobs.show": { built: { job: run } },
  "jobs.curves": { built: {} },
  "jobs.log": { built: { job: run, stream: "stdout" } },
  "jobs.cancel": { askedIn: jobs },
  "jobs.rerun": { askedIn: jobs },
  "evolution.status": () => ({}),
  "evolution.events": () => ({}),
  "evolution.start": { askedIn: jobs },
  "evolution.continue": { askedIn: jobs },
  "evolution.stop": () => ({}),
  "hosts.list": () => ({}),
  "hosts.candidates": () => ({}),
  "hosts.entry": () => ({ ssh: "lab2.example.invalid", gpus: 1 }),
  "hosts.check": { built: { host: "lab" } },
  "proposals.make": () => [{ parent: champion }, { parent: champion, intervention: "bonus" }],
  "skills.apply": () => ({ name: "linear", parent: baseline }),
  "proposals.answer": (project) => ({
    id: made(project),
    answer: { type: "approve", comment: "go on" },
    by: "ada",
  }),
  "proposals.try": { askedIn: "patches.test.ts" },
  "proposals.list": () => ({ all: true }),
  "proposals.show": (project) => ({ id: made(project) }),
  "versions.promote": {
    built: { version: firstProposal, approve: true, trusted: true, by: "ada" },
    in: makeProjectAtPromotion,
  },
  "versions.revert": () => ({ version: champion, reason: "to see", by: "ada" }),
  "evidence.import": ({ root }) => {
    const exported = join(root, "exported.jsonl");
    appendFileSync(exported, broken);
    return [
      { paths: [exported, join(root, "notes.txt")], version: "imported", run: "imported.1" },
      { paths: [join(root, "autoresearch")], domain: "research" },
    ];
  },
  "evidence.follow": ({ root }) => {
    const followed = join(root, "followed");
    mkdirSync(followed, { recursive: true });
    const sample = { input: "1+1?", output: "2", gts: "2", score: 1, step: 1 };
    writeFileSync(join(followed, "1.jsonl"), `${JSON.stringify(sample)}\n{"input": 1}\n`);
    writeFileSync(join(followed, "2.jsonl"), `${JSON.stringify({ ...sample, step: 2 })}\n{"input`);
    writeFileSync(join(followed, "metrics.jsonl"), '{"step":1,"reward":0.5}\n');
    writeFileSync(join(followed, "none.json"), "{}\n");
    return [
      {
        paths: ["1.jsonl", "2.jsonl", "metrics.jsonl", "none.json"].map((name) => join(followed, name)),
        name: "followed",
      },
      { paths: [], name: "followed", version: "followed" },
    ];
  },
  "evidence.followTotals": () => [
    { version: "followed", split: "train", compare: "imported" },
    { version: "nobody", split: null },
  ],
  "archive.status": () => ({}),
  "archive.facts": () => ({}),
  "quarantine.list": () => ({}),
  "evidence.collect": () => ({ run, version: champion }),
  "archive.trim": () => ({ versions: [baseline] }),
  "archive.forget": () => [
    { target: { version: "imported" }, deleteFiles: true },
    { target: { run }, deleteFiles: true },
  ],
};

describe("the contract of the services", function () {
  this.timeout(180_000);
  const answers = new Map<string, unknown>();
  let root = "";
  before(() => {
    root = makeEvolvedProject();
    appendFileSync(join(root, "evotrainer.yaml"), hosts);
    for (const [path, text] of Object.entries(more)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  const isAsked = (name: string): name is ServiceName => Object.hasOwn(rows, name);
  const asked = Object.keys(rows).filter(isAsked);
  const how = (name: ServiceName): How => howOf(rows[name]);

  describe("describes all that the built language server answers to", () => {
    let window: Window;
    before(() => {
      window = new Window(root);
    });
    after(() => window.end());
    for (const name of asked.filter((one) => how(one) === "built"))
      it(name, async () => {
        const row = rows[name];
        assert.ok("built" in row);
        if (row.in === undefined) {
          await window.ask(name, row.built);
          return;
        }
        const other = row.in();
        const there = new Window(other);
        try {
          await there.ask(name, row.built);
        } finally {
          await there.end();
          rmSync(other, { recursive: true, force: true });
        }
      });
  });

  describe("describes all that an engine answers to", () => {
    let owner: Owner;
    before(async () => {
      owner = await keepEngine(placeOf(root), { role: "verb", trusted: true });
    });
    after(() => owner.close());
    async function ask<N extends ServiceName>(name: N): Promise<readonly AllServices[N]["result"][]> {
      const row: Row<N> = rows[name];
      assert.ok(typeof row === "function");
      const given = row({ root, answers });
      const call = { signal: new AbortController().signal, progress: () => undefined };
      const service = await services[name]();
      const got: AllServices[N]["result"][] = [];
      for (const params of isList(given) ? given : [given])
        got.push(strictly(name, await owner.run({ name, service, params }, call)));
      return got;
    }
    for (const name of asked.filter((one) => how(one) === "engine"))
      it(name, async () => {
        answers.set(name, (await ask(name)).at(-1));
      });
  });

  it("has a row here for every service, and another test asks for those that a row leaves to it", () => {
    for (const name of serviceNames) {
      assert.ok(isAsked(name), `Add a row for ${name}.`);
      const row = rows[name];
      if (!("askedIn" in row)) continue;
      const text = readFileSync(join(import.meta.dirname, row.askedIn), "utf8");
      assert.ok(text.includes(`.ask("${name}"`), `${row.askedIn} does not ask for ${name}.`);
    }
  });

  it("does not let a field pass that it lacks", () => {
    assert.throws(() => strictly("jobs.cancel", { job: "v1.train.s1", at: "now" }), /schema lacks/);
  });
});
