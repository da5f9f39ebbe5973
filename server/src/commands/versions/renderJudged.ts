import { turnNumbers } from "../../../../shared/words/turnNumbers.ts";
import { counted, percent, percentWithin, value as valueText } from "../../../../shared/words/numbers.ts";
import type { Diagnosis } from "../../diagnosis/diagnose.ts";
import { fewestPairs, type Agreement } from "../../diagnosis/judge/agreement.ts";
import type { JudgedLabel } from "../../diagnosis/judge/judgeVersion.ts";

/** The estimates of judges, each with its sample, its interval and how far it agrees with people; empty without judges. */
export function judgedLines(
  heading: (text: string) => string,
  { judged, notRun }: Pick<Diagnosis, "judged" | "notRun">,
): string[] {
  const lines = judged.flatMap((j) => [
    `  ${estimateOf(j)}`,
    ...shownOf(j),
    `    ${agreementWords(j.agreement)}`,
    ...contrastOf(j.contrast).map((line) => `    ${line}`),
  ]);
  return [
    ...(lines.length === 0 ? [] : ["", heading("Judged, from a sample"), ...lines]),
    ...(notRun.length === 0 ? [] : ["", heading("Not run"), ...notRun.map((n) => `  ${n.message}`)]),
  ];
}

function estimateOf({
  name,
  rate,
  of,
  asked,
  labelled,
  undecided,
  unanswered,
  model,
  alert,
  ...j
}: JudgedLabel): string {
  const value = rate === null ? "no estimate" : `about ${percentWithin(rate.value, rate.low, rate.high)}`;
  const open = [
    ...(undecided === 0 ? [] : [`${undecided} cannot be told`]),
    ...(unanswered === 0 ? [] : [`${unanswered} without a usable answer`]),
  ];
  const said = [`${labelled} of ${asked} asked`, ...open].join(", ");
  return `${name}: ${value}: ${said}, of ${counted(of, "rollout")}; ${model}, seed ${j.seed}${alert === null ? "" : `; ${alert}`}`;
}

const shownOf = ({ shown }: JudgedLabel): string[] =>
  shown.map(
    ({ rollout, turns, reason }) =>
      `    ${rollout}${turns.length === 0 ? "" : `, ${turnNumbers(turns)}`}${reason === "" ? "" : `: ${reason}`}`,
  );

/** The two ways of asking on the same rollouts; empty where only one was asked for. */
function contrastOf(contrast: JudgedLabel["contrast"]): string[] {
  if (contrast === null) return [];
  const { asked, labelled, labelledAlone, onlyBeside, onlyAlone, withoutPartner, agreement } = contrast;
  const other = contrast.beside === "parent" ? "in the parent" : "with the other outcome";
  const without =
    withoutPartner === 0 ? "" : ` ${withoutPartner} of the sample have no rollout of their item ${other}.`;
  if (asked === 0) return [`It could not be asked beside another rollout.${without}`];
  return [
    `Beside a rollout of the same item ${other}, it labels ${labelled} of ${asked}; alone, ${labelledAlone} of the same ${asked}: ${onlyBeside} only beside, ${onlyAlone} only alone.${without}`,
    ...(agreement === null
      ? []
      : [
          `Beside: ${agreementWords(agreement.beside)}`,
          `Alone, on the same rollouts: ${agreementWords(agreement.alone)}`,
        ]),
  ];
}

/** One sentence. */
function agreementWords(agreement: Agreement | null): string {
  if (agreement?.share == null)
    return "Nobody has labelled a rollout yet (`evotrainer label`), so nobody knows how far to trust it.";
  const { rollouts, share, kappa, tooFew } = agreement;
  const agrees = `It agrees with people on ${percent(share.value)} of ${counted(rollouts, "rollout")}`;
  const chance =
    kappa === null
      ? "one side always gave the same answer, so agreement beyond chance is not defined"
      : `Cohen's kappa ${valueText(kappa.value)} [${valueText(kappa.low)}, ${valueText(kappa.high)}]`;
  return tooFew
    ? `${agrees}: too few to say (${fewestPairs.all} are needed, with ${fewestPairs.each} of either answer); ${chance}.`
    : `${agrees}: ${chance}.`;
}
