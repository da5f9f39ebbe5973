import { HarnessError } from "../../base/errors.ts";

/** The lines of a patch, and the one that is read next. */
export interface PatchLines {
  readonly lines: readonly string[];
  at: number;
}

/** Why a patch is not taken. */
export const refused = (message: string): HarnessError => new HarnessError("badInput", message);

/** A line of the patch for a message; the sentence goes on after it. */
export function shown(line: string): string {
  return `${JSON.stringify(line.length > 60 ? `${line.slice(0, 59)}…` : line)}.`;
}
