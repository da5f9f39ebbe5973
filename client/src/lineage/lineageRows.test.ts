import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { decisions, emptyReasons, type LineageVersion } from "../../../shared/protocol/lineage.ts";
import {
  bestVersion,
  childrenOf,
  decisionIcons,
  rowDescription,
  scoreText,
  statusText,
} from "./lineageRows.ts";
import { emptyState, stateOf } from "./lineageState.ts";

const version = (name: string, more: Partial<LineageVersion> = {}): LineageVersion => ({
  name,
  commit: name.repeat(4),
  parent: null,
  factor: null,
  title: "",
  score: null,
  low: null,
  high: null,
  decision: "keep",
  reason: "",
  labels: [],
  at: "2026-01-01T00:00:00Z",
  ...more,
});
const view = (...versions: LineageVersion[]) => ({ project: "p", domain: "swe", versions });

describe("rows of the lineage", () => {
  it("writes scores with their interval", () => {
    assert.equal(scoreText({ score: 0.363, low: 0.3304, high: 0.395 }), "36.3 % [33.0, 39.5]");
    assert.equal(scoreText({ score: 0.363, low: null, high: 0.4 }), "36.3 %");
    assert.equal(scoreText({ score: null, low: 0.1, high: 0.2 }), "");
  });

  it("describes a version by decision, score and factor", () => {
    assert.equal(
      rowDescription(version("v1", { score: 0.5, factor: "reward", decision: "reject" })),
      "reject · 50.0 % · reward",
    );
    assert.equal(rowDescription(version("v1", { decision: "pending" })), "pending");
  });

  it("gives every decision a shape of its own", () => {
    const icons = decisions.map((decision) => decisionIcons[decision].icon);
    assert.equal(new Set(icons).size, decisions.length);
  });

  it("puts every version below its parent, and one whose parent is unknown at the top", () => {
    const lineage = view(version("v0"), version("v1", { parent: "v0" }), version("x", { parent: "gone" }));
    const names = (parent?: string) => childrenOf(lineage, parent).map(({ name }) => name);
    assert.deepEqual(names(), ["v0", "x"]);
    assert.deepEqual(names("v0"), ["v1"]);
    assert.deepEqual(names("v1"), []);
  });

  it("calls the best kept version best, not an invalid one with more", () => {
    const lineage = view(
      version("v0", { score: 0.3 }),
      version("leak", { score: 0.9, decision: "invalid" }),
      version("v1", { score: 0.4 }),
      version("v2", { score: 0.35 }),
    );
    assert.equal(bestVersion(lineage)?.name, "v1");
    assert.equal(statusText({ type: "lineage", view: lineage }).text, "$(git-branch) v1 40.0 %");
    assert.equal(bestVersion(view(version("v0", { decision: "base", score: 1 }))), undefined);
  });
});

describe("state of the lineage", () => {
  it("is never empty without a cause, an advice and an action", () => {
    for (const reason of emptyReasons) {
      const state = emptyState(reason);
      assert.ok(
        state.type === "empty" && state.cause !== "" && state.advice !== "" && state.action.label !== "",
      );
      assert.match(statusText(state).text, /EvoTrainer/);
    }
    assert.deepEqual(stateOf({ type: "lineage", root: "/", view: view() }), emptyState("noVersions"));
  });

  it("has a welcome text in the side bar for every empty state", () => {
    const manifest = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
    for (const reason of emptyReasons) assert.ok(manifest.includes(`evotrainer.empty == ${reason}`), reason);
  });
});
