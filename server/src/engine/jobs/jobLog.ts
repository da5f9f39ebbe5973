import { join } from "node:path";
import type { LogPiece } from "../../../../shared/protocol/views/job.ts";
import { openPlainFile } from "../../base/plainFile.ts";
import { isOver } from "../../runner/job/executor.ts";
import { executorOf } from "./jobList.ts";
import { lookUpJob } from "./lookUp.ts";
import { definePlainService } from "../workspace/service.ts";

/**
 * A piece of what a job printed, of whole characters: one that a piece would cut in two belongs to the next piece.
 * Works for jobs that run, and for those that ended however they did. @throws HarnessError notFound, badInput
 */
export const jobsLog = definePlainService("jobs.log", {
  repeatable: true,
  async run({ root }, { job, stream, offset, limit }) {
    const executor = executorOf(root);
    // Asked first: what is written before the end is then certainly read.
    const over = isOver((await lookUpJob(executor, job)).status);
    return { ...(await readPiece(join(executor.directoryOf(job), `${stream}.log`), offset, limit)), over };
  },
});

/** The bytes of a file that is no link from an offset on, as text. An offset behind the end means that the file began anew. */
export async function readPiece(
  path: string,
  offset: number | undefined,
  limit: number,
): Promise<Omit<LogPiece, "over">> {
  const file = await openPlainFile(path);
  if (file === undefined) return { text: "", next: 0, size: 0, restarted: (offset ?? 0) > 0 };
  try {
    const { size } = await file.stat();
    const restarted = offset !== undefined && offset > size;
    const from = restarted ? 0 : (offset ?? Math.max(0, size - limit));
    const buffer = Buffer.alloc(Math.min(limit, size - from));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
    // Only where the end is asked for may a piece begin within a character.
    const bytes = buffer.subarray(0, bytesRead);
    const begin = offset === undefined && from > 0 ? Math.max(0, bytes.findIndex(startsCharacter)) : 0;
    const held = cutCharacter(bytes);
    return {
      text: bytes.toString("utf8", begin, bytesRead - held),
      next: from + bytesRead - held,
      size,
      restarted,
    };
  } finally {
    await file.close();
  }
}

const startsCharacter = (byte: number): boolean => (byte & 0xc0) !== 0x80;

/** How many bytes at the end begin a character of UTF-8 that goes on behind them. */
function cutCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (!startsCharacter(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}
