/**
 * Why an expected failure happened. Callers branch on the reason, never on the message; each message is one sentence
 * that says what was wrong, where, and what to do.
 */
export const reasons = [
  "projectMissing",
  "projectInvalid",
  "specInvalid",
  "badInput",
  "notFound",
  "gitMissing",
  "notARepository",
  "noCommits",
  "gitFailed",
  "refMoved",
  "ledgerInvalid",
  "storeBusy",
  "releaseMismatch",
  "ownerLost",
  "storeFailed",
  "unsupportedFileSystem",
  "diskFull",
  "jobFailed",
  "hostUnreachable",
  "hostRefused",
  "gateWaiting",
  "budgetSpent",
  "nothingLeft",
  "revisionRefused",
  "notComparable",
  "cancelled",
] as const;
export type Reason = (typeof reasons)[number];

/** Code that is loaded when it is needed may come as a second copy of this module; its errors are known by this. */
const mark = Symbol.for("evotrainer.HarnessError");

/** An expected failure. Anything else that is thrown is a bug. */
export class HarnessError extends Error {
  readonly [mark] = true;
  readonly reason: Reason;
  constructor(reason: Reason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "HarnessError";
    this.reason = reason;
  }

  static is(e: unknown, reason?: Reason): e is HarnessError {
    if (!(e instanceof Error && mark in e && "reason" in e)) return false;
    return reason === undefined || e.reason === reason;
  }
}

/** The message of anything that was thrown. */
export function messageOf(e: unknown): string {
  return e instanceof Error ? e.message : String(e);
}

/** The errno code of a system error, e.g. ENOENT. */
export function codeOf(e: unknown): string | undefined {
  return e instanceof Error && "code" in e && typeof e.code === "string" ? e.code : undefined;
}

/** For the default arm of a switch over a closed union: a new member will not compile until it is handled. */
export function assertNever(value: never): never {
  throw new Error(`Unhandled value: ${JSON.stringify(value)}`);
}
