import { readFile, stat } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import type { ForeignFile } from "../adapters/adapter.ts";
import { parseForeignJson } from "./foreignJson.ts";
import { openEvidence, readLines } from "../readLines.ts";

const headBytes = 64 * 1024;
/** A document above this size is not parsed to find out what it is. */
const documentBytes = 64 * 1024 * 1024;

/** Opens a file for a look. What it parses is kept until the file is let go, so that detection and reading share it. */
export async function foreignFile(path: string): Promise<ForeignFile> {
  const absolute = resolve(path);
  const { size } = await stat(absolute);
  const head = await readHead(absolute);
  const folders = dirname(absolute).split(sep).filter(Boolean).reverse();
  let first: Promise<unknown> | undefined;
  let whole: Promise<unknown> | undefined;
  return {
    path: absolute,
    name: basename(absolute),
    folders,
    size,
    head,
    firstRecord: () => (first ??= looksLikeJson(head) ? firstRecord(absolute) : Promise.resolve(undefined)),
    document: () =>
      (whole ??=
        looksLikeJson(head) && size <= documentBytes
          ? parsedOrUndefined(absolute)
          : Promise.resolve(undefined)),
    beside: (relativePath) => besideOf(join(dirname(absolute), relativePath)),
  };
}

async function readHead(path: string): Promise<Buffer> {
  const file = await openEvidence(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function looksLikeJson(head: Buffer): boolean {
  return /^(?:\ufeff)?\s*[[{]/.test(head.toString("utf8", 0, 256));
}

async function firstRecord(path: string): Promise<unknown> {
  const file = await openEvidence(path);
  try {
    for await (const lines of readLines(file, 0))
      for (const line of lines) {
        const parsed = parseForeignJson(line);
        if (parsed.type === "blank") continue;
        return parsed.type === "record" ? parsed.record : undefined;
      }
    return undefined;
  } finally {
    await file.close();
  }
}

async function parsedOrUndefined(path: string): Promise<unknown> {
  const bytes = await readFile(path);
  const parsed = parseForeignJson({ start: 0, end: bytes.length, bytes, tooLong: false, complete: true });
  return parsed.type === "record" ? parsed.record : undefined;
}

async function besideOf(path: string): Promise<unknown> {
  try {
    return (await stat(path)).size <= documentBytes ? await parsedOrUndefined(path) : undefined;
  } catch (e) {
    if (HarnessError.is(e, "badInput")) throw e;
    return undefined;
  }
}
