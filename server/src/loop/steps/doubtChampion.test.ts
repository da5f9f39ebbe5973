import assert from "node:assert/strict";
import { planOf } from "../../../../test/support/loop/plan.ts";
import { projectOf } from "../../../../test/support/loop/project.ts";
import { initialState, type LoopState } from "../state.ts";
import { doubtChampion, worseAfter } from "./doubtChampion.ts";

const looked = (verdict: string, parent = "v3") =>
  ({ parent, look: { comparison: { verdict } } }) as never as Parameters<typeof worseAfter>[1][number];
const worse = looked("regressed");

describe("changes of the best version that are worse than it", () => {
  const of = { champion: "v3", doubt: null };
  it("are counted in a row, over generations", () => {
    assert.deepEqual(worseAfter(of, [worse]), { version: "v3", worse: 1 });
    assert.deepEqual(worseAfter({ ...of, doubt: { version: "v3", worse: 1 } }, [worse]), {
      version: "v3",
      worse: 2,
    });
    assert.equal(worseAfter(of, [worse, looked("inside_noise"), worse])?.worse, 1);
  });
  it("are none of another version, and none that could not be compared", () => {
    assert.equal(worseAfter({ ...of, doubt: { version: "v2", worse: 5 } }, [worse])?.worse, 1);
    const pruned = { parent: "v3", look: null };
    assert.equal(worseAfter(of, [worse, looked("regressed", "v1"), pruned])?.worse, 1);
  });
});

describe("a best version of which all changes are worse", () => {
  /** What is done about v3, which was kept on two seeds with a score of 52 %, and has 38 % of four; v1 has so much. */
  const doubted = async (
    change: Partial<LoopState>,
    { ofBaseline = 0.32, spent = null as string | null } = {},
  ) => {
    const project = await projectOf(planOf(1));
    const spec = {
      ...project.spec,
      testing: { ...project.spec.testing, seeds: 8, calibrationSeeds: 4 },
      trainer: { ...project.spec.trainer, seeds: [1] },
    };
    const trained = new Set([1, 2]);
    const notes: string[] = [];
    const entries: { id: string }[] = [];
    const ports = {
      trained: () => Promise.resolve([...trained].map((seed) => ({ seed, seconds: 1 }))),
      parentOf: () => Promise.resolve("v1"),
      train: ({ version, seeds: [seed = 0] }: { version: string; seeds: number[] }) => {
        assert.equal(version, "v3");
        trained.add(seed);
        return Promise.resolve({ failure: null, message: "finished", seconds: 1, cost: {} });
      },
      collect: () => Promise.resolve({ rows: 0, quarantined: 0 }),
      isRecorded: (id: string) => Promise.resolve(entries.some((entry) => entry.id === id)),
      diagnose: () =>
        Promise.resolve({ score: null, cleanScore: null, labels: [], signals: {}, findings: [] }),
      measuredOn: () => Promise.resolve(null),
      appendToLedger: (more: { id: string }[]) => Promise.resolve(void entries.push(...more)),
      keptOn: () =>
        Promise.resolve([
          { name: "v1", parent: "v0", score: ofBaseline },
          { name: "v3", parent: "v1", score: trained.size < 4 ? 0.52 : 0.38 },
        ]),
      emit: (event: { type: string; message?: string }) =>
        void (event.type === "note" && notes.push(event.message ?? "")),
      now: () => "2026-01-01T00:00:00.000Z",
    };
    const begun = initialState({
      ...{ domain: "toy", base: "base", startedAt: "2026-01-01T00:00:00.000Z" },
      ...{ generations: 3, firstNumber: 0 },
    });
    const state = await doubtChampion(
      {
        ...{ ...begun, phase: "evolve", baseVersion: "v0", baseline: "v1", champion: "v3" },
        ...{ exhausted: ["v3"], doubt: { version: "v3", worse: 2 }, ...change },
      },
      { ...project, spec },
      {
        ports: ports as never,
        budget: () => Promise.resolve(spent),
        commitOf: () => Promise.resolve("c"),
        signal: new AbortController().signal,
      },
    );
    return {
      state,
      seeds: [...trained],
      notes,
      evidence: entries.map(({ id }) => id).filter((id) => id.startsWith("evidence")),
    };
  };

  it("is trained on as many seeds as the baseline has, and its evidence is recorded anew", async () => {
    const { state, seeds, notes, evidence } = await doubted({});
    assert.deepEqual(seeds, [1, 2, 3, 4]);
    assert.deepEqual(evidence, ["evidence:v3:selection:s1-2-3-4"]);
    assert.deepEqual([state.champion, state.doubt], ["v3", null]);
    assert.deepEqual(notes, [
      "The last 2 changes of v3 were worse than it. It is trained on further seeds, because it may have scored so high by luck.",
    ]);
  });
  it("gives way to the kept version that scores more then", async () => {
    const { state, notes } = await doubted({}, { ofBaseline: 0.4 });
    assert.deepEqual(
      [state.champion, state.exhausted, notes.at(-1)],
      ["v1", [], "v1 is the best version now."],
    );
  });
  it("is left alone after one such change, where it is the baseline, and where the budget is spent", async () => {
    for (const change of [
      { doubt: { version: "v3", worse: 1 } },
      { doubt: null },
      { doubt: { version: "v2", worse: 4 } },
      { baseline: "v3" },
    ])
      assert.deepEqual((await doubted(change)).seeds, [1, 2], JSON.stringify(change));
    const { seeds, notes, state } = await doubted({}, { spent: "all 16 trainings of the budget are used." });
    assert.deepEqual([seeds, state.doubt], [[1, 2], null]);
    assert.match(notes.join(), /^v3 is not trained on further seeds: all 16/);
  });
});
