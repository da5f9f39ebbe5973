import assert from "node:assert/strict";
import { peopleOn } from "../../../../test/support/diagnosis/peopleOn.ts";
import { noFacts } from "../../../../test/support/language/noFacts.ts";
import { archiveReport } from "./archiveReport.ts";
import type { AskEngine } from "./askEngine.ts";

/** An engine that answers by name, and remembers what it was asked. */
function engine(answers: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const ask: AskEngine = (_, name, params) => {
    asked.push(`${name} ${JSON.stringify(params)}`);
    return Promise.resolve(answers[name] as never);
  };
  return { ask, asked };
}
const version = (name: string) => ({ name, rollouts: 1, items: 1, passRate: null });
const facts = {
  ...noFacts,
  versions: ["v1", "v2", "v3", "v4"].map(version),
  labels: { loops: { rollouts: 1, of: 2, last: { version: "v3", rollouts: ["r/1"] } } },
};
const root = "/project";

describe("the report from the archive", () => {
  it("says that there is no archive", async () => {
    const { ask } = engine({});
    const report = await archiveReport(ask, { what: "rollouts", root, subject: "loops", text: undefined });
    assert.match(report.text, /^There is no archive yet/);
  });

  it("lists the rollouts of the latest version in which a label was set", async () => {
    const rollout = { run: "r", id: "1", item: "i", outcome: "fail", stop_reason: null, reward: 0.5 };
    const { ask, asked } = engine({ "archive.facts": facts, "rollouts.list": { rollouts: [rollout] } });
    const report = await archiveReport(ask, { what: "rollouts", root, subject: "loops", text: undefined });
    assert.equal(report.title, "rollouts with loops");
    assert.match(report.text, /^# loops in v3, .*\n# rollout\t.*\nr\/1\ti\tfail\t\t0.5\nr\/1\t/);
    assert.deepEqual(
      asked.slice(1).map((one) => /"split":"(\w+)"/.exec(one)?.[1]),
      ["selection", "train"],
    );
    const none = await archiveReport(ask, { what: "rollouts", root, subject: "other", text: undefined });
    assert.match(none.text, /^No rollout carries it yet/);
  });

  it("says how right the label is by people's answers", async () => {
    const { ask } = engine({
      "archive.facts": { ...facts, people: [peopleOn("loops")] },
      "rollouts.list": { rollouts: [] },
    });
    const { text } = await archiveReport(ask, { what: "rollouts", root, subject: "loops", text: undefined });
    assert.match(text, /^# loops in v3, .*\n# people, held-out items: precision 75\.0 % .*\n# rollout\t/);
  });

  it("runs a diagnostic or a reward as its text is now", async () => {
    const { ask, asked } = engine({
      "archive.facts": facts,
      "backtest.diagnostic": { diagnostic: "a" },
      "backtest.reward": { results: [] },
    });
    const backtest = { what: "backtest", root } as const;
    const diagnostic = await archiveReport(ask, {
      ...backtest,
      subject: "/project/a.diagnostic.yaml",
      text: "x",
    });
    assert.deepEqual(diagnostic, {
      title: "backtest of a.diagnostic.yaml",
      text: "diagnostic: a\n",
      found: { diagnostic: "a" },
    });
    const reward = await archiveReport(ask, { ...backtest, subject: "C:\\p\\m.reward.yaml", text: "x" });
    assert.equal(reward.title, "backtest of m.reward.yaml");
    assert.match(asked.at(-1) ?? "", /^backtest.reward .*"versions":\["v2","v3","v4"\]/);
    const gone = await archiveReport(ask, { ...backtest, subject: "a", text: undefined });
    assert.equal(gone.text, "The spec no longer exists.\n");
  });
});
