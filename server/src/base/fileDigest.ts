import { createHash, type Hash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { openPlainFile } from "./plainFile.ts";

/** What a file is, down to its last byte. */
export interface FileDigest {
  readonly bytes: number;
  readonly sha256: string;
  /**
   * Marks this content of this file on this machine: as long as the mark and the size are the same, nobody has written
   * to it, and it need not be read again. Undefined when somebody wrote while it was read.
   */
  readonly stamp: string | undefined;
}

/** The mark of a file as it is now. Its change time cannot be set by a program, other than its modification time. */
export const stampOf = ({ dev, ino, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${dev}.${ino}.${mtimeNs}.${ctimeNs}`;

const chunkBytes = 1024 * 1024;

/** Reads an open file once, up to a size or to its end; hands each piece on, which holds until the next. */
export async function digestOpen(
  file: FileHandle,
  { end = Infinity, onBytes }: { readonly end?: number; readonly onBytes?: (piece: Buffer) => void } = {},
): Promise<FileDigest> {
  const before = stampOf(await file.stat({ bigint: true }));
  const hash = createHash("sha256");
  const bytes = await readTo(file, end, { hash, onBytes });
  const isStill = stampOf(await file.stat({ bigint: true })) === before;
  return { bytes, sha256: hash.digest("hex"), stamp: isStill ? before : undefined };
}

async function readTo(
  file: FileHandle,
  end: number,
  { hash, onBytes }: { readonly hash: Hash; readonly onBytes: ((piece: Buffer) => void) | undefined },
): Promise<number> {
  const memory = Buffer.allocUnsafe(chunkBytes);
  let at = 0;
  for (;;) {
    const { bytesRead } = await file.read(memory, 0, Math.min(memory.length, end - at), at);
    if (bytesRead === 0) return at;
    const piece = memory.subarray(0, bytesRead);
    hash.update(piece);
    onBytes?.(piece);
    at += bytesRead;
  }
}

/** As `digestOpen`, of a plain file by its path; undefined where there is none. `isFollowed`: a link may stand for it, as where a user named it. */
export async function digestFile(
  path: string,
  {
    isFollowed = false,
    ...options
  }: Parameters<typeof digestOpen>[1] & { readonly isFollowed?: boolean } = {},
): Promise<FileDigest | undefined> {
  const file = await openPlainFile(path, { links: isFollowed ? "followed" : "refused" });
  if (file === undefined) return undefined;
  try {
    return await digestOpen(file, options);
  } finally {
    await file.close();
  }
}
