import { counted } from "./numbers.ts";

/** What became of an evidence file after its run was closed. */
export interface EvidenceChange {
  readonly run: string;
  /** The file's name in the folder of the run. */
  readonly file: string;
  readonly what: "grown" | "changed";
  /** How many bytes of it count. */
  readonly counts: number;
  /** How many it has now. */
  readonly bytes: number;
}

/** One sentence that says what happened to a file of a closed run, what of it counts, and what to do. */
export function evidenceChangeText({ run, file, what, counts, bytes }: EvidenceChange): string {
  return what === "grown"
    ? `Something added ${counted(bytes - counts, "byte")} to ${file} of the run ${run} after its job had ended. They count nowhere. Find out which program wrote them, and ${counts === 0 ? "delete the file" : `cut the file back to ${counted(counts, "byte")}`} to end this warning.`
    : `Something changed ${file} of the run ${run} after its job had ended. The archive keeps what it had read before and does not read the file again. Find out which program did it, and put the file back as it was to end this warning.`;
}

/** Whether somebody has to know: the keeper of a job may write a last line about its GPUs after the job has ended. */
export const isTold = ({ file, what }: EvidenceChange): boolean => what === "changed" || file !== "gpu.jsonl";
