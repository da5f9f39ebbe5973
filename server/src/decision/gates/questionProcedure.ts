import type { Factor } from "../../../../shared/spec/common.ts";
import type { ProcedureStep } from "../../../../shared/words/procedureSteps.ts";
import { counted } from "../../../../shared/words/numbers.ts";
import { listed } from "../../base/similar.ts";

/** A version that was tried since the last kept one and was not kept. */
export interface FailedTrial {
  readonly version: string;
  readonly factor: Factor | null;
  /** The finding that called for it; null where none did. */
  readonly finding: string | null;
}

/** What the next step is chosen by. */
export interface ProcedureQuestion {
  readonly failuresInARow: number;
  /** After how many failures in a row the procedure is questioned: `gates.questionAfterFailures`. */
  readonly after: number;
  /** The version that changes are made of now. */
  readonly parent: string;
  /** Oldest first; those since the last kept version. */
  readonly failed: readonly FailedTrial[];
  /** Kept changes that the parent stands on, the newest first, itself included; without the baseline. */
  readonly stack: readonly string[];
  /** Factors for which the proposers still have something that was not tried. */
  readonly openFactors: readonly Factor[];
  /** Other versions that changes could be made of, the best first. */
  readonly otherParents: readonly string[];
  /** The version below the parent that one would go back to; null where the parent is the baseline. */
  readonly below: string | null;
  /** Steps that were taken since the last kept version. */
  readonly taken: readonly ProcedureStep[];
  /** Steps that this evolution can take. */
  readonly able: readonly ProcedureStep[];
}

/** The next step, and why it is this one. */
export type ProcedureAnswer =
  | { readonly step: "subtract"; readonly of: readonly string[]; readonly why: string }
  | { readonly step: "another-factor"; readonly factors: readonly Factor[]; readonly why: string }
  | { readonly step: "another-parent" | "roll-back"; readonly parent: string; readonly why: string }
  | { readonly step: "revise-diagnostic"; readonly finding: string; readonly why: string };

/**
 * After several failures in a row the procedure itself is questioned. The rule, in this order; a step is taken once between
 * two kept versions, and null means that there is nothing to question, or no step is left:
 * 1. all failures changed one factor, and another one has something to try: change another factor;
 * 2. all failures answered one finding: revise its diagnostic, because the diagnosis itself may be wrong;
 * 3. the parent stands on two kept changes or more: subtract one of them;
 * 4. there is another version that is kept: start from that parent;
 * 5. the parent is not the baseline: roll back to the version below it;
 * 6. a factor that no failure changed has something to try: change another factor.
 */
export function questionProcedure(question: ProcedureQuestion): ProcedureAnswer | null {
  const { failuresInARow, after, failed, able, taken } = question;
  if (failuresInARow < after || failed.length === 0) return null;
  const rules = [oneFactor, oneFinding, tallStack, otherParent, backToBelow, untriedFactor];
  for (const rule of rules) {
    const answer = rule(question);
    if (answer !== null && able.includes(answer.step) && !taken.includes(answer.step)) return answer;
  }
  return null;
}

const begin = ({ failed }: ProcedureQuestion): string =>
  `${counted(failed.length, "version", "versions")} since the last kept one failed (${listed(
    failed.map(({ version }) => version),
    "and",
  )})`;

const factorsOf = ({ failed }: ProcedureQuestion): Set<Factor> =>
  new Set(failed.flatMap(({ factor }) => factor ?? []));

function oneFactor(question: ProcedureQuestion): ProcedureAnswer | null {
  const [only, ...others] = factorsOf(question);
  const factors = question.openFactors.filter((factor) => factor !== only);
  if (only === undefined || others.length > 0 || factors.length === 0) return null;
  return {
    step: "another-factor",
    factors,
    why: `${begin(question)}, and all of them changed the ${only}. The next change is to another factor: ${listed(factors)}.`,
  };
}

function oneFinding(question: ProcedureQuestion): ProcedureAnswer | null {
  const [only, ...others] = new Set(question.failed.map(({ finding }) => finding));
  if (only === undefined || only === null || others.length > 0) return null;
  return {
    step: "revise-diagnostic",
    finding: only,
    why: `${begin(question)}, and all of them answered ${only}. Check the diagnostic ${only}, which may be wrong; the next changes answer other findings.`,
  };
}

function tallStack(question: ProcedureQuestion): ProcedureAnswer | null {
  const { stack, parent } = question;
  if (stack.length < 2) return null;
  return {
    step: "subtract",
    of: stack,
    why: `${begin(question)}, and ${parent} is built on ${counted(stack.length, "kept change", "kept changes")}; the next step looks for one that is not needed.`,
  };
}

function otherParent(question: ProcedureQuestion): ProcedureAnswer | null {
  const [parent] = question.otherParents;
  if (parent === undefined) return null;
  return {
    step: "another-parent",
    parent,
    why: `${begin(question)} on ${question.parent}; the next changes are made from ${parent}.`,
  };
}

function backToBelow(question: ProcedureQuestion): ProcedureAnswer | null {
  const { below, parent } = question;
  if (below === null) return null;
  return {
    step: "roll-back",
    parent: below,
    why: `${begin(question)} on ${parent}; the next changes are made from ${below}, the version below it.`,
  };
}

function untriedFactor(question: ProcedureQuestion): ProcedureAnswer | null {
  const tried = factorsOf(question);
  const factors = question.openFactors.filter((factor) => !tried.has(factor));
  if (factors.length === 0) return null;
  return {
    step: "another-factor",
    factors,
    why: `${begin(question)}, and none of them changed ${listed(factors)}. The next change does.`,
  };
}
