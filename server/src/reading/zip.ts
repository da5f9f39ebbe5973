import type { FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { crc32, createInflateRaw } from "node:zlib";
import { fromRandomAccessReaderPromise, getFileNameLowLevel, type Entry, type ZipFile } from "yauzl";
import { size as sizeText } from "../../../shared/words/numbers.ts";
import { HarnessError, messageOf } from "../base/errors.ts";
import { openFile, quoteForMessage } from "./bytes.ts";
import { FileReader } from "./zipFileReader.ts";
import { decodeZstd } from "./zstd.ts";

export interface ZipLimits {
  /** Members of one archive. */
  readonly maxMembers: number;
  /** Bytes of one member, unpacked. */
  readonly maxMemberBytes: number;
  /** Bytes of all members together, unpacked, as declared; and bytes that one opened archive may give out. */
  readonly maxTotalBytes: number;
  /** Unpacked bytes per packed byte; members below 16 MiB may have any. Deflate cannot exceed 1,032. */
  readonly maxRatio: number;
}

const zipLimits: ZipLimits = {
  maxMembers: 200_000,
  maxMemberBytes: 1024 ** 3,
  maxTotalBytes: 64 * 1024 ** 3,
  maxRatio: 400,
};

export interface ZipMember {
  readonly name: string;
  /** Unpacked size as declared; reading refuses a member that has more or less. */
  readonly bytes: number;
  readonly packedBytes: number;
  /** Compression method of the zip format: 0 stored, 8 deflate, 93 zstd; any other is refused when it is read. */
  readonly method: number;
  readonly crc32: number;
  /** Where its local header lies in the archive. */
  readonly offset: number;
}

export interface ZipArchive {
  readonly path: string;
  /** In the order of the directory, without folders. A name that occurs twice is there twice. */
  readonly members: readonly ZipMember[];
  /** Names that more than one member has. */
  readonly duplicates: readonly string[];
  /**
   * Unpacks one member in bounded memory; size and checksum are held to the directory at the end of the stream.
   * @throws HarnessError badInput
   */
  stream(member: ZipMember): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

const anyRatioBelow = 16 * 1024 ** 2;
const chunkBytes = 64 * 1024;
const localHeaderBytes = 30;

/**
 * Opens a zip file and lists it. An archive with an unsafe name, an encrypted member, members that share bytes, or more
 * than the limits allow is refused as a whole: nobody's log has these by accident.
 * @throws HarnessError notFound, badInput
 */
export async function openZip(path: string, changed: Partial<ZipLimits> = {}): Promise<ZipArchive> {
  const limits = { ...zipLimits, ...changed };
  const file = await openFile(path);
  try {
    const size = (await file.stat()).size;
    const members = await listMembers({ path, file, size, limits });
    refuseOverlaps(path, members, size);
    let given = 0;
    return {
      path,
      members,
      duplicates: repeated(members.map((m) => m.name)),
      stream: (member) =>
        unpack({ path, file, size, limits }, member, (n) => {
          given += n;
          return given <= limits.maxTotalBytes;
        }),
      close: () => file.close(),
    };
  } catch (e) {
    await file.close();
    throw e;
  }
}

interface Opened {
  readonly path: string;
  readonly file: FileHandle;
  readonly size: number;
  readonly limits: ZipLimits;
}

async function listMembers({ path, file, size, limits }: Opened): Promise<ZipMember[]> {
  const refuse = (what: string): never => {
    throw new HarnessError("badInput", `The archive ${path} ${what}`);
  };
  const members: ZipMember[] = [];
  let total = 0;
  for await (const entry of entriesOf(path, file, size)) {
    const { generalPurposeBitFlag: flags, fileNameRaw: raw, extraFields } = entry;
    const name = getFileNameLowLevel(flags, raw, extraFields, true);
    const unsafe = unsafeName(name, raw);
    if (unsafe !== undefined)
      refuse(`has a member named ${quoteForMessage(name)}, which is ${unsafe}; it is not read.`);
    if (entry.isEncrypted())
      refuse(`has an encrypted member ${quoteForMessage(name)}; write it again without a password.`);
    if (name.endsWith("/") && entry.uncompressedSize === 0) continue;
    if (members.length === limits.maxMembers) refuse(`has more than ${limits.maxMembers} members; split it.`);
    total += entry.uncompressedSize;
    if (total > limits.maxTotalBytes)
      refuse(`unpacks to more than ${sizeText(limits.maxTotalBytes)} (a zip bomb?); it is not read.`);
    if (isBomb(entry.uncompressedSize, entry.compressedSize, limits))
      refuse(
        `has a member ${quoteForMessage(name)} that unpacks ${entry.compressedSize} bytes to ` +
          `${entry.uncompressedSize} (a zip bomb?); it is not read.`,
      );
    members.push({
      name,
      bytes: entry.uncompressedSize,
      packedBytes: entry.compressedSize,
      method: entry.compressionMethod,
      crc32: entry.crc32,
      offset: entry.relativeOffsetOfLocalHeader,
    });
  }
  return members;
}

async function* entriesOf(path: string, file: FileHandle, size: number): AsyncGenerator<Entry> {
  const damaged = (e: unknown): HarnessError =>
    new HarnessError(
      "badInput",
      `${path} is not a readable zip archive (${messageOf(e)}); write or copy it again.`,
      { cause: e },
    );
  let zip: ZipFile;
  try {
    // Names are decoded and checked here, so that a refusal says which one it was.
    const options = { autoClose: false, decodeStrings: false };
    zip = await fromRandomAccessReaderPromise(new FileReader(file, size), size, options);
  } catch (e) {
    throw damaged(e);
  }
  const entries = zip.eachEntry();
  for (;;) {
    let next: IteratorResult<Entry, unknown>;
    try {
      next = await entries.next();
    } catch (e) {
      throw damaged(e);
    }
    if (next.done === true) return;
    yield next.value;
  }
}

function unsafeName(name: string, raw: Buffer): string | undefined {
  if (name === "") return "empty";
  if (name.includes("\0") || raw.includes(0)) return "a text with a NUL character";
  if (name.includes("\\")) return "not a zip path (it has backslashes)";
  if (name.startsWith("/") || /^[a-z]:/i.test(name)) return "an absolute path";
  return name.split("/").includes("..") ? "a path that leaves the archive" : undefined;
}

const isBomb = (bytes: number, packed: number, { maxRatio }: ZipLimits): boolean =>
  bytes > anyRatioBelow && bytes > packed * maxRatio;

function refuseOverlaps(path: string, members: readonly ZipMember[], size: number): void {
  const sorted = [...members].sort((a, b) => a.offset - b.offset);
  for (const [i, member] of sorted.entries()) {
    const end = member.offset + localHeaderBytes + member.packedBytes;
    if (end > size)
      throw new HarnessError(
        "badInput",
        `The archive ${path} is cut off: its member ${quoteForMessage(member.name)} ends at byte ${end} of ${size}; copy it again.`,
      );
    const next = sorted[i + 1];
    if (next !== undefined && end > next.offset)
      throw new HarnessError(
        "badInput",
        `The archive ${path} has members ${quoteForMessage(member.name)} and ${quoteForMessage(next.name)} ` +
          `that share the same bytes (a zip bomb?); it is not read.`,
      );
  }
}

function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return [...new Set(names.filter((name) => seen.has(name) || !seen.add(name)))];
}

async function* unpack(
  archive: Opened,
  member: ZipMember,
  mayGive: (bytes: number) => boolean,
): AsyncGenerator<Buffer> {
  const { path, limits } = archive;
  const bad = (what: string, cause?: unknown): HarnessError =>
    new HarnessError(
      "badInput",
      `The member ${quoteForMessage(member.name)} of ${path} ${what}`,
      cause === undefined ? {} : { cause },
    );
  if (member.bytes > limits.maxMemberBytes)
    throw bad(`has ${sizeText(member.bytes)}, more than ${sizeText(limits.maxMemberBytes)}; split it.`);
  const packed = packedBytes(archive, member, bad);
  let [length, sum] = [0, 0];
  try {
    for await (const chunk of decode(packed, member.method)) {
      length += chunk.length;
      if (length > member.bytes)
        throw bad(`unpacks to more than the ${member.bytes} bytes that it declares; reading stops there.`);
      if (!mayGive(chunk.length))
        throw bad(`comes after ${sizeText(limits.maxTotalBytes)} of this archive; read it in parts.`);
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch (e) {
    if (e instanceof HarnessError) throw e;
    throw bad(`is damaged after ${length} bytes (${messageOf(e)}); copy the archive again.`, e);
  }
  if (length < member.bytes)
    throw bad(`ends after ${length} of ${member.bytes} bytes; copy the archive again.`);
  if (sum !== member.crc32) throw bad("does not match its checksum; copy the archive again.");
}

function decode(packed: AsyncIterable<Buffer>, method: number): AsyncIterable<Buffer> {
  if (method === 0) return packed;
  if (method === 8) return inflate(packed);
  if (method === 93) return decodeZstd(packed);
  throw new Error(`its compression method ${method} is not stored, deflate or zstd`);
}

async function* inflate(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const inflater = createInflateRaw({ chunkSize: chunkBytes });
  const done = pipeline(packed, inflater);
  done.catch(() => undefined); // Reading the stream below throws the same error.
  try {
    for await (const chunk of inflater) if (Buffer.isBuffer(chunk)) yield chunk;
    await done;
  } finally {
    inflater.destroy();
  }
}

async function* packedBytes(
  { file, size }: Opened,
  member: ZipMember,
  bad: (what: string) => HarnessError,
): AsyncGenerator<Buffer> {
  const header = Buffer.alloc(localHeaderBytes);
  await file.read(header, 0, localHeaderBytes, member.offset);
  if (header.readUInt32LE(0) !== 0x04034b50)
    throw bad(`has no header at byte ${member.offset}; copy the archive again.`);
  const start = member.offset + localHeaderBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
  const end = start + member.packedBytes;
  if (end > size) throw bad(`ends at byte ${end} of ${size}; copy the archive again.`);
  for (let at = start; at < end;) {
    const want = Math.min(chunkBytes, end - at);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(want), 0, want, at);
    if (bytesRead === 0) throw bad(`is cut off at byte ${at}; the file became shorter.`);
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
