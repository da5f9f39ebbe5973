import { percentWithin } from "./numbers.ts";
import { inLine } from "./unseen.ts";

/** Which part of the items a rollout belongs to: diagnostics are tuned on one, and the other says how good they are. */
export const peopleParts = ["heldOut", "tuning"] as const;
export type PeoplePart = (typeof peopleParts)[number];

type Estimate = { readonly value: number; readonly low: number; readonly high: number } | null;

/** The figures of shared/protocol/results/people.ts, as far as they are said. */
interface Measured {
  readonly labelled: { readonly asked: number; readonly right: number };
  readonly clear: { readonly asked: number; readonly missed: number };
  readonly precision: Estimate;
  readonly recall: Estimate;
}

/** The measure of a label by people's answers, as far as it is said. */
export type ByPeople = { readonly label: string } & Readonly<Record<PeoplePart, Measured>>;

const partWords = { heldOut: "held-out items", tuning: "tuning items" } as const;

/**
 * What people's answers say of a label, a line for each part of the items that they answered about: `people, held-out items:
 * precision 75.0 % [30.1, 95.4] (3 of 4 right), recall unknown (nobody was asked about rollouts without it)`.
 */
export const peopleLines = (found: Readonly<Record<PeoplePart, Measured>> | undefined): string[] =>
  peopleParts.flatMap((part) => {
    const measured = found?.[part];
    return measured === undefined || measured.labelled.asked + measured.clear.asked === 0
      ? []
      : [`people, ${partWords[part]}: ${measuredText(measured)}`];
  });

/** The same of one label of those that people answered about; nothing where nobody answered about it. */
export const peopleLinesOf = (people: readonly ByPeople[], label: string): string[] =>
  peopleLines(people.find((one) => one.label === label));

/** The same with the name of the label before each line, for lists that have no room beside the labels. */
export const peopleSaid = (people: readonly ByPeople[]): string[] =>
  people.flatMap((one) => peopleLines(one).map((line) => `${inLine(one.label)}: ${line}`));

function measuredText({ labelled, clear, precision, recall }: Measured): string {
  const said = (estimate: Estimate): string =>
    estimate === null ? "unknown" : percentWithin(estimate.value, estimate.low, estimate.high);
  const basis =
    clear.asked === 0
      ? "nobody was asked about rollouts without it"
      : `${clear.missed} of ${clear.asked} without it missed`;
  return [
    `precision ${said(precision)}${labelled.asked === 0 ? "" : ` (${labelled.right} of ${labelled.asked} right)`}`,
    `recall ${said(recall)} (${basis})`,
  ].join(", ");
}
