import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { columnsOf } from "../../../../test/support/backtest/columns.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Finding } from "../../diagnosis/rules.ts";
import { buildLineage } from "../../lineage/graph.ts";
import { linksIn } from "../../project/frozen/links.ts";
import { loadProject } from "../../project/project.ts";
import type { FileSource } from "../../project/source.ts";
import { makeProposals } from "../../proposals/makeProposals.ts";
import type { ProposalPorts } from "../../proposals/ports.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";
import { chooseDrafts } from "../../proposals/chooseDrafts.ts";
import { backtestProposal } from "../../proposals/commitProposal.ts";
import { draftOf } from "../../proposals/draft.ts";
import type { LoopEvent } from "../events.ts";
import { initialState } from "../state.ts";
import { hypothesise, intervene, type ProposePorts } from "./propose.ts";

const edit = (file: string, path: string, from: string, to: string): string =>
  `{ file: ${file}, path: ${path}, from: ${from}, to: ${to} }`;
const config = "harness/toy.yaml";
const reward = "harness/main.reward.yaml";
const shape = "components.progress.shape";

const intervention = (factor: string, edits: readonly string[]): string => `apiVersion: evotrainer/v1
kind: Intervention
name: asked
hypothesis: { change: x, metric: solve_rate, direction: increase, because: it should }
targets: [low-score]
factor: ${factor}
edit: [${edits.join(", ")}]
success: { atLeast: 0.9 }
`;

const filesWith = (asked: string): Readonly<Record<string, string>> => ({
  "evotrainer.yaml": `apiVersion: evotrainer/v1
kind: Project
name: toy
domain: toy
trainer: { command: [node, trainer.mjs] }
reward: ${reward}
evaluation:
  splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }
  files: [harness/eval.yaml, harness/judge, harness/linked.yaml]
surfaces:
  - { factor: reward, file: harness/judge/limits.yaml }
  - { factor: reward, file: harness/real.yaml }
  - { factor: reward, file: ${reward} }
  - { factor: reward, file: harness/eval.yaml }
  - { factor: optimisation, file: ${config}, paths: [lr, gpus] }
  - { factor: environment, file: ${config}, paths: [turns] }
frozen:
  - { file: ${config}, paths: [gpus] }
`,
  [config]: "lr: slow\nturns: few\ngpus: some\nother: a\nrun_name: a\n",
  [reward]:
    "apiVersion: evotrainer/v1\nkind: Reward\nname: main\ncomponents: { progress: { shape: flat, weight: 1 } }\n",
  "harness/eval.yaml": "strict: yes_please\n",
  "harness/judge/limits.yaml": "strict: yes_please\n",
  "harness/real.yaml": "strict: yes_please\n",
  "harness/interventions/asked.intervention.yaml": asked,
  "harness/interventions/sound.intervention.yaml": intervention("optimisation", [
    edit(config, "lr", "slow", "fast"),
  ])
    .replace("name: asked", "name: sound")
    .replace("0.9", "0.01"),
});

const lowScore: Finding = { name: "low-score", severity: "critical", message: "The score is low." };
const common = { at: "2026-01-01T00:00:00.000Z", domain: "toy", version: "v1" };
const start: LedgerEntry = {
  ...{ ...common, id: "version:v1", type: "version", commit: "a".repeat(40), parent: null, generation: 0 },
  ...{ factor: null, intervention: null, title: "baseline" },
};

/** A project in memory, and what is made of it. */
function bench(asked: string) {
  const files = filesWith(asked);
  const source: FileSource = {
    name: "the parent",
    read: (path) => Promise.resolve(files[path]),
    list: (folder) =>
      Promise.resolve(Object.keys(files).filter((p) => p.slice(0, p.lastIndexOf("/")) === folder)),
    links: () => Promise.resolve(linksIn(new Map([["harness/linked.yaml", "real.yaml"]]))),
  };
  const made: string[] = [];
  const events: LoopEvent[] = [];
  const ports: ProposalPorts = {
    source: () => source,
    trainGroups: (_, signals) => Promise.resolve(columnsOf([], signals)),
    trainLabels: () => Promise.resolve(new Map()),
    cases: () => Promise.resolve([]),
    skills: () => Promise.resolve([]),
    profile: () => Promise.resolve(null),
    harnessFigures: () => Promise.resolve(null),
    createProposal({ name }) {
      made.push(name);
      return Promise.resolve("b".repeat(40));
    },
    appendToLedger: () => Promise.resolve(),
    now: () => common.at,
  };
  return { source, made, events, ports };
}

async function refusalOfPropose(asked: string): Promise<string> {
  const { source, made, ports } = bench(asked);
  const lineage = buildLineage([start], "toy");
  const request = { lineage, parent: versionIn(lineage, "v1"), project: await loadProject(source) };
  try {
    await makeProposals(
      { ...request, proposer: "search", intervention: "asked", count: 1 },
      { ...ports, findings: () => Promise.resolve([lowScore]), changes: () => Promise.resolve([]) },
    );
  } catch (e) {
    assert.ok(HarnessError.is(e));
    assert.deepEqual(made, []);
    return e.message;
  }
  return "";
}

/** What the loop makes of it: the versions that it would train, and its notes. */
async function choiceOfLoop(asked: string): Promise<{ made: string[]; notes: string[] }> {
  const { source, made, events, ports: own } = bench(asked);
  const ports: ProposePorts = {
    ...own,
    compose: () => Promise.resolve(null),
    proposing: { chooseDrafts, draftOf, backtestProposal },
    createVersion: (version) => own.createProposal(version),
    askProposer: () => Promise.reject(new Error("The project has no proposer but the search.")),
    trackRecords: () => Promise.resolve([]),
    harnessProposals: () => Promise.resolve([]),
    harnessParent: (otherwise) => Promise.resolve(otherwise),
    proposalsOn: () => Promise.resolve([]),
    approvedOnRuns: () => Promise.resolve([]),
    procedureHistory: () =>
      Promise.resolve({ failuresInARow: 0, failed: [], stack: [], otherParents: [], below: null, taken: [] }),
    firstFreeNumber: () => Promise.resolve(2),
    emit: (event) => void events.push(event),
  };
  const options = { domain: "toy", base: "", startedAt: common.at, generations: 1, firstNumber: 2 };
  const state = { ...initialState(options), phase: "evolve" as const, champion: "v1" };
  const project = await loadProject(source);
  const grounds = [{ parent: "v1", why: null, findings: [lowScore] }];
  const sourceOf = () => Promise.resolve(ports.source("parent"));
  const { candidates } = await hypothesise({ ...state, grounds }, sourceOf, project, ports);
  await intervene({ ...state, candidates }, () => Promise.resolve("parent"), project, ports);
  return { made, notes: events.flatMap((e) => (e.type === "note" ? [e.message] : [])) };
}

describe("the loop and the propose command", () => {
  for (const [what, factor, edits, expected] of [
    [
      "a reward shape that does not exist",
      "reward",
      [edit(reward, shape, "flat", "wavy")],
      /main\.reward\.yaml:\d+: /,
    ],
    [
      "a reward of an unknown kind",
      "reward",
      [edit(reward, "kind", "Reward", "Wish")],
      /main\.reward\.yaml:\d+: /,
    ],
    ["a frozen value", "optimisation", [edit(config, "gpus", "some", "all")], /gpus .* is frozen/],
    [
      "a file of the evaluation",
      "reward",
      [edit("harness/eval.yaml", "strict", "yes_please", "no")],
      /harness\/eval\.yaml is frozen, because it belongs to the evaluation, so no version/,
    ],
    [
      "a file in a folder of the evaluation",
      "reward",
      [edit("harness/judge/limits.yaml", "strict", "yes_please", "no")],
      /harness\/judge\/limits\.yaml is frozen, because it belongs to the evaluation \(harness\/judge\), so/,
    ],
    [
      "a file that a link of the evaluation leads to",
      "reward",
      [edit("harness/real.yaml", "strict", "yes_please", "no")],
      /harness\/real\.yaml is frozen, because harness\/linked\.yaml, a link that .* leads to it, so/,
    ],
    ["a value on no surface", "reward", [edit(config, "other", "a", "b")], /not on a declared surface/],
    [
      "a factor other than the declared one",
      "reward",
      [edit(config, "lr", "slow", "fast")],
      /belongs to optimisation/,
    ],
    [
      "two factors",
      "optimisation",
      [edit(config, "lr", "slow", "fast"), edit(config, "turns", "few", "many")],
      /belongs to environment/,
    ],
    [
      "only bookkeeping",
      "optimisation",
      [edit(config, "run_name", "a", "b")],
      /not on a declared surface|Only bookkeeping/,
    ],
  ] as const)
    // The search goes on with general moves, of which this test is not.
    it(`refuse ${what}; the loop says so and takes the next candidate`, async () => {
      const asked = intervention(factor, edits);
      assert.match(await refusalOfPropose(asked), expected);
      const { made, notes } = await choiceOfLoop(asked);
      assert.equal(made[0], "v2-sound");
      assert.match(notes.join("\n"), /^asked is skipped: /);
      assert.match(notes.join("\n"), expected);
    });

  it("accept a sound change", async () => {
    const asked = intervention("environment", [edit(config, "turns", "few", "many")]);
    assert.equal(await refusalOfPropose(asked), "");
    assert.deepEqual((await choiceOfLoop(asked)).made, ["v2-asked", "v3-sound"]);
  });
});
