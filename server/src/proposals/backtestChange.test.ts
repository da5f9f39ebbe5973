import assert from "node:assert/strict";
import { backtestChange } from "./backtestChange.ts";

const projectText = (reward: string): string => `apiVersion: evotrainer/v1
kind: Project
name: toy
domain: toy
trainer: { command: [node, t.mjs] }
evaluation: { splits: { train: a, selection: b, audit: c } }
surfaces:
  - { factor: optimisation, file: train.yaml, paths: [learning_rate, clip] }
  - { factor: sampling, file: train.yaml, paths: [temperature] }
${reward}`;

/** What the backtest of a change of train.yaml says. */
async function summaryOf(from: string, to: string, reward = ""): Promise<string> {
  const { summary, figures, pruned } = await backtestChange(
    { parent: { name: "v1", commit: "parent" }, commit: "child" },
    {
      source: (commit) => ({
        name: commit,
        read: (path) =>
          Promise.resolve(
            path === "evotrainer.yaml"
              ? projectText(reward)
              : path === "train.yaml"
                ? commit === "parent"
                  ? from
                  : to
                : undefined,
          ),
        list: () => Promise.resolve([]),
      }),
      harnessFigures: () => Promise.resolve(null),
      trainGroups: () => assert.fail("nothing is replayed"),
    },
  );
  assert.deepEqual([figures, pruned], [{}, null]);
  return summary;
}

describe("the backtest of a change that no rollout tells anything about", () => {
  const cases = [
    ["a learning rate", "learning_rate: 0.1", "learning_rate: 0.2", "what another learning rate does"],
    ["a clip range", "clip: 0.1", "clip: 0.2", "what another setting of the optimisation does"],
    ["a temperature", "temperature: 0.1", "temperature: 1", "what another way of sampling does"],
  ] as const;
  for (const [what, from, to, untold] of cases)
    it(`says so of ${what}, whether or not the project names a reward`, async () => {
      for (const reward of ["", "reward: main.reward.yaml\n"])
        assert.equal(
          await summaryOf(from, to, reward),
          `Cannot be computed offline: no archived rollout can tell ${untold}; only a changed reward or filter can be replayed.`,
        );
    });
});
