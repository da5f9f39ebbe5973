import { byAlert } from "../../../shared/model/alertOrder.ts";
import { foldedLabels } from "../../../shared/model/foldedLabels.ts";
import type { ShownVersion } from "../../../shared/protocol/views/version.ts";
import { alertText, type FoundAlert } from "../../../shared/words/alertText.ts";
import { alertLooks, decisionLooks, verdictLooks } from "../../../shared/words/decisions.ts";
import { signElement } from "../shared/outcomes.ts";
import { visibleLine } from "../shared/visibleText.ts";

/** More alerts than the answer names; the table of labels has all of them. */
const mostAlerts = 2;

/** `△ warning: gives-up 39.2 % of rollouts`: what is over a threshold, the worst first, with the word of its mark. */
export function alertNodes({ labels }: Pick<ShownVersion, "labels">): (Node | string)[] {
  const over = labels.flatMap(({ alert, ...label }) => (alert === null ? [] : [{ ...label, alert }]));
  const found: FoundAlert[] = foldedLabels(over)
    .map(({ label }) => label)
    .sort(byAlert);
  const named = found.slice(0, mostAlerts).flatMap((one, i) => {
    const { mark, colour } = alertLooks[one.alert];
    return [
      i === 0 ? "" : ", ",
      signElement(mark, `sign colour-${colour}`),
      ` ${one.alert}: ${visibleLine(alertText(one))}`,
    ];
  });
  return found.length > mostAlerts ? [...named, ` and ${found.length - mostAlerts} more`] : named;
}

/** What is not to be trusted of a version that is valid. */
export function doubtsOf({
  audit,
  claims = [],
  trial,
}: Pick<ShownVersion, "audit" | "claims" | "trial">): string[] {
  return [
    ...(audit?.gap?.verdict === "overfits" ? ["its score, which the audit does not reach"] : []),
    ...(claims.length === 0 ? [] : ["what is only a claim"]),
    ...(trial?.seeds.length === 1 ? ["that another seed comes out the same"] : []),
  ];
}

/** The same with the mark of what has no verdict; `⊘ none` where there is none. */
export function doubtNodes(version: Parameters<typeof doubtsOf>[0]): (Node | string)[] {
  const doubts = doubtsOf(version);
  const { mark, colour } = verdictLooks.withheld;
  return doubts.length === 0
    ? [signElement(decisionLooks.invalid.mark), " none"]
    : [signElement(mark, `sign colour-${colour}`), ` ${doubts.join("; ")}`];
}
