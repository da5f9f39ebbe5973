import { percentWithin } from "./numbers.ts";
import { peopleParts, type LabelByPeople, type MeasuredByPeople } from "../protocol/results/people.ts";

const partWords = { heldOut: "held-out items", tuning: "tuning items" } as const;

/**
 * What people's answers say of a label, a line for each part of the items that they answered about: `people, held-out items:
 * precision 75.0 % [30.1, 95.4] (3 of 4 right), recall unknown (nobody was asked about rollouts without it)`.
 */
export const peopleLines = (found: LabelByPeople | undefined): string[] =>
  peopleParts.flatMap((part) => {
    const measured = found?.[part];
    return measured === undefined || measured.labelled.asked + measured.clear.asked === 0
      ? []
      : [`people, ${partWords[part]}: ${measuredText(measured)}`];
  });

function measuredText({ labelled, clear, precision, recall }: MeasuredByPeople): string {
  const said = (estimate: MeasuredByPeople["precision"]): string =>
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
