import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import type { HypothesisResult } from "../../../shared/ledger/hypothesisResult.ts";
import type { Project } from "../project/project.ts";
import {
  decideVersion,
  isQuarantined,
  type BaseVerdict,
  type TrainedVersion,
  type Verdict,
} from "./decide.ts";
import type { VerdictPorts } from "./verdictPorts.ts";

/** A version whose job is over, measured and compared, before anybody asked about its hypothesis or its leak. */
export interface VersionToJudge extends Omit<TrainedVersion, "hypothesis" | "clean" | "subtraction"> {
  readonly version: string;
  readonly parent: string | null;
}

export interface Judged {
  readonly verdict: Verdict | BaseVerdict;
  /** To be added to the version's evidence entry. */
  readonly evidence: Pick<
    Extract<LedgerEntry, { type: "evidence" }>,
    "cleanScore" | "cleanBy" | "cleanBecause"
  >;
  /** To be added to its decision entry. */
  readonly decision: Pick<Extract<LedgerEntry, { type: "decision" }>, "hypothesis">;
}

/**
 * Decides a version: one that is quarantined is first evaluated without its leak; one that takes an edit out is decided by
 * the test of equivalence; and of any other change it is first asked what became of its hypothesis. Call it where `decideVersion` would be called; it may be repeated after a crash.
 * @throws HarnessError cancelled
 */
export async function judgeVersion(
  { version, parent, ...trained }: VersionToJudge,
  ports: VerdictPorts,
  project: Project,
  signal: AbortSignal,
): Promise<Judged> {
  const { kind, failure, measured, comparison } = trained;
  if (failure === null && isQuarantined(measured.labels)) {
    const request = { version, parent, hasPolicy: true, counted: measured.cleanScore };
    const clean = await ports.reevaluateClean(request, project, signal);
    return {
      verdict: decideVersion({ ...trained, clean }),
      evidence: {
        cleanScore: clean.score,
        cleanBy: clean.by,
        ...(clean.because === null ? {} : { cleanBecause: clean.because }),
      },
      decision: {},
    };
  }
  if (kind !== "change" || failure !== null || parent === null || comparison === null)
    return told(decideVersion(trained), trained, null);
  const subtraction = await ports.subtraction({ version, parent }, project);
  if (subtraction !== null) return told(decideVersion({ ...trained, subtraction }), trained, null);
  const hypothesis = await ports.hypothesisResult({ version, parent, comparison }, project);
  return told(decideVersion({ ...trained, hypothesis }), trained, hypothesis);
}

function told(
  verdict: Judged["verdict"],
  { measured }: Pick<VersionToJudge, "measured">,
  hypothesis: HypothesisResult | null,
): Judged {
  return {
    verdict,
    evidence: { cleanScore: measured.cleanScore },
    decision: hypothesis === null ? {} : { hypothesis },
  };
}
