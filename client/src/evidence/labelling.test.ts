import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { Labelling, type LabelScope } from "./labelling.ts";

describe("the labelling of rollouts that are looked at", () => {
  let said: string[];
  let answers: ((refused: string | undefined) => void)[];
  let stands: boolean;
  let clock: number;
  let labelling: Labelling;
  beforeEach(() => {
    [said, answers, stands, clock] = [[], [], false, 0];
    labelling = new Labelling({
      stand: () => Promise.resolve(stands),
      label: ({ version }) => {
        said.push(`labels ${version}`);
        return new Promise((resolve) => answers.push(resolve));
      },
      done: ({ version }) => said.push(`done ${version}`),
      now: () => clock,
    });
  });
  afterEach(() => labelling.stop());

  const state = async (version: string, stamp = "1"): Promise<string> =>
    (await labelling.stateOf({ version } satisfies LabelScope, stamp)).type;
  const answer = async (refused?: string): Promise<void> => {
    answers.shift()?.(refused);
    await setTimeout(0);
  };

  it("happens once, however often it is asked for", async () => {
    assert.equal(await state("v1"), "labelling");
    assert.equal(await state("v1"), "labelling");
    await answer();
    assert.equal(await state("v1"), "labelled");
    assert.deepEqual(said, ["labels v1", "done v1"]);
  });

  it("does not happen where the labels stand, whatever rollouts come", async () => {
    stands = true;
    assert.equal(await state("v1"), "labelled");
    assert.equal(await state("v1", "2"), "labelled");
    assert.deepEqual(said, []);
  });

  it("says why it was refused, and tries again with other rollouts or when it is asked to", async () => {
    await state("v1");
    await answer("No.");
    assert.deepEqual(await labelling.stateOf({ version: "v1" }, "1"), { type: "refused", message: "No." });
    labelling.forget();
    assert.equal(await state("v1"), "labelling");
    await answer();
    assert.equal(await state("v1"), "labelled");
  });

  it("goes through versions one after the other and leaves out those that were only passed", async () => {
    await state("v1");
    await state("v2");
    await state("v3");
    await answer();
    await answer();
    assert.deepEqual(said, ["labels v1", "done v1", "labels v3", "done v3"]);
  });

  it("leaves a version that grows time for nine times as much else", async () => {
    await state("v1");
    clock = 10;
    await answer();
    assert.equal(await state("v1", "2"), "labelling");
    assert.deepEqual(said, ["labels v1", "done v1"]);
    clock = 101;
    assert.equal(await state("v1", "3"), "labelling");
    assert.equal(said.at(-1), "labels v1");
  });

  it("begins again when it is asked to in the middle", async () => {
    await state("v1");
    labelling.forget();
    assert.equal(await state("v1"), "labelling");
    await answer();
    await answer();
    assert.deepEqual(said, ["labels v1", "labels v1", "done v1"]);
    assert.equal(await state("v1"), "labelled");
  });

  it("tells nobody of a project that is not shown any more", async () => {
    await state("v1");
    labelling.forget();
    await answer();
    assert.deepEqual(said, ["labels v1"]);
    assert.equal(await state("v1"), "labelling");
  });
});
