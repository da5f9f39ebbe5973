import assert from "node:assert/strict";
import { HarnessError } from "../../base/errors.ts";
import type { Draft } from "../../proposals/draft.ts";
import { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { LoopQuestion } from "../ports.ts";
import { askProposers, type Asked, type AskPorts } from "./askProposers.ts";

const draft = (name: string, path: string, to: number, factor = "reward"): Draft => ({
  ...{ because: "", finding: "low-score", files: [] },
  spec: InterventionSpec.parse({
    ...{ apiVersion: "evotrainer/v1", kind: "Intervention", name, targets: ["low-score"], factor },
    hypothesis: { change: path, metric: "solve_rate", direction: "increase", because: "b" },
    edit: [{ file: "a.yaml", path, from: 0, to }],
    success: { atLeast: 0.02 },
  }),
});

describe("the loop's question to its proposers", () => {
  const project = (proposers: readonly object[]) =>
    ProjectSpec.parse({
      ...{ apiVersion: "evotrainer/v1", kind: "Project", name: "p", domain: "p", proposers },
      trainer: { command: ["true"] },
      evaluation: { splits: { train: "a", selection: "b", audit: "c" } },
      surfaces: [
        { factor: "reward", file: "a.yaml" },
        { factor: "sampling", file: "b.yaml" },
      ],
      models: { m: { url: "http://localhost:1/v1", model: "m" } },
    });
  const model = { name: "clever", kind: "model", model: "m" };

  /** Asks for four drafts; the search has its own, and `answer` is what the model does. */
  async function ask(
    proposers: readonly object[],
    answer: (question: LoopQuestion) => readonly Draft[] = () => [],
    more: Partial<Asked> & { readonly nothingLeft?: boolean; readonly searchIsRight?: boolean } = {},
  ) {
    const notes: string[] = [];
    const asked: LoopQuestion[] = [];
    const searched: Asked[] = [];
    const ports: AskPorts = {
      proposing: {
        chooseDrafts: (question) => {
          searched.push(question as Asked);
          const found = Math.min(question.count, more.nothingLeft === true ? 0 : 9);
          const drafts = Array.from({ length: found }, (_, i) => draft(`s${i}`, `s${i}`, 1));
          const trace = { ranked: [], refused: [], chosen: [] } as never;
          return Promise.resolve({ drafts, passedOver: [], trace });
        },
      },
      askProposer: (_, question) => {
        asked.push(question);
        return Promise.resolve().then(() => ({ drafts: answer(question), passedOver: ["x is refused."] }));
      },
      trackRecords: (names) =>
        Promise.resolve(
          // One was always right, and the others never.
          names.map((proposer) => ({
            ...{
              proposer,
              judged: 500,
              cameTrue: (proposer === "search") === (more.searchIsRight === true) ? 500 : 0,
              seconds: 10,
            },
          })),
        ),
      emit: (event) => void (event.type === "note" && notes.push(event.message)),
    };
    const base = {
      ...{ project: { spec: project(proposers), interventions: [] }, version: "v1", findings: [], count: 4 },
      ...{ tried: [], cases: [], profile: null, skills: [], answered: {}, seed: 1, generation: 2, ...more },
    };
    const drafts = await askProposers(base as unknown as Asked, ports);
    return {
      notes,
      asked,
      searched,
      drafts: drafts.map(({ draft: d, proposer }) => [proposer, d.spec.name]),
    };
  }

  it("is the search's alone where there is nobody else", async () => {
    const { drafts, asked } = await ask([]);
    assert.deepEqual(
      drafts.map(([proposer]) => proposer),
      ["search", "search", "search", "search"],
    );
    assert.deepEqual(asked, []);
  });

  it("goes to whoever predicts well, and the search fills what is left over", async () => {
    const { drafts, notes, searched } = await ask([model], () => [
      draft("one", "x", 1),
      draft("two", "y", 1),
    ]);
    assert.deepEqual(drafts, [
      ["clever", "one"],
      ["clever", "two"],
      ["search", "s0"],
      ["search", "s1"],
    ]);
    assert.deepEqual(notes, ["x is refused."]);
    assert.deepEqual(
      searched[0]?.tried.map(({ name }) => name),
      ["one", "two"],
      "the search does not propose the same once more",
    );
  });

  it("asks whoever was not chosen where the search has nothing left", async () => {
    const { drafts } = await ask([model], () => [draft("one", "x", 1)], {
      ...{ nothingLeft: true, searchIsRight: true },
    });
    assert.deepEqual(drafts, [["clever", "one"]]);
  });

  it("goes on with the search where a proposer cannot be asked, and says so", async () => {
    const { drafts, notes } = await ask([model], () => {
      throw new HarnessError("budgetSpent", "The tokens are spent.");
    });
    assert.equal(drafts.filter(([proposer]) => proposer === "search").length, 4);
    assert.match(notes.join(), /clever proposes nothing for v1 this time.*The tokens are spent\./);
  });

  it("stops where it is cancelled, and hides no fault", async () => {
    for (const e of [new HarnessError("cancelled", "Stopped."), new TypeError("a fault")])
      await assert.rejects(
        ask([model], () => {
          throw e;
        }),
        e,
      );
  });

  it("takes nothing that was tried, and no other factor than is asked for", async () => {
    const tried = [
      { version: "v2", name: "old", edit: draft("old", "x", 1).spec.edit, isHere: true },
    ] as const satisfies Asked["tried"];
    const drafts = () => [draft("again", "x", 1), draft("new", "z", 1), draft("cooler", "t", 1, "sampling")];
    const made = await ask([model], drafts, { tried, factors: ["reward"] });
    assert.deepEqual(
      made.drafts.filter(([proposer]) => proposer === "clever"),
      [["clever", "new"]],
    );
    assert.match(made.notes.join(), /again of clever is passed over: v2 makes nearly the same change/);
    assert.match(
      made.notes.join(),
      /cooler of clever is passed over: after the last failures another factor/,
    );
    assert.deepEqual(made.asked[0]?.factors, ["reward"]);
  });

  it("goes on without a search that owns what does not exist, and says so", async () => {
    const { drafts, notes } = await ask([{ name: "lost", kind: "search", owns: ["no-such"] }]);
    assert.equal(drafts.length, 4);
    assert.match(notes.join(), /lost proposes nothing.*owns no-such, but no surface/);
  });

  it("lets a search own surfaces, and work without feedback", async () => {
    const { searched, drafts } = await ask(
      [{ name: "cool", kind: "search", owns: ["sampling"], feedback: "off" }],
      undefined,
      { cases: [{}] as unknown as Asked["cases"] },
    );
    assert.deepEqual(
      searched[0]?.project.spec.surfaces.map(({ factor }) => factor),
      ["sampling"],
    );
    assert.deepEqual(searched[0].cases, []);
    assert.equal(drafts[0]?.[0], "cool");
  });
});
