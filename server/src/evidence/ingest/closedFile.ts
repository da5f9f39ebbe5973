import type { FileHandle } from "node:fs/promises";
import type { ClosedFile } from "../../../../shared/ledger/closing.ts";
import { digestOpen, stampOf } from "../../base/fileDigest.ts";

/** How a file of a closed run stands to what it was when the run was closed. */
export type Kept = "same" | "grown" | "changed";

/** A file that came into the folder after the run was closed: nothing of it counts. */
export const nothingClosed: Pick<ClosedFile, "bytes"> = { bytes: 0 };

/** Compares an open file with what it was. It is read only when somebody wrote to it, or it was moved, since then. */
export async function compareClosed(
  file: FileHandle,
  closed: ClosedFile | typeof nothingClosed,
): Promise<Kept> {
  const now = await file.stat({ bigint: true });
  const size = Number(now.size);
  if (size < closed.bytes) return "changed";
  if (!("sha256" in closed)) return size === 0 ? "same" : "grown";
  if (size === closed.bytes && stampOf(now) === closed.stamp) return "same";
  const { sha256 } = await digestOpen(file, { end: closed.bytes });
  if (sha256 !== closed.sha256) return "changed";
  return size === closed.bytes ? "same" : "grown";
}
