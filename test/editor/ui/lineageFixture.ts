import type { Decision, LineageVersion, LineageView } from "../../../shared/protocol/lineage.ts";

type Line = readonly [
  name: string,
  parent: string | null,
  score: number,
  change: string,
  decision: Decision,
  reason: string,
];

/** The published SWE-9B version tree; the intervals are made up. */
const lines: readonly Line[] = [
  ["v0", null, 0.3019, "base model", "base", ""],
  ["v1", "v0", 0.3104, "GSPO, flat reward 0/.3/.5/1", "keep", "Baseline."],
  [
    "v1-leak",
    "v0",
    0.488,
    "the same with the git history visible",
    "invalid",
    "History was read in 21 % of the rollouts; 31.04 % without them.",
  ],
  ["v2", "v1", 0.3289, "GRPO, curriculum, group filter", "keep", "Better outside the noise."],
  ["v3", "v2", 0.3333, "continuous reward, bonus, top-k filter", "keep", "Better outside the noise."],
  [
    "v4",
    "v3",
    0.363,
    "binary reward, search-before-edit, edit-then-test, moving filter",
    "keep",
    "38 % of the dead groups came back.",
  ],
  ["v5", "v4", 0.3082, "edit-streak penalty and soft truncation", "reject", "Worse than its parent."],
  ["v6", "v4", 0.3301, "edit-streak penalty, fixed", "reject", "Worse than its parent."],
  ["v7", "v4", 0.3155, "data 8,622 to 1,958 items", "reject", "Exploration collapsed."],
  ["v8", "v4", 0.3816, "instruction-following judge, weight 0.1", "keep", "Better outside the noise."],
  ["v9", "v8", 0, "longer rollouts", "pending", ""],
];

export const lineageFixture: LineageView = {
  project: "swe-9b",
  domain: "swe",
  versions: lines.map(([name, parent, score, title, decision, reason], i): LineageVersion => {
    const known = decision !== "pending";
    return {
      name,
      commit: `${i}`.repeat(40).slice(0, 40),
      parent,
      factor:
        parent === null ? null : (["reward", "environment", "optimisation", "filter", "data"][i % 5] ?? null),
      title,
      score: known ? score : null,
      low: known ? score - 0.028 : null,
      high: known ? score + (i % 2 ? 0.028 : 0.035) : null,
      decision,
      reason,
      labels:
        name === "v1-leak"
          ? [
              { name: "history-leak", rate: 0.21 },
              { name: "echo-trap", rate: 0 },
            ]
          : [],
      at: `2026-01-${String(i + 1).padStart(2, "0")}T12:00:00Z`,
    };
  }),
};
