import { HarnessError, type Reason } from "../../base/errors.ts";

/** A git command that failed: carries what a caller needs to tell one failure from another. */
export class GitError extends HarnessError {
  readonly exitCode: number | null;
  readonly stderr: string;
  constructor(message: string, details: { reason?: Reason; exitCode: number | null; stderr: string }) {
    super(details.reason ?? "gitFailed", message);
    this.name = "GitError";
    this.exitCode = details.exitCode;
    this.stderr = details.stderr;
  }
}
