import assert from "node:assert/strict";
import type { ResultOf } from "../../engine/services/services.ts";
import { renderRollout } from "./renderRollout.ts";

const io = { color: false } as Parameters<typeof renderRollout>[0];

/** A failure of five turns with these labels. */
const shown = (labels: { label: string; turns: number[] }[]): ResultOf<"rollouts.show"> => ({
  rid: 1,
  version: "v1",
  source: { path: "rollouts.jsonl", line: 1 },
  rollout: {
    id: "r1",
    run: "v1.selection.s1",
    split: "selection",
    step: 0,
    item: "one",
    group: "one",
    sample: 0,
    outcome: "fail",
    reward: null,
    components: {},
    stop_reason: null,
    turns: ["I look", "It is 12", "So 12 and 7", "It is 4 or 9", "Done"].map((text) => ({
      role: "assistant",
      text,
    })),
    tokens: null,
    policy: null,
    harness: null,
    seed: null,
    started_at: null,
    duration_ms: null,
    extra: {},
  },
  labels: labels.map((one) => ({ ...one, revision: "1" })),
  people: [],
  said: [],
  notes: [],
  diagnostics: [
    { name: "mild", severity: "info", description: null, when: null, path: "", invalidates: false },
    { name: "grave", severity: "critical", description: null, when: null, path: "", invalidates: false },
  ],
});

describe("a rollout as text", () => {
  it("sends the reader to the turns of its labels, each turn once", () =>
    assert.match(
      renderRollout(
        io,
        shown([
          { label: "mild", turns: [0, 1, 2, 3] },
          { label: "grave", turns: [4] },
        ]),
      ),
      /^read turns 1, 4, 5 first: they show its labels$/m,
    ));
  it("sends the reader of a failure that no label shows to the turns with new numbers, and says so", () =>
    assert.match(
      renderRollout(io, shown([{ label: "mild", turns: [] }])),
      /^read turns 2, 3, 4 first: no label names a turn; these have the most numbers that no earlier turn has$/m,
    ));
});
