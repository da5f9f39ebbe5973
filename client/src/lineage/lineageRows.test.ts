import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { decisionLooks } from "../../../shared/words/decisions.ts";
import { decisions, emptyReasons } from "../../../shared/protocol/views/lineage.ts";
import { testTable, testVersion } from "../../../test/support/lineage/lineageTable.ts";
import {
  bestVersion,
  childrenOf,
  rowDescription,
  rowSaid,
  scoreText,
  standingText,
  statusText,
} from "./lineageRows.ts";
import { emptyState } from "./lineageState.ts";

const version = testVersion;

describe("rows of the lineage", () => {
  it("show scores with their interval", () => {
    assert.equal(
      scoreText({ score: 0.363, low: 0.3304, high: 0.395, measured: "", decision: "keep" }),
      "36.3 % [33.0, 39.5]",
    );
    assert.equal(scoreText({ score: 0.363, low: null, high: 0.4, measured: "", decision: "keep" }), "36.3 %");
    assert.equal(
      scoreText({ score: null, low: 0.1, high: 0.2, measured: "val_bpb 0.98", decision: "keep" }),
      "val_bpb 0.98",
    );
    const invalid = { score: 1, low: 0.9, high: 1, measured: "", decision: "invalid" } as const;
    assert.equal(scoreText(invalid), "100 % does not count");
  });

  it("begin with score and decision, which a narrow side bar must not cut off", () => {
    const rejected = version("v6-weight-2", {
      ...{ score: 0.5, low: 0.4, high: 0.6, factor: "reward", decision: "reject" },
    });
    assert.equal(rowDescription(rejected), "50.0 % · reject · weight-2 · reward");
    assert.equal(rowSaid(rejected), "v6-weight-2, reject · 50.0 % [40.0, 60.0] · reward");
    const leaked = version("v4-visible", { score: 1, decision: "invalid" });
    assert.equal(rowDescription(leaked), "100 % does not count · invalid · visible");
    assert.equal(rowDescription(version("v1", { decision: "pending" })), "pending");
    assert.equal(
      rowDescription(
        version("v1", {
          alias: "baseline",
          tags: ["a", "b"],
          notes: [{ at: "", by: "ada", text: "good" }],
        }),
      ),
      "keep · baseline · #a #b · 1 note",
    );
  });

  it("give every decision its own shape", () => {
    const icons = decisions.map((decision) => decisionLooks[decision].icon);
    assert.equal(new Set(icons).size, decisions.length);
  });

  it("put every version below its parent, and at the top if its parent is unknown", () => {
    const lineage = testTable([
      version("v0"),
      version("v1", { parent: "v0" }),
      version("x", { parent: "gone" }),
    ]);
    const children = childrenOf(lineage);
    const names = (parent?: string) =>
      children(parent === undefined ? -1 : (lineage.find(parent) ?? -1)).map((i) => lineage.name[i]);
    assert.deepEqual(names(), ["v0", "x"]);
    assert.deepEqual(names("v0"), ["v1"]);
    assert.deepEqual(names("v1"), []);
  });

  it("call the best kept version the best, even if an invalid one has a higher score", () => {
    const lineage = testTable([
      version("v0", { score: 0.3 }),
      version("leak", { score: 0.9, decision: "invalid" }),
      version("v1", { score: 0.4 }),
      version("v2", { score: 0.35 }),
    ]);
    assert.equal(bestVersion(lineage)?.name, "v1");
    assert.equal(statusText({ type: "lineage", table: lineage }).text, "$(git-branch) v1 40.0 %");
    assert.equal(bestVersion(testTable([version("v0", { decision: "base", score: 1 })])), undefined);
    const running = [{ id: "j", version: "v3", step: 6, stepsTotal: 80, etaSeconds: null }];
    assert.equal(
      standingText({ type: "lineage", table: lineage }, { running, waiting: ["v4", "v5"] }),
      "Best v1 40.0 % · running v3 6/80 · needs review: v4, v5",
    );
    // A proposal that the rules decide can be reviewed all the same, and no person has to.
    assert.equal(
      standingText(
        { type: "lineage", table: lineage },
        { running: [], waiting: ["v8-curriculum", "v9"], byRule: ["v8-curriculum"] },
      ),
      "Best v1 40.0 % · needs review: v9 · the project's rules decide, not a person: v8",
    );
    const gap = { difference: -0.05, low: -0.08, high: -0.02, verdict: "overfits" } as const;
    const audit = { score: 0.35, low: 0.3, high: 0.4, gap };
    assert.equal(
      standingText(
        { type: "lineage", table: testTable([version("v1", { score: 0.4, audit })]) },
        { running: [], waiting: [] },
      ),
      "Best v1 40.0 % (audit 35.0 %, 5.0 points below [−8.0, −2.0], ? may overfit the selection split)",
    );
    assert.equal(standingText(emptyState("noProject"), { running: [], waiting: [] }), "");
  });
});

describe("state of the lineage", () => {
  it("gives a cause, advice and an action whenever it is empty", () => {
    for (const reason of emptyReasons) {
      const state = emptyState(reason);
      assert.ok(
        state.type === "empty" && state.cause !== "" && state.advice !== "" && state.action.label !== "",
      );
      assert.match(statusText(state).text, /EvoTrainer/);
    }
  });

  it("has a welcome text in the side bar for every reason to be empty", () => {
    const manifest = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
    for (const reason of emptyReasons) assert.ok(manifest.includes(`evotrainer.empty == ${reason}`), reason);
  });
});
