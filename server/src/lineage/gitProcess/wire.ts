import { HarnessError, reasons, type Reason } from "../../base/errors.ts";
import type { GitOptions } from "./commands.ts";
import { GitError } from "./gitError.ts";
import type { ProgramCommand, ProgramEnd, ProgramStart } from "./program.ts";

/** A git command, and all that it depends on. */
export interface GitCommand extends GitOptions {
  readonly directory: string;
  readonly config: readonly string[];
  readonly base: Record<string, string>;
  readonly args: readonly string[];
}

export interface GitRequest {
  readonly id: number;
  /** text: standard output without its last newline. bytes: as it is. stream: piece by piece as it comes. */
  readonly answer: "text" | "bytes" | "stream";
  readonly command: GitCommand;
}

/** Another program, which is told of when it was started and when it has ended. */
export interface ProgramRequest {
  readonly id: number;
  readonly answer: "program";
  readonly command: ProgramCommand;
}

export type Request = GitRequest | ProgramRequest;

/** An error as it crosses from one process to another; classes do not. */
interface SentError {
  readonly message: string;
  readonly reason: Reason | null;
  /** Of a git command that failed. */
  readonly git: { readonly exitCode: number | null; readonly stderr: string } | null;
}

/** The last reply to a stream has no output: its pieces came before. */
export type Reply = { readonly id: number } & (
  | { readonly piece: Uint8Array }
  | { readonly started: ProgramStart }
  | { readonly ended: ProgramEnd }
  | { readonly output: string | Uint8Array }
  | { readonly error: SentError }
);

export function sentError(e: unknown): SentError {
  const message = e instanceof Error ? e.message : String(e);
  const reason = HarnessError.is(e) ? e.reason : null;
  return {
    ...{ message, reason },
    git: e instanceof GitError ? { exitCode: e.exitCode, stderr: e.stderr } : null,
  };
}

export function receivedError({ message, reason, git }: SentError): Error {
  const known = reasons.find((one) => one === reason);
  if (git !== null)
    return new GitError(message, { ...git, ...(known === undefined ? {} : { reason: known }) });
  return known === undefined ? new Error(message) : new HarnessError(known, message);
}
