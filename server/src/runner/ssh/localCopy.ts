import { constants } from "node:fs";
import { lstat, open, type FileHandle } from "node:fs/promises";
import { codeOf } from "../../base/errors.ts";
import { NoRoom } from "./room.ts";

/** Windows knows no such flag. */
const noFollow = process.platform === "win32" ? 0 : constants.O_NOFOLLOW;

/**
 * A file here that takes over another one from its beginning. Bytes are written at their place: whoever brings the same
 * ones a second time, another process say, doubles nothing.
 */
export class LocalCopy {
  readonly #file: FileHandle;
  readonly #path: string;
  /** How much is here. */
  size: number;

  private constructor(path: string, file: FileHandle, size: number) {
    this.#path = path;
    this.#file = file;
    this.size = size;
  }

  /** Opens a copy, or makes one; never through a link. */
  static async open(path: string): Promise<LocalCopy> {
    const file = await open(path, constants.O_WRONLY | constants.O_CREAT | noFollow, 0o600);
    try {
      return new LocalCopy(path, file, (await file.stat()).size);
    } catch (e) {
      await file.close();
      throw e;
    }
  }

  /** @throws NoRoom */
  async append(parts: readonly Buffer[]): Promise<void> {
    try {
      let left = parts;
      while (left.length > 0) {
        const { bytesWritten } = await this.#file.writev(left.slice(0, 1000), this.size);
        this.size += bytesWritten;
        left = after(left, bytesWritten);
      }
    } catch (e) {
      if (codeOf(e) !== "ENOSPC" && codeOf(e) !== "EDQUOT") throw e;
      throw new NoRoom(`The disk is full: could not write ${this.#path}; free some space.`, { cause: e });
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** What is left of parts of which some bytes were written. */
function after(parts: readonly Buffer[], written: number): Buffer[] {
  let skip = written;
  return parts.flatMap((part) => {
    const cut = Math.min(skip, part.length);
    skip -= cut;
    return cut === part.length ? [] : [part.subarray(cut)];
  });
}

/** Bytes that a copy holds; 0 where there is none, and for a link, which nobody writes through. */
export async function sizeOfCopy(path: string): Promise<number> {
  try {
    const entry = await lstat(path);
    return entry.isFile() ? entry.size : 0;
  } catch (e) {
    if (codeOf(e) === "ENOENT") return 0;
    throw e;
  }
}
