import type { GateName } from "../../../../shared/spec/gates.ts";
import type { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import type { Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { answersAt } from "./approval.ts";
import { isHarness } from "./harnessVersions.ts";
import { isProposal, isReadyToTrain } from "./proposal.ts";

/** The format that the ledger names for versions that runs became. */
export const runsFormat = "runs";

/** Whether a version is a run that `init --from` imported. */
export const isRun = ({ origin }: Pick<VersionRecord, "origin">): boolean => origin?.format === runsFormat;

/** A change of an imported run that a person approved. An imported run is not trained here, so a version of the evolution takes it over. */
export interface ApprovedOnRun {
  readonly version: string;
  readonly run: string;
  /** What it changes and claims; null where it was altered at its gate, so that nobody approved its own edits. */
  readonly spec: InterventionSpec | null;
}

/** The approved changes of imported runs that no version of the evolution has taken over, in the order of the lineage. */
export function approvedOnRuns({ versions }: Pick<Lineage, "versions">): ApprovedOnRun[] {
  const runs = runsIn(versions);
  return versions.flatMap((one) => {
    const { name, parent, hypothesis } = one;
    if (parent === null || !runs.has(parent) || !isProposal(one) || isHarness(one)) return [];
    if (!isReadyToTrain(one)) return [];
    // A version that an evolution left before it was trained takes nothing over.
    const isTakenOver = versions.some(
      (other) =>
        (other.jobs.length > 0 || other.decision !== undefined) &&
        !isOnRun(other, runs) &&
        isSameChange(other, one),
    );
    if (isTakenOver) return [];
    return [{ version: name, run: parent, spec: isAltered(one) ? null : (hypothesis?.spec ?? null) }];
  });
}

/** Who approved the same change, with the same claims, on an imported run: the last answer of this gate there; null without one. */
export function approvedAsOnRun(
  { versions }: Pick<Lineage, "versions">,
  version: VersionRecord,
  gate: GateName,
): { readonly by: string; readonly version: string } | null {
  const runs = runsIn(versions);
  if (version.hypothesis?.spec === undefined || isOnRun(version, runs)) return null;
  for (const other of versions) {
    if (!isOnRun(other, runs) || isAltered(other) || !isSameChange(version, other)) continue;
    const last = answersAt(other, gate).at(-1);
    if (last?.answer === "approve") return { by: last.by, version: other.name };
  }
  return null;
}

const runsIn = (versions: readonly VersionRecord[]): ReadonlySet<string> =>
  new Set(versions.filter(isRun).map(({ name }) => name));

const isOnRun = ({ parent }: VersionRecord, runs: ReadonlySet<string>): boolean =>
  parent !== null && runs.has(parent);

const isAltered = ({ approvals }: VersionRecord): boolean => approvals.some((a) => a.commit !== undefined);

/** Edits name the values that they replace, so equal edits are one change, whatever it is made of. */
function isSameChange(one: VersionRecord, other: VersionRecord): boolean {
  const [a, b] = [one.hypothesis?.spec, other.hypothesis?.spec];
  return a !== undefined && b !== undefined && termsText(a) === termsText(b);
}

const termsText = ({ edit, success, guardrails, factor }: InterventionSpec): string =>
  JSON.stringify([factor, edit, success, guardrails]);
