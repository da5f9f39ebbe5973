import { lineageProtocol, type Decision, type LineageVersion } from "../../../shared/protocol/lineage.ts";
import { testPage, testVersion } from "../../../shared/protocol/testLineage.ts";

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

const factors = ["reward", "environment", "optimisation", "filter", "data"];

export const lineageFixture: readonly LineageVersion[] = lines.map(
  ([name, parent, score, title, decision, reason], i): LineageVersion => {
    const known = decision !== "pending";
    return testVersion(name, {
      parent,
      // v5 to v8 are the candidates of one generation.
      generation: name === "v9" ? 6 : i >= 6 ? 5 : Math.min(i, 4),
      factor: parent === null ? null : (factors[i % 5] ?? null),
      author: parent === null ? null : i % 2 ? "catalogue" : "ada",
      title,
      score: known ? score : null,
      low: known ? score - 0.028 : null,
      high: known ? score + (i % 2 ? 0.028 : 0.035) : null,
      decision,
      reason,
      promoted: name === "v8",
      alias: name === "v4" ? "search first" : null,
      tags: name === "v8" ? ["release"] : [],
      notes: name === "v8" ? [{ at: "2026-02-01T09:00:00Z", by: "ada", text: "Watch the length." }] : [],
      labels:
        name === "v1-leak"
          ? [
              { name: "history-leak", rate: 0.21, alert: "critical" },
              { name: "echo-trap", rate: 0, alert: null },
            ]
          : i > 3
            ? [{ name: "echo-trap", rate: 0.02 * i, alert: i > 6 ? "warning" : null }]
            : [],
      at: `2026-01-${String(i + 1).padStart(2, "0")}T12:00:00Z`,
    });
  },
);

/** A lineage as searches make them: generations of several candidates, most of them rejected. */
export function manyVersions(count: number): LineageVersion[] {
  const all: LineageVersion[] = [];
  let [parent, generation, left] = [-1, 0, 0];
  let seed = 1;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  let kept = -1;
  for (let i = 0; i < count; i++) {
    if (left === 0)
      [generation, left, parent, kept] = [
        i === 0 ? 0 : generation + 1,
        i === 0 ? 1 : 1 + Math.floor(random() * 6),
        kept >= 0 ? kept : parent,
        -1,
      ];
    left--;
    const luck = random();
    const decision: Decision =
      i === 0 ? "base" : i >= count - 3 ? "pending" : luck < 0.3 ? "keep" : luck < 0.9 ? "reject" : "invalid";
    if (decision === "keep" || decision === "base") kept = i;
    const score =
      decision === "pending"
        ? null
        : 0.3 + 0.3 * (1 - Math.exp(-i / (count / 2))) + (luck < 0.3 ? 0.01 : -0.03 * random());
    all.push(
      testVersion(`v${i}`, {
        parent: i === 0 || parent < 0 ? null : `v${parent}`,
        generation,
        decision,
        score,
        low: score === null ? null : score - 0.03,
        high: score === null ? null : score + 0.03,
        factor: i === 0 ? null : (factors[i % 5] ?? null),
        author: i % 3 ? "catalogue" : "ada",
        title: `change number ${i} of the ${factors[i % 5] ?? ""}`,
        reason: decision === "reject" ? "Inside the noise of its parent." : "",
        labels: i % 4 ? [{ name: `label-${i % 7}`, rate: random() / 4, alert: null }] : [],
        at: new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString(),
      }),
    );
    if (i === 0) parent = 0;
  }
  return all;
}

/** Messages that bring versions to the panel, the newest first, as the extension sends them. */
export function pageMessages(versions: readonly LineageVersion[], size = 4000): unknown[] {
  const whole = { project: "swe-9b", domain: "swe" };
  const messages: unknown[] = [];
  for (let end = versions.length; end > 0; end -= size) {
    const only = versions.slice(Math.max(0, end - size), end).map(({ name }) => name);
    const page = testPage(versions, { ...whole, only, rest: Math.max(0, end - size) });
    messages.push({ protocol: lineageProtocol, type: "page", page });
  }
  return messages;
}
