import { counted, percent, setPercent } from "../../../../shared/words/numbers.ts";
import type { AdmittedDiagnostic } from "../../../../shared/ledger/admission.ts";

/** What is measured of a diagnostic on the archive, before anything is decided by it. */
export interface DiagnosticFacts extends Omit<AdmittedDiagnostic, "verdict" | "because"> {
  /** What the admission matrix says of it among the decided versions, and why. */
  readonly separation: {
    readonly verdict: "separates" | "does_not_separate" | "cannot_tell";
    readonly because: string;
  };
  /** Why its labels cannot be computed from the archive, in a sentence; null where they can. */
  readonly unmeasured: string | null;
  /** Rollouts by how they ended, and how many of each it labels. */
  readonly failures: { readonly labelled: number; readonly of: number };
  readonly passes: { readonly labelled: number; readonly of: number };
  /** Of a revision: the overlaps of the revision before, and whether that one invalidates. */
  readonly before: {
    readonly overlaps: AdmittedDiagnostic["overlaps"];
    readonly invalidates: boolean;
    /** Whether both have the same condition, so that only thresholds or texts differ. */
    readonly isSameCondition: boolean;
  } | null;
  /** Why it cannot be used whatever it says, such as a quarantined version that it lets through: a sentence each. */
  readonly refusals: readonly string[];
}

/** Above this share of common rollouts a new label repeats another one. */
const repeatAbove = 0.8;
/** A label explains something if it labels at least this share of the failures that no other label has. */
const explainsFrom = 0.1;
/** Labelling 10,000 rollouts may take so many seconds. */
const secondsAtMost = 60;
/** So many answers of people count against a label. */
const answersNeeded = 5;

type Judged = Pick<AdmittedDiagnostic, "verdict" | "because">;

/** Whether one diagnostic of a harness version is in force from then on, on trial, or not at all. */
export function judgeDiagnostic(facts: DiagnosticFacts): AdmittedDiagnostic {
  const {
    separation: _s,
    unmeasured: _u,
    failures: _f,
    passes: _p,
    before: _b,
    refusals: _l,
    ...told
  } = facts;
  return { ...told, ...judge(facts) };
}

function judge(facts: DiagnosticFacts): Judged {
  return (
    releases(facts) ??
    removed(facts) ??
    tooSlow(facts) ??
    repeats(facts) ??
    contradicted(facts) ??
    unmeasurable(facts) ??
    byEvidence(facts)
  );
}

const refused = (because: string): Judged => ({ verdict: "refused", because });

function releases({ refusals }: DiagnosticFacts): Judged | undefined {
  return refusals.length === 0 ? undefined : refused(refusals.join(" "));
}

function removed({ name, change, rollouts, labelled }: DiagnosticFacts): Judged | undefined {
  if (change !== "removed") return undefined;
  return {
    verdict: "admitted",
    because: `${name} is taken away; it labelled ${labelled} of ${counted(rollouts, "rollout")}, and lets no quarantined version through.`,
  };
}

function tooSlow({ name, secondsPer10000 }: DiagnosticFacts): Judged | undefined {
  if (secondsPer10000 === null || secondsPer10000 <= secondsAtMost) return undefined;
  return refused(
    `${name} takes ${secondsPer10000.toFixed(0)} seconds for 10,000 rollouts, and may take ${secondsAtMost}; make its condition simpler.`,
  );
}

/** A label that is another one under a new name tells nothing, and its alerts would count twice. */
function repeats({ name, change, overlaps, before }: DiagnosticFacts): Judged | undefined {
  const found = overlaps.find(
    ({ label, jaccard }) =>
      jaccard > repeatAbove && (before?.overlaps.find((o) => o.label === label)?.jaccard ?? 0) <= repeatAbove,
  );
  if (found === undefined) return undefined;
  const what = change === "added" ? name : `This revision of ${name}`;
  return refused(
    `${what} repeats ${found.label}: of the rollouts that carry either label, ${percent(found.jaccard)} carry both, and at most ${setPercent(repeatAbove)} may.`,
  );
}

function contradicted({ name, agreement: { right, wrong } }: DiagnosticFacts): Judged | undefined {
  if (right + wrong < answersNeeded || wrong <= right) return undefined;
  return refused(
    `${name} contradicts what people said of ${wrong} of the ${counted(right + wrong, "rollout")} that they looked at; mend its condition, or their answers.`,
  );
}

function unmeasurable({
  name,
  unmeasured,
  change,
  before,
  invalidates,
}: DiagnosticFacts): Judged | undefined {
  if (unmeasured !== null) return trial(unmeasured, { before, invalidates });
  if (change === "revised" && before?.isSameCondition === true && before.invalidates === invalidates)
    return {
      verdict: "admitted",
      because: `${name} labels the same rollouts as before; only when it alerts, or what it says, changes.`,
    };
  return undefined;
}

function byEvidence(facts: DiagnosticFacts): Judged {
  const { name, rollouts, labelled, separation, invalidates } = facts;
  if (labelled === 0)
    return trial(
      `${name} labels none of the ${counted(rollouts, "rollout")} in the archive, so nobody can tell what it is worth.`,
      facts,
    );
  switch (separation.verdict) {
    case "separates":
      return { verdict: "admitted", because: `${separates(facts)} ${explained(facts)}` };
    case "cannot_tell":
      return trial(
        `Nobody can tell yet whether ${name} separates ${sides(facts)}: ${separation.because} ${explained(facts)}`,
        facts,
      );
    case "does_not_separate":
      return !invalidates && explains(facts)
        ? { verdict: "admitted", because: `${explained(facts)} It does not separate: ${separation.because}` }
        : refused(
            `${name} does not separate ${sides(facts)}: ${separation.because} ${explained(facts)}${invalidates ? "" : ` It would have to label at least ${setPercent(explainsFrom)} of those, and failures more often than passes.`}`,
          );
  }
}

/** A revision of what invalidates cannot be on trial: until it is admitted, nothing would catch what the one before catches. */
function trial(
  why: string,
  { before, invalidates }: Pick<DiagnosticFacts, "before" | "invalidates">,
): Judged {
  if (before?.invalidates === true && invalidates)
    return refused(
      `${why} The revision in force can make a version invalid, and one on trial could not, so it is not accepted. Propose it again when more versions are decided, or now under another name.`,
    );
  return {
    verdict: "on_trial",
    because: `${why} It is on trial${invalidates ? " and makes no version invalid" : ""} until it is proposed again with more decided versions.`,
  };
}

const sides = ({ question }: DiagnosticFacts): string =>
  question === "sound_against_invalid" ? "sound from invalid versions" : "kept from rejected versions";

const separates = (facts: DiagnosticFacts): string =>
  `${facts.name} separates ${sides(facts)}${facts.auc === null ? "" : ` (AUC ${facts.auc.toFixed(2)})`}: ${facts.separation.because}`;

const explained = ({ explains: { failures, of } }: DiagnosticFacts): string =>
  of === 0
    ? "Every failure carries another label already."
    : `It labels ${failures} of ${counted(of, "failure")} that carry no other label (${percent(failures / of)}).`;

/** Whether it says something of failures that nothing else does, and of failures more than of passes. */
function explains({ explains: { failures, of }, failures: failed, passes }: DiagnosticFacts): boolean {
  if (of === 0 || failures / of < explainsFrom) return false;
  const share = (one: { readonly labelled: number; readonly of: number }): number =>
    one.of === 0 ? 0 : one.labelled / one.of;
  return share(failed) > share(passes);
}
