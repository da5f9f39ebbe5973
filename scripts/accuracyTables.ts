import { createHash } from "node:crypto";
import { severityOrder } from "../server/src/diagnosis/rules.ts";
import { compilePredicate } from "../server/src/predicate/compile.ts";
import { rolloutFacts } from "../server/src/predicate/facts.ts";
import { wilson } from "../server/src/statistics/intervals/proportions.ts";
import { mostNamed, turnsToRead } from "../shared/model/namedTurns.ts";
import type { Rollout } from "../shared/model/rollout.ts";
import type { DiagnosticSpec } from "../shared/spec/diagnostic.ts";

/** A rollout and what the diagnostics say of it: the turns that show each label that it carries. */
export interface Inspected {
  readonly rollout: Rollout;
  readonly labels: ReadonlyMap<string, readonly number[]>;
}

export interface Table {
  readonly title: string;
  readonly note: string;
  readonly rows: readonly string[];
}

/** Labels rollouts by every diagnostic over rollouts that is made for the domain. */
export function inspectAll(
  rollouts: readonly Rollout[],
  diagnostics: readonly DiagnosticSpec[],
  domain: string,
): Inspected[] {
  const compiled = diagnostics
    .filter(({ over, domains }) => over === "rollout" && (domains?.includes(domain) ?? true))
    .map(({ name, label, params }) => ({
      name,
      when: predicate(label.when ?? "", "rollout", params),
      shows: label.evidence === undefined ? undefined : predicate(label.evidence, "turn", params),
    }));
  return rollouts.map((rollout) => {
    const facts = rolloutFacts(rollout);
    const labels = new Map<string, readonly number[]>();
    for (const { name, when, shows } of compiled)
      if (when.test(facts) === true)
        labels.set(
          name,
          rollout.turns.flatMap((_, i) => (shows?.test(facts, i) === true ? [i] : [])),
        );
    return { rollout, labels };
  });
}

function predicate(text: string, scope: "rollout" | "turn", params: DiagnosticSpec["params"]) {
  const compiled = compilePredicate(text, scope, params);
  if (!compiled.ok) throw new Error(compiled.problems[0]?.message);
  return compiled.predicate;
}

const share = (part: number, whole: number): string =>
  whole === 0 ? "–" : `${((100 * part) / whole).toFixed(0)} % (${part}/${whole})`;

const namesIn = (inspected: readonly Inspected[]): string[] =>
  [...new Set(inspected.flatMap(({ labels }) => [...labels.keys()]))].sort();

/** How far each label goes with failure, beside how frequent failure is at all. */
export function outcomeRows(title: string, inspected: readonly Inspected[]): Table {
  const graded = inspected.filter(({ rollout }) => rollout.outcome !== "unknown");
  const known = graded.filter(({ rollout }) => rollout.turns.length > 0);
  const bare = graded.length - known.length;
  const failed = known.filter(({ rollout }) => rollout.outcome === "fail");
  const rows = namesIn(known)
    .map((name) => {
      const labelled = known.filter(({ labels }) => labels.has(name));
      const both = labelled.filter(({ rollout }) => rollout.outcome === "fail");
      return `| \`${name}\` | ${labelled.length} | ${share(both.length, labelled.length)} | ${share(both.length, failed.length)} |`;
    })
    .sort();
  return {
    title,
    note: `${bare === 0 ? "" : `${bare} of the ${graded.length} have no transcript and are left out. `}${share(failed.length, known.length)} failed, so a label that says nothing about the outcome has that precision. No diagnostic claims to predict failure; the table shows how often rollouts with each label failed.`,
    rows: [
      "| diagnostic | labelled | of those failed (precision) | of the failed (recall) |",
      "|---|---|---|---|",
      ...rows,
    ],
  };
}

/** Precision and recall of diagnostics against a truth that the files hold. */
export function truthRows(
  title: string,
  inspected: readonly Inspected[],
  names: readonly string[],
  isTrue: (inspected: Inspected) => boolean,
  remark = "",
): Table {
  const positive = inspected.filter(isTrue);
  const rows = names.map((name) => {
    const labelled = inspected.filter(({ labels }) => labels.has(name));
    const both = labelled.filter(isTrue);
    return `| \`${name}\` | ${labelled.length} | ${share(both.length, labelled.length)} | ${share(both.length, positive.length)} |`;
  });
  return {
    title,
    note:
      positive.length === 0
        ? `None of the ${inspected.length} rollouts is positive, so recall cannot be measured, and every label would be false.`
        : `${positive.length} of ${inspected.length} rollouts are positive.${remark}`,
    rows: ["| diagnostic | labelled | right (precision) | found (recall) |", "|---|---|---|---|", ...rows],
  };
}

/** The rollouts with a step that people found to be the decisive mistake. */
const annotatedIn = (
  inspected: readonly Inspected[],
): { rollout: Rollout; labels: Inspected["labels"]; step: number }[] =>
  inspected.flatMap(({ rollout, labels }) => {
    const step = rollout.extra["mistake_step"];
    return typeof step === "number" ? [{ rollout, labels, step }] : [];
  });

/** Half of the traces, by a hash of their names, chose the rule for new numbers; the others only check it. */
const isForTuning = ({ run, id }: Pick<Rollout, "run" | "id">): boolean =>
  Number.parseInt(createHash("sha256").update(`${run}/${id}.json`).digest("hex").slice(0, 8), 16) % 2 === 0;

const namedNote = [
  "A reader is sent to at most three turns of a rollout: of each label, the most severe first, the first turn that shows it, then the last, then the one in the middle (`evotrainer rollouts show` names them). Few labels are on these traces, so few traces have a turn that a label names.",
  "In a failure of which no label names a turn, the three turns of the policy that bring in the most numbers are named: words with a digit that no turn before them holds. Of 23 rules, this was one of the three that found the most on one half of these traces (10 of 18, or 56 %; the other two named the turns before a failed call, or those with code, and then the first ones), and the best of the three on the other half. The texts of the second half had no part in the rules; the numbers of its decisive steps were known. The rule then found 61 % [53, 69] (88 of 144) in the 144 other traces of Who&When, which had no part in it, where three at random find 38 %: 71 % (70 of 98) of the generated ones, where three at random find 49 %, and 39 % (18 of 46) of the long hand-made ones, where they find 15 %. That is a place to begin, and no verdict on the turn. Turns with repeated texts, the last turns, and the first, the middle and the last were no better than as many at random.",
  "“As many at random” draws as many of the policy's turns as were named in each trace, “three at random” always three.",
].join("\n\n");

/** How often the decisive step is among the turns that a reader is sent to, beside as many turns drawn at random. */
export function namedSteps(
  title: string,
  inspected: readonly Inspected[],
  diagnostics: readonly Pick<DiagnosticSpec, "name" | "label">[],
): Table {
  const severity = new Map(
    diagnostics.map(({ name, label }) => [name, severityOrder.indexOf(label.severity)]),
  );
  const traces = annotatedIn(inspected).map(({ rollout, labels, step }) => {
    const bySeverity = [...labels].sort(([a], [b]) => (severity.get(a) ?? 0) - (severity.get(b) ?? 0));
    const { shownBy, turns: named } = turnsToRead(
      rollout,
      bySeverity.map(([, turns]) => ({ turns })),
    );
    const policy = rollout.turns.filter(({ role }) => role === "assistant").length;
    // Only turns of the policy are drawn: a reader knows that the mistake is one of them.
    const byChance = (turns: number): number => Math.min(1, turns / Math.max(policy, 1));
    return {
      isForTuning: isForTuning(rollout),
      shownBy,
      named,
      isFound: named.includes(step),
      chance: byChance(named.length),
      three: byChance(mostNamed),
    };
  });
  const row = (what: string, some: typeof traces): string => {
    const found = some.filter(({ isFound }) => isFound).length;
    const { low, high } = wilson({ share: found / Math.max(some.length, 1), size: some.length });
    const mean = (of: (trace: (typeof traces)[number]) => number): string =>
      some.length === 0
        ? "–"
        : `${((100 * some.reduce((sum, one) => sum + of(one), 0)) / some.length).toFixed(0)} %`;
    return `| ${what} | ${some.length} | ${share(found, some.length)} [${(100 * low).toFixed(0)}, ${(100 * high).toFixed(0)}] | ${mean((t) => t.chance)} | ${mean((t) => t.three)} |`;
  };
  const byNumbers = (tuning: boolean): typeof traces =>
    traces.filter(({ shownBy, isForTuning }) => shownBy === "numbers" && isForTuning === tuning);
  return {
    title,
    note: namedNote,
    rows: [
      "| traces | number | decisive step among them | as many at random | three at random |",
      "|---|---|---|---|---|",
      row("all", traces),
      row(
        "with a turn named by a label",
        traces.filter(({ shownBy, named }) => shownBy === "labels" && named.length > 0),
      ),
      row("with turns named by new numbers, tuning half", byNumbers(true)),
      row("with turns named by new numbers, validation half", byNumbers(false)),
    ],
  };
}

/** Whether the turns that show a label hold the step that people found to be the decisive mistake. */
export function decisiveSteps(title: string, inspected: readonly Inspected[]): Table {
  const annotated = annotatedIn(inspected);
  const rows = namesIn(inspected).map((name) => {
    const labelled = annotated.filter(({ labels }) => labels.has(name));
    const shown = labelled.filter(({ labels, step }) => labels.get(name)?.includes(step));
    const near = labelled.filter(({ labels, step }) =>
      labels.get(name)?.some((turn) => Math.abs(turn - step) <= 1),
    );
    const chance =
      labelled.reduce(
        (sum, { rollout, labels }) => sum + (labels.get(name)?.length ?? 0) / rollout.turns.length,
        0,
      ) / Math.max(labelled.length, 1);
    return `| \`${name}\` | ${labelled.length} | ${share(shown.length, labelled.length)} | ${share(near.length, labelled.length)} | ${(100 * chance).toFixed(0)} % | ${share(shown.length, annotated.length)} |`;
  });
  return {
    title,
    note: `All ${annotated.length} rollouts failed because of a mistake in reasoning, which a person explained in words. No diagnostic of the library looks for such mistakes; the table shows how often the turns that a diagnostic marks contain the decisive step. The column “at random” is the share of turns that are marked.`,
    rows: [
      "| diagnostic | labelled | shows the step (precision) | within one turn | at random | of all (recall) |",
      "|---|---|---|---|---|---|",
      ...rows,
    ],
  };
}
