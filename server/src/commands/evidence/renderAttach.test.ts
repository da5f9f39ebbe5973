import assert from "node:assert/strict";
import type { RunNow } from "../../engine/following/attached.ts";
import type { Io } from "../terminal/io.ts";
import { RunLines } from "./renderAttach.ts";

/** A run that has written metrics alone. */
const upTo = (step: number, metrics: Readonly<Record<string, number>>): RunNow => ({
  ...{ version: "run", split: null, added: { rollouts: 0, metrics: 1 }, quarantined: 0, problems: [] },
  ...{ replaced: [], waiting: [], refused: [], unrecognised: [], rollouts: 0, steps: [], newestFiles: [] },
  ...{ labels: [], notes: [], alarms: [], comparison: null, isBehind: false, newest: null, since: {} },
  metrics: Object.entries(metrics).map(([name, value]) => ({ name, step, value })),
});

describe("the lines about a run that is followed", () => {
  it("say each step of a run that has metrics alone, with what is watched first in front", () => {
    const said: string[] = [];
    const io: Io = {
      ...{ json: false, color: false, live: false, terminal: false, columns: 80 },
      out: (text) => said.push(text),
      err: (text) => said.push(text),
    };
    const lines = new RunLines(io);
    lines.show(upTo(1, { "a/clip": 0, kl: 0.01, "rewards/f/mean": 0.1, reward: 0.1 }));
    said.length = 0;
    lines.show(upTo(2, { "a/clip": 0, kl: 0.02, "rewards/f/mean": 0.1, reward: 0.2 }));
    lines.show(upTo(2, { "a/clip": 0, kl: 0.02, "rewards/f/mean": 0.1, reward: 0.2 }));
    assert.deepEqual(said, ["step 2  kl 0.02  reward 0.2  a/clip 0  rewards/f/mean 0.1\n"]);
  });
});
