import { labelShare } from "../../../shared/model/labelShare.ts";
import { shareText } from "../../../shared/model/shareText.ts";
import { percent, percentInterval } from "../../../shared/words/numbers.ts";
import type { LabelCount } from "../../../shared/ledger/measures.ts";
import type { Firing } from "./firing.ts";
import type { JudgedLabel } from "./judge/judgeVersion.ts";

/** The variables of a version by name (server/src/predicate/variables.ts); null where the evidence does not provide it. */
export type Signals = Readonly<Record<string, number | null>>;

export type Severity = "info" | "warning" | "critical";

/** A named finding about a version; interventions name it in `targets`. */
export interface Finding {
  readonly name: string;
  readonly severity: Severity;
  readonly message: string;
  /** Another finding that says the same, or more: lists name this one with it. */
  readonly under?: string;
  /** Of an alarm on training curves: when it fired first, and what the score did from there on. */
  readonly firing?: Firing;
}

/** The alerts of labels as findings; what a label of severity `info` finds is information, however often. */
export function alertFindings(labels: readonly LabelCount[]): Finding[] {
  return labels.flatMap((count) => {
    const { name, alert, over } = count;
    if (alert === null) return [];
    const severity = count.severity === "info" ? "info" : alert;
    const share = labelShare(count);
    const of = share.undecided === 0 ? ` of the ${over ?? "rollout"}s` : ` ${over ?? "rollout"}s,`;
    return [{ name, severity, message: `${shareText(share)}${of} are labelled ${name}.` }];
  });
}

/** The alerts of judges, whose rates are estimates. */
export function judgedFindings(judged: readonly JudgedLabel[]): Finding[] {
  return judged.flatMap(({ name, alert, rate, asked, of }) =>
    alert === null || rate === null
      ? []
      : [
          {
            name,
            severity: alert,
            message: `An estimated ${percent(rate.value)} of the rollouts ${percentInterval(rate.low, rate.high)} are ${name}, judged by a sample of ${asked} of ${of}.`,
          },
        ],
  );
}

/** From the most severe on. */
export const severityOrder: readonly Severity[] = ["critical", "warning", "info"];

/** Most severe first, then by name. */
export function bySeverity(found: readonly Finding[]): Finding[] {
  return [...found].sort(
    (a, b) =>
      severityOrder.indexOf(a.severity) - severityOrder.indexOf(b.severity) || (a.name < b.name ? -1 : 1),
  );
}
