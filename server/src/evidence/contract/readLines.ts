import { lstat, type FileHandle } from "node:fs/promises";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { openPlainFile } from "../../base/plainFile.ts";
import { LineSplitter, type Line } from "./lines.ts";

const chunkBytes = 4 * 1024 * 1024;
const firstBytes = 64 * 1024;

/**
 * `isFollowed`: a link to a file may stand for it, as where a user named it; a job could lay one to any file.
 * @throws HarnessError notFound, badInput
 */
export async function openEvidence(path: string, { isFollowed = true } = {}): Promise<FileHandle> {
  try {
    const file = await openPlainFile(path, { links: isFollowed ? "followed" : "refused" });
    if (file !== undefined) return file;
    await lstat(path);
    throw new HarnessError("badInput", `${path} is not a regular file; give the path of a JSONL file.`);
  } catch (e) {
    if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR")
      throw new HarnessError("notFound", `There is no file ${path}.`, { cause: e });
    if (codeOf(e) === "EACCES" || codeOf(e) === "EISDIR")
      throw new HarnessError(
        "badInput",
        `${path} cannot be read (${codeOf(e) ?? ""}); check its permissions.`,
        {
          cause: e,
        },
      );
    throw e;
  }
}

/**
 * Streams the lines of an open file from a byte offset to `end` or its present end, in batches that came from one read. The
 * last batch may hold one line that is not complete. Memory stays at one chunk plus one line.
 */
export async function* readLines(
  file: FileHandle,
  offset: number,
  end = Infinity,
): AsyncGenerator<Iterable<Line>> {
  const splitter = new LineSplitter(offset);
  // A file that grows line by line is read again and again: memory is taken once there is much to read.
  let buffer = Buffer.allocUnsafe(firstBytes);
  for (let position = offset; ;) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - position), position);
    if (bytesRead === 0) break;
    position += bytesRead;
    yield splitter.push(buffer.subarray(0, bytesRead));
    if (buffer.length < chunkBytes && bytesRead === buffer.length) buffer = Buffer.allocUnsafe(chunkBytes);
  }
  const last = splitter.end();
  if (last !== undefined) yield [last];
}
