import { readFile, stat } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { maxWholeDocument, type ForeignFile } from "../adapters/parts/adapter.ts";
import { parseForeignJson, type ForeignJson } from "../adapters/parts/foreignJson.ts";
import { openEvidence, readLines } from "../contract/readLines.ts";
import { parquetHead, type ParquetHead } from "../../reading/parquet.ts";

const headBytes = 64 * 1024;

/** Opens a file for a look. What it parses is kept until the file is let go, so that detection and reading share it. */
export async function foreignFile(path: string): Promise<ForeignFile> {
  const absolute = resolve(path);
  const { size, head } = await readHead(absolute);
  const folders = dirname(absolute).split(sep).filter(Boolean).reverse();
  let first: Promise<unknown> | undefined;
  let whole: Promise<Parsed | undefined> | undefined;
  let table: Promise<ParquetHead> | undefined;
  const nonFinite = new Map<string, number>();
  const valueOf = (document: string, parsed: Parsed | undefined): unknown => {
    if (parsed !== undefined && parsed.nonFinite > 0) nonFinite.set(document, parsed.nonFinite);
    return parsed?.record;
  };
  return {
    path: absolute,
    name: basename(absolute),
    folders,
    size,
    head,
    firstRecord: () =>
      (first ??= looksLikeJson(head) ? firstRecord(absolute, head, size) : Promise.resolve(undefined)),
    document: async () => {
      whole ??=
        looksLikeJson(head) && size <= maxWholeDocument
          ? parsedOrUndefined(absolute, size <= head.length ? head : undefined)
          : Promise.resolve(undefined);
      return valueOf(absolute, await whole);
    },
    parquet: () => (table ??= parquetHead(absolute)),
    beside: async (relativePath) => {
      const path = join(dirname(absolute), relativePath);
      return valueOf(path, await besideOf(path));
    },
    neighbour: (relativePath) => neighbourAt(join(dirname(absolute), relativePath)),
    nonFinite,
  };
}

async function neighbourAt(path: string): Promise<ForeignFile | undefined> {
  try {
    // Reading a named pipe would wait for a writer.
    return (await stat(path)).isFile() ? await foreignFile(path) : undefined;
  } catch {
    return undefined;
  }
}

async function readHead(path: string): Promise<{ size: number; head: Buffer }> {
  const file = await openEvidence(path);
  try {
    const { size } = await file.stat();
    const length = Math.min(size, headBytes);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, 0);
    return { size, head: buffer.subarray(0, bytesRead) };
  } finally {
    await file.close();
  }
}

function looksLikeJson(head: Buffer): boolean {
  return /^(?:\ufeff)?\s*[[{]/.test(head.toString("utf8", 0, 256));
}

async function firstRecord(path: string, head: Buffer, size: number): Promise<unknown> {
  // Most files need no second look: their first line lies in what was read already.
  const end = head.indexOf(0x0a);
  if (end > 0 || size <= head.length) {
    const bytes = end > 0 ? head.subarray(0, end) : head;
    const parsed = parseForeignJson({ start: 0, end, bytes, tooLong: false, complete: true });
    if (parsed.type !== "blank") return parsed.type === "record" ? parsed.record : undefined;
  }
  const file = await openEvidence(path);
  try {
    for await (const lines of readLines(file, 0))
      for (const line of lines) {
        const parsed = parseForeignJson(line);
        // A line that is too long costs itself: the next one says as well what the file is.
        if (parsed.type === "blank" || line.tooLong) continue;
        return parsed.type === "record" ? parsed.record : undefined;
      }
    return undefined;
  } finally {
    await file.close();
  }
}

type Parsed = Extract<ForeignJson, { readonly type: "record" }>;

async function parsedOrUndefined(path: string, read?: Buffer): Promise<Parsed | undefined> {
  const bytes = read ?? (await readWhole(path));
  const parsed = parseForeignJson({ start: 0, end: bytes.length, bytes, tooLong: false, complete: true });
  return parsed.type === "record" ? parsed : undefined;
}

/** @throws HarnessError notFound for a file that is gone by now, badInput */
async function readWhole(path: string): Promise<Buffer> {
  const file = await openEvidence(path);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function besideOf(path: string): Promise<Parsed | undefined> {
  try {
    const stats = await stat(path);
    // Reading a named pipe would wait for a writer.
    if (!stats.isFile() || stats.size > maxWholeDocument) return undefined;
    return await parsedOrUndefined(path, await readFile(path));
  } catch (e) {
    if (HarnessError.is(e, "badInput")) throw e;
    return undefined;
  }
}
