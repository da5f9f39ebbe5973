import { isUtf8 } from "node:buffer";
import { open, type FileHandle } from "node:fs/promises";
import { codeOf, HarnessError } from "../base/errors.ts";
import { toRead } from "../base/plainFile.ts";

/** Bytes as they arrive: of a file from `fileBytes`, or of a member of an archive from `ZipArchive.stream`. */
export type ByteStream = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

const chunkBytes = 256 * 1024;

/**
 * Opens a regular file for reading.
 * @throws HarnessError notFound, badInput
 */
export async function openFile(path: string): Promise<FileHandle> {
  try {
    const file = await open(path, toRead);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw new HarnessError("badInput", `${path} is not a regular file; give the path of a file.`);
  } catch (e) {
    const code = codeOf(e);
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new HarnessError("notFound", `There is no file ${path}.`, { cause: e });
    if (code === "EACCES" || code === "EPERM" || code === "EISDIR" || code === "EIO")
      throw new HarnessError("badInput", `${path} cannot be read (${code}); check its permissions.`, {
        cause: e,
      });
    throw e;
  }
}

/**
 * Streams a file from a byte offset to its present end. Each chunk is a buffer of its own, so it may be kept.
 * @throws HarnessError notFound, badInput
 */
export async function* fileBytes(path: string, offset = 0): AsyncGenerator<Buffer> {
  const file = await openFile(path);
  try {
    for (let position = offset; ;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** A view of the same bytes with the methods of Buffer. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** All bytes of a stream, or nothing when there are more than `limit`; what lies beyond is not read. */
export async function collectBytes(stream: ByteStream, limit: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > limit) return undefined;
    parts.push(bufferOf(chunk));
  }
  return parts.length === 1 ? parts[0] : Buffer.concat(parts, length);
}

/** Where the first byte lies that is not UTF-8, or nothing when all of it is. */
export function firstInvalidUtf8(bytes: Buffer): number | undefined {
  if (isUtf8(bytes)) return undefined;
  // Decoding replaces what is invalid by U+FFFD; the first one that the bytes do not spell out is the place.
  const text = bytes.toString("utf8");
  let offset = 0;
  for (let from = 0; ;) {
    const at = text.indexOf("\ufffd", from);
    if (at === -1) return bytes.length;
    offset += Buffer.byteLength(text.slice(from, at));
    if (!bytes.subarray(offset, offset + 3).equals(replacement)) return offset;
    offset += 3;
    from = at + 1;
  }
}

const replacement = Buffer.from("\ufffd");

/** Text of a file as it may stand in a message: on one line, quoted, at most 80 characters. */
export function quoteForMessage(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
