import assert from "node:assert/strict";
import { contract } from "../../../../shared/protocol/services.ts";
import { HarnessError } from "../../base/errors.ts";
import type { FeatureContext } from "../symbols/featureContext.ts";
import { noFacts } from "../../../../test/support/language/noFacts.ts";
import { namedProject, openProject } from "../../../../test/support/language/openProject.ts";
import type { AskEngine } from "./askEngine.ts";
import { liveBacktest } from "./liveBacktest.ts";

const file = "harness/diagnostics/loops.diagnostic.yaml";
const reward = "harness/main.reward.yaml";
const facts = { ...noFacts, versions: [{ name: "v4", rollouts: 9, items: 3, passRate: null }] };
const spec = (text: string, name = file): FeatureContext =>
  openProject({ ...namedProject, [name]: text }, facts).contextOf(name);
const condition = (when: string) => spec((namedProject[file] ?? "").replace(/when: .*/, `when: ${when}`));
const rewardText = openProject(namedProject).contextOf(reward).spec.text;

/** One request as the engine got it; the test answers. */
type Asked = {
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal | undefined;
  readonly progress: (part: unknown) => void;
  readonly answer: (result: unknown) => void;
  readonly fail: (error: Error) => void;
};

function typing() {
  const asked: Asked[] = [];
  let woken: (() => void)[] = [];
  const wake = () => {
    for (const one of woken) one();
    woken = [];
  };
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise<void>((resolve) => woken.push(resolve));
  };
  // The way to the engine holds answers against the contract: here it is enough to give what is read of them.
  const ask: AskEngine = (_root, name, params, options) =>
    new Promise((resolve, reject) => {
      asked.push({
        name,
        params: { ...params },
        signal: options?.signal,
        progress: (part) => options?.progress?.({ message: "", part: contract[name].part.parse(part) }),
        answer: (result) => resolve(result as never),
        fail: reject,
      });
      wake();
    });
  const live = liveBacktest({ ask, changed: wake, now: () => 42 });
  return {
    live,
    asked,
    /** The request of this number, as soon as it is there. */
    request: async (n: number): Promise<Asked> => {
      await until(() => asked.length > n);
      const found = asked[n];
      assert.ok(found);
      return found;
    },
    until,
  };
}
const counted = (labelled: number, done = true) => ({
  type: "counted",
  rollouts: 100,
  labelled,
  undecided: 0,
  done,
  at: "2026-01-01T00:00:00.000Z",
});

describe("live backtest", () => {
  it("counts the edited condition, part by part, and compares it with the saved one", async () => {
    const { live, request, until } = typing();
    live.settle(condition("reward > 1"));
    live.edit(condition("reward > 2"));
    const first = await request(0);
    assert.equal(first.name, "diagnostics.liveCount");
    assert.deepEqual(first.params, {
      condition: "reward > 2",
      params: { streak: 8 },
      stream: `/project/${file}`,
    });
    first.progress(counted(3, false));
    await until(() => live.effectOf(`/project/${file}`) !== undefined);
    const effect = {
      type: "condition",
      rollouts: 100,
      labelled: 3,
      undecided: 0,
      done: false,
      before: undefined,
      at: 42,
    };
    assert.deepEqual(live.effectOf(`/project/${file}`), effect);
    first.answer(counted(7));
    const old = await request(1);
    assert.equal(old.params["condition"], "reward > 1");
    assert.deepEqual(live.effectOf(`/project/${file}`), { ...effect, labelled: 7, done: true });
    old.answer(counted(20));
    await until(() => JSON.stringify(live.effectOf(`/project/${file}`)).includes("0.2"));
    assert.deepEqual(live.effectOf(`/project/${file}`), { ...effect, labelled: 7, done: true, before: 0.2 });
    live.stop();
  });

  it("asks only about the last edit, and cancels a question when the user types on", async () => {
    const { live, asked, request, until } = typing();
    live.settle(condition("reward > 1"));
    for (const n of [2, 3, 4]) live.edit(condition(`reward > ${n}`));
    const first = await request(0);
    assert.equal(first.params["condition"], "reward > 4");
    live.edit(condition("reward > 5"));
    assert.equal(first.signal?.aborted, true);
    first.answer(counted(99));
    const second = await request(1);
    assert.equal(second.params["condition"], "reward > 5");
    // An answer that comes too late is not shown.
    assert.equal(live.effectOf(`/project/${file}`), undefined);
    second.answer(counted(1));
    await until(() => live.effectOf(`/project/${file}`) !== undefined);
    // Back to what is saved: there is nothing to tell.
    live.edit(condition("reward > 1"));
    assert.equal(live.effectOf(`/project/${file}`), undefined);
    assert.equal(asked.at(-1)?.signal?.aborted, true);
    live.stop();
  });

  it("says why there is no number, and ignores cancelled questions", async () => {
    const { live, request, until } = typing();
    live.settle(condition("reward > 1"));
    live.edit(condition("reward >"));
    (await request(0)).answer({ type: "problems", problems: [] });
    await until(() => live.effectOf(`/project/${file}`) !== undefined);
    assert.deepEqual(live.effectOf(`/project/${file}`), {
      ...{ type: "none", because: "The condition cannot be tried as it stands.", at: 42 },
    });
    live.edit(condition("reward > 3"));
    (await request(1)).fail(new Error("The archive is held.\nby 7"));
    await until(() => JSON.stringify(live.effectOf(`/project/${file}`)).includes("held"));
    assert.deepEqual(live.effectOf(`/project/${file}`), {
      ...{ type: "none", because: "The archive is held.", at: 42 },
    });
    const before = live.effectOf(`/project/${file}`);
    live.edit(condition("reward > 4"));
    (await request(2)).fail(new HarnessError("cancelled", "x"));
    live.edit(condition("reward > 5"));
    await request(3);
    assert.equal(live.effectOf(`/project/${file}`), before);
    live.stop();
  });

  it("replays an edited reward on the newest version, and names the edited value", async () => {
    const { live, request, until } = typing();
    live.settle(spec(rewardText, reward));
    live.edit(spec(rewardText.replace("weight: 1", "weight: 2"), reward));
    const { name, params, answer } = await request(0);
    assert.deepEqual([name, params["versions"]], ["backtest.reward", ["v4"]]);
    answer({ results: [{ reward: { groups: 8, dead: { before: 4, after: 1 }, noOp: null } }] });
    await until(() => live.effectOf(`/project/${reward}`) !== undefined);
    assert.deepEqual(live.effectOf(`/project/${reward}`), {
      ...{ type: "reward", version: "v4", groups: 8, deadBefore: 4, deadAfter: 1, noOp: false, at: 42 },
      changed: "components.correctness.weight",
    });
    live.forget(`/project/${reward}`);
    assert.equal(live.effectOf(`/project/${reward}`), undefined);
  });

  it("asks about a new file, with nothing to compare", async () => {
    const { live, asked, request, until } = typing();
    live.edit(spec("", file));
    live.edit(condition("reward > 2"));
    (await request(0)).answer(counted(5));
    await until(() => live.effectOf(`/project/${file}`) !== undefined);
    assert.equal(asked.length, 1);
    live.stop();
  });

  it("asks nothing about a text that cannot be tried, and nothing after a file was closed", async () => {
    const { live, asked, request } = typing();
    const other = "harness/interventions/fewer-loops.intervention.yaml";
    live.settle(spec(namedProject[other] ?? "", other));
    live.edit(spec(`${namedProject[other] ?? ""}# x\n`, other));
    live.settle(condition("reward > 1"));
    live.edit(condition("reward > 2"));
    live.forget(`/project/${file}`);
    live.settle(condition("reward > 8"));
    live.edit(condition("reward > 9"));
    assert.equal((await request(0)).params["condition"], "reward > 9");
    assert.equal(asked.length, 1);
    live.stop();
  });
});
