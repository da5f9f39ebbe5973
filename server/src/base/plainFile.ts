import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { codeOf } from "./errors.ts";

// What lies in the folder of a job may have been made by the job. A pipe in the place of a file keeps whoever opens it waiting
// for ever, a device never ends, and a link may lead to what the job was not to see.

/** Windows knows neither flag, and has no such pipes among its files. */
const [withoutWaiting, throughNoLink] =
  process.platform === "win32" ? [0, 0] : [constants.O_NONBLOCK, constants.O_NOFOLLOW];

/** Opens for reading; other than a plain file it opens without waiting for somebody at the other end. */
export const toRead = constants.O_RDONLY | withoutWaiting;
const toReadItself = toRead | throughNoLink;

/** What stands for "there is no such file": also a link where none is followed, and a socket. */
const isNone = (e: unknown): boolean =>
  ["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "EISDIR", "EOPNOTSUPP"].includes(codeOf(e) ?? "");

/** Opens a plain file for reading, through links unless they are refused; undefined where there is none. */
export async function openPlainFile(
  path: string,
  { links = "refused" }: { readonly links?: "followed" | "refused" } = {},
): Promise<FileHandle | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, links === "followed" ? toRead : toReadItself);
  } catch (e) {
    // Where links are followed, a loop of them is worth a word.
    if (isNone(e) && !(links === "followed" && codeOf(e) === "ELOOP")) return undefined;
    throw e;
  }
  try {
    if ((await file.stat()).isFile()) return file;
  } catch (e) {
    await file.close();
    throw e;
  }
  await file.close();
  return undefined;
}

/** Whether a plain file is there, and no link. */
export async function isPlain(path: string): Promise<boolean> {
  const file = await openPlainFile(path);
  await file?.close();
  return file !== undefined;
}

/** The text of a plain file that is no link; undefined where there is none. */
export async function readPlainText(path: string): Promise<string | undefined> {
  const file = await openPlainFile(path);
  try {
    return await file?.readFile("utf8");
  } finally {
    await file?.close();
  }
}

/** The first bytes of a plain file that is no link, and when it was written; undefined where there is none. */
export function readPlainHead(
  path: string,
  most: number,
): { readonly bytes: Buffer; readonly modified: Date } | undefined {
  let file: number;
  try {
    file = openSync(path, toReadItself);
  } catch (e) {
    if (isNone(e)) return undefined;
    throw e;
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(most, found.size));
    return { bytes: bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0)), modified: found.mtime };
  } finally {
    closeSync(file);
  }
}
