import type { Proposal } from "./proposals.ts";
import { shortName } from "../../words/shortName.ts";
import { metricWords } from "../../words/metricWords.ts";
import { counted, points, value } from "../../words/numbers.ts";

/** Of fewer groups the share of dead ones is uncertain by more than 15 points. */
const fewGroups = 40;
/** Of fewer rollouts a label may be chance. */
const fewRollouts = 10;

/** `rises by at least 2.0 points`: what a version is kept for. */
export function riseText({ metric, atLeast }: NonNullable<Proposal["success"]>): string {
  if (atLeast === 0) return "rises";
  // Of a rate, a hundredth is a point.
  const by = metric === "solve_rate" ? points(atLeast).replace(/^\+/, "") : value(atLeast);
  return `rises by at least ${by}`;
}

/** Whether the version that a proposal was made of does not have what it predicts to become rarer: then nothing can. */
const isMissing = (
  { answersTo = [], answersFound = [] }: Pick<Proposal, "answersTo" | "answersFound">,
  name: string,
): boolean =>
  answersFound.some((found) => found.name === name && found.holds === false) ||
  answersTo.some((found) => found.name === name && found.labelled === 0);

/** What a proposal should make better, as its proposer predicts; what its parent does not have cannot become rarer. */
export function betterText(
  proposal: Pick<Proposal, "fixes" | "success" | "parent" | "answersTo" | "answersFound">,
): string {
  const { fixes, success, parent } = proposal;
  const there = fixes.filter((name) => !isMissing(proposal, name));
  const told = [
    ...(success === null ? [] : [`${metricWords(success.metric)} ${riseText(success)}`]),
    ...(there.length === 0 ? [] : [`rarer: ${there.join(", ")}`]),
  ];
  if (told.length > 0) return told.join("; ");
  return fixes.length === 0
    ? "nothing that was predicted"
    : `nothing: ${shortName(parent)} does not have ${fixes.join(", ")}`;
}

/** What it could make worse, as its proposer predicts. */
export const worseText = ({ risks }: Pick<Proposal, "risks">): string =>
  risks.length === 0 ? "nothing that was predicted" : `more frequent: ${risks.join(", ")}`;

/** What is said of a proposal that a reviewer should not rely on, a clause each; the heaviest first. */
export function doubtsOf(
  proposal: Proposal,
  { recordPending }: { readonly recordPending: boolean },
): string[] {
  const { claims = [], answersTo = [], answersFound = [], parent } = proposal;
  return [
    ...claims,
    ...triedDoubts(proposal),
    ...backtestDoubts(proposal.backtest),
    ...[...answersFound, ...answersTo]
      .filter(({ name }) => isMissing(proposal, name))
      .map(({ name }) => `its target ${name} is not found in ${shortName(parent)}`),
    ...answersTo
      .filter(({ labelled }) => labelled > 0 && labelled < fewRollouts)
      .map(
        ({ name, labelled, over }) =>
          `few cases: ${name} is in ${counted(labelled, over === "group" ? "group" : "rollout")} of ${shortName(parent)}`,
      ),
    ...(recordPending ? [] : recordDoubts(proposal)),
  ];
}

function triedDoubts({ tried }: Pick<Proposal, "tried">): string[] {
  if (tried === undefined) return [];
  const near = tried.filter(({ how }) => how !== "same factor");
  const bad = near.filter(({ ended }) => ended === "invalid").map(({ version }) => shortName(version));
  if (bad.length > 0) return [`what ${bad.join(", ")} scored with the like of it is not valid`];
  const held = near.filter(({ ended }) => ended === "held").map(({ version }) => shortName(version));
  if (held.length > 0) return [`the gain of ${held.join(", ")} with the like of it may be a shortcut`];
  return near.some(({ ended }) => ended !== "unmeasured") ? [] : ["nothing like it was ever measured"];
}

function backtestDoubts(backtest: Proposal["backtest"]): string[] {
  if (backtest === null) return ["it was not backtested"];
  const { groups, order_violations: violations } = backtest.figures;
  if (groups == null) return ["the backtest decides nothing"];
  return [
    ...(groups < fewGroups ? [`few cases: the backtest is of ${counted(groups, "group")}`] : []),
    ...(violations != null && violations > 0
      ? [`the backtest finds ${counted(violations, "order violation")}`]
      : []),
  ];
}

function recordDoubts({ record, proposer }: Pick<Proposal, "record" | "proposer">): string[] {
  if (record === null || record.measured === 0) return [`no prediction of ${proposer} was measured yet`];
  const { predicted, hits, byChance } = record.fixes;
  return predicted > 0 && hits <= byChance
    ? [`what ${proposer} predicted came true no more often than by chance`]
    : [];
}
