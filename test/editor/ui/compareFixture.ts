import type { LabelByPeople } from "../../../shared/protocol/results/people.ts";
import { peopleOn } from "../../support/diagnosis/peopleOn.ts";
import { labelShare } from "../../../shared/model/labelShare.ts";
import {
  FromVersionPanel,
  versionProtocol,
  type PanelQuestion,
  type PartAnswer,
} from "../../../shared/protocol/views/version.ts";
import type { Theme } from "./themes.ts";
import type { LoadOptions, ViewHost } from "./viewHost.ts";
import { versions } from "./compareVersions.ts";

const curve = (of: (step: number) => number) =>
  Array.from({ length: 60 }, (_, i) => {
    const mean = of(i);
    return { step: i * 5, values: 3, mean, min: mean - 0.05, max: mean + 0.04 };
  });

const rate = (labelled: number, decided: number) => {
  const share = labelShare({ labelled, undecided: 960 - decided, rollouts: 960 });
  const [low, high] = share.bounds;
  return { ...share, bounds: [low, high] satisfies [number, number], items: 240 };
};
const paired = { method: "paired bootstrap over items", commonItems: 240, seen: "both" } as const;

/** Three of four people-checked echo traps were right; nobody was asked about rollouts without one. */
export const peopleFixture: LabelByPeople[] = [peopleOn("echo-trap")];

/** The extension's answer for each part; a text is the reason of a refusal. */
function compareAnswer(question: PanelQuestion): PartAnswer["value"] | string {
  switch (question.part) {
    case "version":
      return versions[question.version] ?? `There is no version ${question.version} in the lineage.`;
    case "diagnosed":
      return { score: null, cleanScore: null, labels: [], signals: {} };
    case "people":
      return peopleFixture;
    case "change":
      return {
        version: question.version,
        commit: "1".repeat(40),
        against: { version: question.against, commit: "0".repeat(40) },
        files: [
          { path: "harness/main.reward.yaml", change: "modified" },
          { path: "harness/diagnostics/<b>.yaml", change: "added" },
        ],
      };
    case "comparison":
      if (question.b === "v5") return "v4 and v5 have no item in common.";
      return {
        against: question.a,
        confidence: 0.95,
        difference: 0.0186,
        low: -0.004,
        high: 0.041,
        outer: [-0.012, 0.05],
        verdict: "inside_noise",
        items: 240,
        itemsNeeded: 610,
        ...(question.b === "v10" ? { seeds: [4, 4] as [number, number] } : {}),
        ...(question.b === "v6" ? { difference: 0.002 } : {}),
        ...(question.b === "v9" ? { notValid: [{ version: "v9", says: "Quarantined." }] } : {}),
        metric: "solve_rate",
        sentences: [
          `${question.b} against ${question.a}: +1.9 points [−0.4, +4.1], inside the noise, 240 paired items.`,
          "95 % interval: percentile bootstrap over items, corrected by t.",
          "With unknown outcomes counted either way: [−1.2, +5.0] points at 95 %.",
          "About 610 items are needed to detect a difference of this size.",
          "One seed each: nobody knows how much another training run would differ.",
        ],
        flipped: { fixed: 31, broken: 22, same: 187, p: 0.27 },
        flips: [
          {
            item: "django__django-11099",
            direction: "fixed",
            before: { pass: 0, fail: 4, unknown: 0 },
            after: { pass: 4, fail: 0, unknown: 0 },
            divergence: {
              before: { run: "v4-selection-1", id: "r12" },
              after: { run: "v8-selection-1", id: "r12" },
              first: { a: 4, b: 4, reason: "args" },
            },
          },
          {
            item: "<i>sympy</i>",
            direction: "broken",
            before: { pass: 3, fail: 1, unknown: 0 },
            after: { pass: 1, fail: 2, unknown: 1 },
            divergence: null,
          },
          ...(question.b === "v6" ? ["requests-1", "requests-2"] : []).map((item, i) => ({
            item,
            direction: "broken" as const,
            before: { pass: 3, fail: 1, unknown: 0 },
            after: { pass: 1, fail: 3, unknown: 0 },
            divergence: {
              before: { run: "v4-selection-1", id: `s${i}` },
              after: { run: "v6-selection-1", id: `s${i}` },
              first: { a: 8, b: 8, reason: "tool" as const },
            },
          })),
        ],
      };
    case "pairs":
      return question.versions.flatMap((a, i) =>
        question.versions.slice(i + 1).map((b) => {
          const pair = { a, b };
          const found = compareAnswer({ part: "comparison", ...pair });
          return typeof found === "object" && "difference" in found
            ? { ...pair, found, refused: null }
            : { ...pair, found: null, refused: typeof found === "string" ? found : "" };
        }),
      );
    case "labels":
      return {
        a: question.a,
        b: question.b,
        split: "selection",
        shifts: [
          ...(question.b === "v7" ? ["blind-edit", "echo-trap", "wrong-file"] : []).map((label) => ({
            ...paired,
            label,
            a: rate(0, 960),
            b: rate(label === "wrong-file" ? 540 : 960, 960),
            difference: label === "wrong-file" ? 0.56 : 1,
            low: 0.5,
            high: 1,
            p: 0.0002,
            adjusted: 0.0004,
            kind: "appeared" as const,
            says: "appeared",
            verdict: "regressed" as const,
            ...(label === "echo-trap" ? { under: "blind-edit" } : {}),
          })),
          ...(question.b === "v9" ? ["short-rollout"] : []).map((label) => ({
            ...paired,
            label,
            a: rate(900, 960),
            b: rate(270, 960),
            difference: -0.66,
            low: -0.7,
            high: -0.6,
            p: 0.0002,
            adjusted: 0.0004,
            kind: "fell" as const,
            says: "fell",
            verdict: "improved" as const,
          })),
          ...(question.b === "v7" ? [] : ["echo-trap"]).map((label) => ({
            ...paired,
            label,
            a: rate(96, 960),
            b: rate(173, 960),
            difference: 0.08,
            low: 0.05,
            high: 0.112,
            p: 0.0002,
            adjusted: 0.0004,
            kind: "rose" as const,
            says: "rose",
            verdict: "regressed" as const,
          })),
          {
            ...paired,
            label: "gives-up",
            a: rate(20, 960),
            b: rate(14, 900),
            difference: -0.006,
            low: -0.019,
            high: 0.008,
            p: 0.4,
            adjusted: 0.4,
            kind: "within_noise",
            says: "within noise",
            verdict: "inside_noise",
          },
          ...["abandon", "max-turns"].map((label) => ({
            ...paired,
            seen: "neither" as const,
            label,
            a: rate(0, 960),
            b: rate(0, 900),
            difference: 0,
            low: -0.016,
            high: 0.015,
            p: 1,
            adjusted: 1,
            kind: "within_noise" as const,
            says: "within noise, never seen",
          })),
          {
            ...paired,
            method: null,
            seen: "only_b" as const,
            label: "judge-says",
            a: rate(0, 0),
            b: rate(3, 50),
            difference: null,
            low: null,
            high: null,
            p: null,
            adjusted: null,
            kind: "not_measured",
            says: "not measured before",
          },
        ],
        notes: ["There is one seed: the intervals cover items and samples, but not another training run."],
        problems: [],
      };
    case "examples":
      return [1, 2].map((n) => ({
        run: `${question.version}.train.s1`,
        id: `selection-80-00${n}-0`,
        item: `item-00${n}`,
        ...(question.label === undefined ? {} : { label: question.label, turn: n }),
      }));
    case "flow": {
      const matrix = {
        classes: question.by === "outcome" ? ["pass", "mixed", "fail"] : ["pass", "fail: idle"],
        counts:
          question.by === "outcome"
            ? [
                [60, 9, 4],
                [12, 70, 11],
                [3, 19, 52],
              ]
            : [
                [60, 9],
                [12, 70],
              ],
        before: question.by === "outcome" ? [73, 93, 74] : [69, 82],
        after: question.by === "outcome" ? [75, 98, 67] : [72, 79],
        total: question.by === "outcome" ? 240 : 151,
      };
      return {
        a: question.a,
        b: question.b,
        by: question.by,
        split: "selection",
        items: matrix,
        itemsOnlyIn: { a: 0, b: 2 },
        rollouts: matrix,
        unpaired: { a: 0, b: 0 },
        notes: ["Rollouts are paired by item and sample."],
        problems: [],
      };
    }
    case "curves": {
      const names = ["reward/mean", "kl", "entropy", "response_length"];
      const shown = question.names ?? ["reward/mean", "kl"];
      return {
        names: names.map((name) => ({ name, steps: 300 })),
        shown,
        series: question.versions.flatMap((v, i) =>
          shown.map((name, k) => ({
            version: v,
            name,
            runs: 3,
            points: curve((step) => 0.2 + (0.3 + 0.1 * i) * (1 - Math.exp(-step / (15 + 10 * k)))),
          })),
        ),
      };
    }
    case "rewards":
      return question.versions.map((version, i) => ({
        version,
        outcomes: (["pass", "fail"] as const).map((outcome) => ({
          outcome,
          rollouts: outcome === "pass" ? 92 : 148,
          reward: outcome === "pass" ? 1.2 : 0.35 + 0.4 * i,
          paid: outcome === "fail" ? 31 * i : 0,
          terms: [
            { name: "correctness", adds: outcome === "pass" ? 1 : 0.15 },
            { name: "searched", adds: 0.2 + 0.4 * (outcome === "fail" ? i : 0) },
          ],
        })),
      }));
    case "predictions":
      return {
        versions: [
          {
            version: question.version,
            parent: "v4",
            proposer: "ada",
            measured: true,
            fixes: [
              { label: "gives-up", result: "within_noise" },
              { label: "wrong-file", result: "opposite" },
            ],
            risks: [{ label: "echo-trap", result: "hit" }],
            unforeseenFixes: [],
            unforeseenRisks: ["wrong-file"],
          },
        ],
        proposers: [],
        problems: [],
      };
  }
}

export interface VersionsLoad {
  readonly theme?: Theme;
  readonly kept?: unknown;
  /** What an answer waits for. */
  readonly waits?: (part: string, question: PanelQuestion) => Promise<unknown> | undefined;
  /** Another answer than that of the fixture; a text is the reason of a refusal. */
  readonly says?: (question: PanelQuestion, root: string | null) => PartAnswer["value"] | string | undefined;
}

/** Loads the version panel; without names it is told none. */
export const loadVersions = (
  host: ViewHost,
  names: readonly string[] | null,
  options: VersionsLoad,
): Promise<void> => host.load({ ...options, answer: versionsSide(names, options) });

/** The editor's side of the version panel. */
export const versionsSide =
  (names: readonly string[] | null, { waits, says }: VersionsLoad): LoadOptions["answer"] =>
  async (raw) => {
    const message = FromVersionPanel.parse(raw);
    if (message.type === "ready" && names !== null)
      return [{ protocol: versionProtocol, type: "show", root: "/p", names }];
    if (message.type !== "ask") return [];
    const { id, question, root } = message;
    const value = says?.(question, root) ?? compareAnswer(question);
    await waits?.(question.part, question);
    return typeof value === "string"
      ? [{ protocol: versionProtocol, type: "refused", id, message: value }]
      : [{ protocol: versionProtocol, type: "answer", id, answer: { part: question.part, value } }];
  };

/** What answers the question stands on top; the rest is unfolded by hand. */
export async function unfoldParts(host: ViewHost): Promise<void> {
  await host.page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })");
}
