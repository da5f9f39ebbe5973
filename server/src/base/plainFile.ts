import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { codeOf } from "./errors.ts";

// A job may lay anything into its folder: a pipe on which a reader waits for ever, a link to a file of the user, a device.

const flags: Readonly<Record<string, number | undefined>> = constants;
/** Windows has neither of the two. */
const carefully = constants.O_RDONLY | (flags["O_NONBLOCK"] ?? 0);
const noLink = flags["O_NOFOLLOW"] ?? 0;

const isNone = (e: unknown): boolean =>
  ["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "EISDIR", "EOPNOTSUPP"].includes(codeOf(e) ?? "");

/**
 * Opens a plain file, and waits for nothing. Undefined where there is none, or something else in its place. `isFollowed`: a
 * link to a plain file counts as one, for files that the user named.
 */
export async function openPlain(
  path: string,
  { isFollowed = false }: { readonly isFollowed?: boolean } = {},
): Promise<FileHandle | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, carefully | (isFollowed ? 0 : noLink));
  } catch (e) {
    if (isNone(e)) return undefined;
    throw e;
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}

/** Whether a plain file is there, and no link. */
export async function isPlain(path: string): Promise<boolean> {
  const file = await openPlain(path);
  await file?.close();
  return file !== undefined;
}

/** The first bytes of a plain file as text. @throws where there is none, or something else in its place */
export function readPlainSync(
  path: string,
  bytes: number,
): { readonly text: string; readonly modified: Date } {
  const file = openSync(path, carefully | noLink);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error(`${path} is not a plain file.`);
    const buffer = Buffer.alloc(Math.min(bytes, found.size));
    const read = readSync(file, buffer, 0, buffer.length, 0);
    return { text: buffer.toString("utf8", 0, read), modified: found.mtime };
  } finally {
    closeSync(file);
  }
}
