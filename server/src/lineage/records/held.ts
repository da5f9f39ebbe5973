import { isDoubtful } from "../../../../shared/ledger/newWayText.ts";
import type { VersionRecord } from "./versionRecord.ts";

/** Whether a kept version waits for a person by its own gain, whatever it was made of. */
export const isHeld = (version: VersionRecord): boolean =>
  version.decision?.decision === "keep" &&
  version.standing !== "claim" &&
  isHeldBack(version) &&
  !isApproved(version);

/** Whether an evolution goes on without a version, because its gain may be a shortcut, unless a person approves it. */
export const isHeldBack = ({ decision }: VersionRecord): boolean =>
  decision !== undefined && decision.held !== false && isDoubtful(decision);

/** Whether the last answer of a person at its completion gate lets it be promoted. */
export const isApproved = ({ approvals }: VersionRecord): boolean =>
  approvals.findLast(({ gate }) => gate === "completion")?.answer === "approve";
