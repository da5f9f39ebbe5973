import assert from "node:assert/strict";
import { notTried } from "./notTried.ts";

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
    assert.deepEqual(notTried({ key: [{}], all: [{ name: "score" }], lacking: lacking.slice(0, 1) }), [
      "",
      "Some metrics are missing, or have no known name, so 1 diagnostic was not tried: entropy (entropy-collapse).",
    ]));
  it("are none where nothing is lacking", () =>
    assert.deepEqual(notTried({ key: [], all: [], lacking: [] }), []));
});
