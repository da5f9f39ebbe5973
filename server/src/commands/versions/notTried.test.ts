import assert from "node:assert/strict";
import { notTried, tooShort } from "./notTried.ts";

describe("the diagnostics whose silence says nothing", () => {
  const lacking = [
    { metric: "entropy", diagnostics: ["entropy-collapse"] },
    { metric: "score", diagnostics: ["score-drop", "entropy-collapse"] },
  ];

  it("are named where no metric has a known name, each once, with what to do", () =>
    assert.deepEqual(
      notTried({ key: [], all: ["mine/a", "b", "c", "d", "e", "f"].map((name) => ({ name })), lacking }),
      [
        "",
        "No training metric has a known name, so 2 diagnostics were not tried: entropy (entropy-collapse); score (score-drop, entropy-collapse).",
        "Say what these are (mine/a, b, c, d, e, …) under metricNames, in evotrainer.yaml or a *.evidence.yaml here.",
      ],
    ));
  it("are named where some are missing", () =>
    assert.deepEqual(
      notTried({ key: [{ name: "score" }], all: [{ name: "score" }], lacking: lacking.slice(0, 1) }),
      [
        "",
        "Some metrics are missing, or have no known name, so 1 diagnostic was not tried: entropy (entropy-collapse).",
      ],
    ));
  it("are named beside the metrics that have no known name, without those that say how long something took", () =>
    assert.deepEqual(
      notTried({
        key: [{ name: "score" }],
        all: ["score", "my/ent", "timing_s/gen", "perf/mfu", "actor/lr", "b"].map((name) => ({ name })),
        lacking: lacking.slice(0, 1),
      }),
      [
        "",
        "Some metrics are missing, or have no known name, so 1 diagnostic was not tried: entropy (entropy-collapse).",
        "These have no known name: my/ent, b. If they are what is missing, say so under metricNames, in evotrainer.yaml or a *.evidence.yaml here.",
      ],
    ));
  it("are none where nothing is lacking", () =>
    assert.deepEqual(notTried({ key: [], all: [], lacking: [] }), []));
});

describe("diagnostics that have too few training steps", () => {
  it("are named with the steps that they need, so that their silence is no verdict", () =>
    assert.deepEqual(
      tooShort({
        short: {
          steps: 5,
          diagnostics: [
            { name: "dead-training", steps: 10 },
            { name: "kl-spike", steps: 10 },
            { name: "score-drop", steps: 20 },
          ],
        },
      }),
      [
        "",
        "5 training steps are too few for a verdict of 3 diagnostics: dead-training, kl-spike from 10 steps on; score-drop from 20 steps on.",
      ],
    ));

  it("are none where every one has enough", () => assert.deepEqual(tooShort({ short: null }), []));
});
