import { lstat, mkdir, open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Git, GitOptions } from "./git.ts";
import type { Repository } from "./repository.ts";

/** So much of what git has written is read at a time. */
const chunkBytes = 2 ** 20;
/** Who has read all that there is looks again after a pause in milliseconds, which doubles as long as git writes little. */
const [shortestPause, longestPause] = [2, 64];

let made = 0;

/**
 * Git whose long answers go through a file instead of a pipe. Through a pipe they come in pieces of a kilobyte or two, each of
 * which wakes this process: for the hundreds of megabytes of a long ledger that takes more processor time than to parse them.
 */
export function spooledGit({ git, commonDir }: Repository): Git {
  return {
    ...git,
    stream: async (args, onChunk, options = {}) => {
      const file = await openSpool(join(commonDir, "evotrainer"));
      if (file === undefined) return git.stream(args, onChunk, options);
      try {
        await throughFile(file, git, { args, onChunk, options });
      } finally {
        await file.close();
      }
    },
  };
}

/** A file without a name, so that nothing is left of it however this process ends; undefined where there can be none. */
async function openSpool(folder: string): Promise<FileHandle | undefined> {
  const path = join(folder, `reading-${process.pid}-${++made}`);
  let file: FileHandle | undefined;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // A repository that somebody else packed may lead elsewhere.
    if (!(await lstat(folder)).isDirectory()) return undefined;
    file = await open(path, "wx+", 0o600);
    await rm(path);
    return file;
  } catch {
    // A repository that may only be read, or a system that keeps the names of open files.
    await file?.close();
    await rm(path, { force: true }).catch(() => undefined);
    return undefined;
  }
}

interface Asked {
  readonly args: readonly string[];
  readonly onChunk: (chunk: Buffer) => void;
  readonly options: GitOptions;
}

/** Reads the file while git writes it. */
async function throughFile(file: FileHandle, git: Git, { args, onChunk, options }: Asked): Promise<void> {
  const progress = { hasEnded: false };
  const ran = git
    .stream(args, () => undefined, { ...options, output: file.fd })
    .finally(() => {
      progress.hasEnded = true;
    });
  // What goes wrong with git is told at the end, after the reading has stopped.
  ran.catch(() => undefined);
  try {
    let pause = shortestPause;
    let chunk = Buffer.allocUnsafeSlow(chunkBytes);
    for (let [at, filled] = [0, 0]; ;) {
      const wasLast = progress.hasEnded;
      const { bytesRead } = await file.read(chunk, filled, chunkBytes - filled, at);
      at += bytesRead;
      filled += bytesRead;
      if (filled === chunkBytes || (wasLast && bytesRead === 0)) {
        if (filled > 0) onChunk(chunk.subarray(0, filled));
        if (filled < chunkBytes) break;
        [chunk, filled, pause] = [Buffer.allocUnsafeSlow(chunkBytes), 0, shortestPause];
      } else if (!wasLast) {
        // Either ends the pause: more time, or the end of git.
        await Promise.race([delay(pause), ran.catch(() => undefined)]);
        pause = Math.min(2 * pause, longestPause);
      }
    }
  } finally {
    await ran.catch(() => undefined);
  }
  await ran;
}
