import { counted, plural, setPercent } from "../../../../shared/words/numbers.ts";
import type { ReplayedVersion, ReplayState } from "./replayLineage.ts";
import type { ReplayRules } from "./rules.ts";

/** What differs from the recorded rules, a few words for each rule. */
export function rulesText({ seeds, confidence, gates, guardrails, without, harness }: ReplayRules): string[] {
  return [
    ...(seeds === null ? [] : [`${counted(seeds, "seed")} of each version`]),
    ...(confidence === null ? [] : [`${setPercent(confidence)} confidence`]),
    ...(gates === null
      ? []
      : [gates === "human" ? "a person answers the gates" : "the rule answers the gates"]),
    ...guardrails.map(({ metric, atMost }) => `${metric} at most ${atMost}`),
    ...(without.length === 0 ? [] : [`without ${without.join(", ")}`]),
    ...(harness === null ? [] : [`the diagnostics of ${harness}`]),
  ];
}

/** How many decisions change, and how far they could be made. */
export function summaryOf(versions: readonly ReplayedVersion[]): string[] {
  const of = (state: ReplayState): ReplayedVersion[] => versions.filter((v) => v.state === state);
  const names = (some: readonly ReplayedVersion[]): string => some.map(({ name }) => name).join(", ");
  const [same, changed, untried, untold] = [of("same"), of("changed"), of("not_tried"), of("cannot_tell")];
  const again = same.length + changed.length;
  const onLedger = [...same, ...changed].filter(({ basis }) => basis === "ledger");
  const gates = versions.filter(({ gate }) => gate !== null);
  return [
    again === 0
      ? "No version could be decided again."
      : changed.length === 0
        ? `${counted(again, "version")} decided again: every decision is the same.`
        : `${counted(again, "version")} decided again: ${counted(changed.length, "decision")} ${plural(changed.length, "changes", "change")} (${names(changed)}).`,
    ...(untried.length === 0
      ? []
      : [
          `${counted(untried.length, "version")} would not have been tried, because ${plural(untried.length, "its parent", "their parents")} would not have been kept: ${names(untried)}.`,
        ]),
    ...(untold.length === 0 ? [] : [`${names(untold)} cannot be decided again.`]),
    ...(onLedger.length === 0
      ? []
      : [
          `${names(onLedger)} ${plural(onLedger.length, "was", "were")} decided from the numbers in the ledger, because the archive lacks rollouts.`,
        ]),
    ...(gates.length === 0
      ? []
      : [`Somebody else would have answered ${counted(gates.length, "gate")}: ${names(gates)}.`]),
  ];
}
