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
  const make = () => new HunkChoice(memory, (_, { id }) => told.push(id));
  beforeEach(() => {
    kept.clear();
    told.length = 0;
  });

  it("takes all hunks until one is left out, and reports every change", () => {
    const choice = make();
    assert.equal(choice.taken("/p", proposal), undefined);
    choice.choose("/p", proposal, { hunk: "h1", taken: false });
    assert.deepEqual(choice.taken("/p", proposal), ["h2"]);
    choice.choose("/p", proposal, { hunk: "h1", taken: true });
    assert.equal(choice.taken("/p", proposal), undefined);
    assert.deepEqual(told, ["v2-x", "v2-x"]);
  });

  it("survives a reload, but does not apply to another text of the proposal", () => {
    make().choose("/p", proposal, { hunk: "h2", taken: false });
    assert.deepEqual(make().left("/p", proposal), ["h2"]);
    assert.deepEqual(make().left("/p", { ...proposal, commit: "c2" }), []);
  });

  describe("while it follows what waits", () => {
    let told: ((state: { root: string | undefined }) => void) | undefined;
    const source = {
      waiting: [proposal],
      onDidChange: (heard: NonNullable<typeof told>) => {
        told = heard;
        return { dispose: () => undefined };
      },
    };
    const reads = (root: string | undefined, waiting: (typeof proposal)[]): readonly string[] => {
      kept.clear();
      const choice = make();
      choice.follow(source);
      choice.choose("/p", proposal, { hunk: "h2", taken: false });
      source.waiting = waiting;
      told?.({ root });
      return make().left("/p", proposal);
    };

    it("forgets a proposal that no longer waits in its project", () => {
      assert.deepEqual(reads("/p", [proposal]), ["h2"]);
      assert.deepEqual(reads("/p", [{ ...proposal, commit: "c2" }]), []);
    });

    it("forgets nothing when another project was read, nor when the engine refused", () => {
      assert.deepEqual(reads("/q", []), ["h2"]);
      assert.deepEqual(reads(undefined, []), ["h2"]);
    });
  });

  it("is another one for a proposal of the same name in another project", () => {
    const choice = make();
    choice.choose("/p", proposal, { hunk: "h2", taken: false });
    assert.equal(choice.taken("/q", proposal), undefined);
  });

  it("ignores stored data of another form", () => {
    kept.set("evotrainer.hunksLeft", { "v2-x c1": "all" });
    assert.deepEqual(make().left("/p", proposal), []);
  });
});
