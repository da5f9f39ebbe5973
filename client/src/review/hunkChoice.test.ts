import assert from "node:assert/strict";
import { HunkChoice } from "./hunkChoice.ts";

const proposal = {
  id: "v2-x",
  commit: "c1",
  files: [
    {
      path: "a.yaml",
      base: "",
      proposed: "",
      hunks: ["h1", "h2"].map((id) => ({ id, baseStart: 0, proposedStart: 0, removed: [], added: [] })),
    },
  ],
};

describe("the choice of hunks", () => {
  const kept = new Map<string, unknown>();
  const memory = {
    get: (key: string): unknown => kept.get(key),
    update: (key: string, value: unknown) => {
      kept.set(key, value);
      return Promise.resolve();
    },
  };
  const told: string[] = [];
  const make = () => new HunkChoice(memory, ({ id }) => told.push(id));
  beforeEach(() => {
    kept.clear();
    told.length = 0;
  });

  it("takes all hunks until one is left out, and reports every change", () => {
    const choice = make();
    assert.equal(choice.taken(proposal), undefined);
    choice.choose(proposal, "h1", false);
    assert.deepEqual(choice.taken(proposal), ["h2"]);
    choice.choose(proposal, "h1", true);
    assert.equal(choice.taken(proposal), undefined);
    assert.deepEqual(told, ["v2-x", "v2-x"]);
  });

  it("survives a reload, but does not apply to another text of the proposal", () => {
    make().choose(proposal, "h2", false);
    assert.deepEqual(make().left(proposal), ["h2"]);
    assert.deepEqual(make().left({ ...proposal, commit: "c2" }), []);
  });

  it("forgets a proposal that is no longer waiting, and ignores stored data of another form", () => {
    const choice = make();
    choice.choose(proposal, "h2", false);
    choice.keepOnly([]);
    assert.deepEqual(make().left(proposal), []);
    kept.set("evotrainer.hunksLeft", { "v2-x c1": "all" });
    assert.deepEqual(make().left(proposal), []);
  });
});
