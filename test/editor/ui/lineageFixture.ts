import type { Locator } from "playwright-core";
import {
  lineageProtocol,
  type Decision,
  type LineageVersion,
} from "../../../shared/protocol/views/lineage.ts";
import { testPage, testVersion } from "../../support/lineage/lineageTable.ts";
import type { ViewHost } from "./viewHost.ts";

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

const gapOfV8 = { difference: -0.0306, low: -0.0758, high: 0.0105, verdict: "inside_noise" } as const;

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
      cleanScore: name === "v1-leak" ? 0.3104 : null,
      audit: name === "v8" ? { score: 0.351, low: 0.32, high: 0.38, gap: gapOfV8 } : null,
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
            ? [
                { name: "echo-trap", rate: 0.02 * i, alert: i > 6 ? "warning" : null },
                { name: "same-command", rate: 0.02 * i, alert: null, under: "echo-trap" },
                { name: "dead-group", rate: 0.5 - 0.02 * i, alert: null, over: "group" },
              ]
            : [],
      at: `2026-01-${String(i + 1).padStart(2, "0")}T12:00:00Z`,
    });
  },
);

/** A lineage as a search makes it: generations of several candidates, most of them rejected. */
export function manyVersions(count: number): LineageVersion[] {
  const all: LineageVersion[] = [];
  let seed = 1;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  let parent: string | null = null;
  for (let generation = 0; all.length < count; generation++) {
    const size = generation === 0 ? 1 : Math.min(count - all.length, 1 + Math.floor(random() * 6));
    let kept: string | null = null;
    for (let k = 0; k < size; k++) {
      const made = candidate(all.length, { count, generation, parent, luck: random(), rate: random() / 4 });
      all.push(made);
      if (made.decision === "keep" || made.decision === "base") kept = made.name;
    }
    parent = kept ?? parent;
  }
  return all;
}

function candidate(
  i: number,
  of: { count: number; generation: number; parent: string | null; luck: number; rate: number },
): LineageVersion {
  const { count, generation, parent, luck, rate } = of;
  const decided = luck < 0.3 ? "keep" : luck < 0.9 ? "reject" : "invalid";
  const decision = i === 0 ? "base" : i >= count - 3 ? "pending" : decided;
  const score = 0.3 + 0.3 * (1 - Math.exp(-i / (count / 2))) + (luck < 0.3 ? 0.01 : -0.02);
  const factor = factors[i % 5] ?? "";
  return testVersion(`v${i}`, {
    parent,
    generation,
    decision,
    ...(decision === "pending" ? {} : { score, low: score - 0.03, high: score + 0.03 }),
    factor: i === 0 ? null : factor,
    author: i % 3 ? "catalogue" : "ada",
    title: `change number ${i} of the ${factor}`,
    reason: decision === "reject" ? "Inside the noise of its parent." : "",
    labels: i % 4 ? [{ name: `label-${i % 7}`, rate, alert: null }] : [],
    at: new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString(),
  });
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

/** What the panel keeps of a lineage that nobody has touched. */
export const freshLineage = {
  version: 2,
  layout: "graph",
  selected: null,
  marked: [],
  query: "",
  scope: null,
  hidden: [],
  folded: null,
  exceptions: [],
  written: {},
};

export const versionRows = ".space .row:not([hidden])";

export const versionRow = (host: ViewHost, name: string): Locator =>
  host.page.locator(`${versionRows}[aria-label^="${name},"]`);

/** The versions that are shown, top down. */
export async function shownVersions(host: ViewHost): Promise<string[]> {
  await host.page.locator(versionRows).first().waitFor();
  return host.page.locator(versionRows).evaluateAll((found) =>
    found
      .sort((x, y) => Number(x.getAttribute("aria-rowindex")) - Number(y.getAttribute("aria-rowindex")))
      .map((r) => {
        const isHeading = r.classList.contains("generation");
        const own = r.querySelector(".own") ?? r.querySelector(".cell.name");
        return (isHeading ? r.querySelector(".heading") : own)?.textContent ?? "";
      }),
  );
}
