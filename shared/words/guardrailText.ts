import { figure, percent, setPercent } from "./numbers.ts";

type Measure = {
  readonly metric: string;
  readonly value: number;
  readonly atMost: number;
  /** What the metric is a share of, where it is how often a label shows. */
  readonly over?: "rollout" | "group" | undefined;
};
type KnownLabel = { readonly name: string; readonly over?: "rollout" | "group" | undefined };

/** What a version has more of than it may: `echo-trap shows in 100 % of the rollouts, above its limit of 25 %`. */
export const guardrailText = ({ metric, value, atMost, over }: Measure): string =>
  over === undefined
    ? `${metric} is ${figure(value)}, above its limit of ${figure(atMost)}`
    : `${metric} shows in ${percent(value)} of the ${over}s, above its limit of ${setPercent(atMost)}`;

const number = String.raw`-?\d+(?:\.\d+)?(?:e[+-]?\d+)?`;
const recorded = new RegExp(
  String.raw`(?<=^Guardrail: |; )([^\s;]+) is (${number}), above (${number})(?=[.;])`,
  "g",
);

/** The reason of a decision as it is said now; ledgers of before hold bare numbers: `Guardrail: echo-trap is 1, above 0.25.` */
export function saidReason(reason: string, labels: readonly KnownLabel[]): string {
  if (!reason.startsWith("Guardrail: ")) return reason;
  return reason.replace(recorded, (_, metric: string, value: string, atMost: string) => {
    const label = labels.find(({ name }) => name === metric);
    const over = label === undefined ? undefined : (label.over ?? "rollout");
    return guardrailText({ metric, value: Number(value), atMost: Number(atMost), over });
  });
}
