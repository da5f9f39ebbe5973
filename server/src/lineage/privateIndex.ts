import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs `work` with the environment of an index file of its own, so that the user's index is never read or written. */
export async function withPrivateIndex<T>(
  work: (env: Record<string, string>, file: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "evotrainer-index-"));
  try {
    const file = join(folder, "index");
    return await work({ GIT_INDEX_FILE: file }, file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
