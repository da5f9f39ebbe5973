import { quoteForMessage } from "../../reading/bytes.ts";
import type { Adapter, ForeignFile } from "../adapters/parts/adapter.ts";
import { allAdapters } from "../adapters/registry.ts";
import { firstRecord } from "../adapters/traces/records.ts";
import { isFields } from "../adapters/parts/untrusted.ts";

const shownKeys = 8;

/**
 * Why a file has no format, as a clause: what its first record is made of, and which formats that is close to. A format is
 * close if the record has at least two, and more than half, of the fields that tell it.
 */
export async function whyUnknown(file: ForeignFile): Promise<string> {
  const plain = "it is in no known format";
  const packed = packings.find(({ magic }) => file.head.subarray(0, magic.length).equals(magic));
  if (packed !== undefined) return packed.said;
  const keys = await keysOf(file);
  if (keys.length === 0) return (await isCut(file)) ? `${plain}: ${cut}` : plain;
  const more = keys.length > shownKeys ? ` and ${keys.length - shownKeys} more` : "";
  const shown = keys.slice(0, shownKeys).map(quoteForMessage).join(", ");
  const close = (await allAdapters()).flatMap((adapter) => closeness(adapter, new Set(keys)));
  return `${plain}; its first record has ${shown}${more}${close.join("")}`;
}

const utf16 = "it is text in UTF-16, and only UTF-8 is read: convert it, e.g. with iconv -f UTF-16 -t UTF-8";
const compressed = (how: string): string => `it is compressed with ${how}: unpack it first`;
const cut = "it begins like JSON, and its first line is not a whole value";

/** What a file is by its first bytes, where its text cannot be read. */
const packings: readonly { readonly magic: Buffer; readonly said: string }[] = [
  { magic: Buffer.from([0xff, 0xfe]), said: utf16 },
  { magic: Buffer.from([0xfe, 0xff]), said: utf16 },
  { magic: Buffer.from([0x1f, 0x8b]), said: compressed("gzip") },
  { magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), said: compressed("zstd") },
];

async function isCut(file: ForeignFile): Promise<boolean> {
  if (!/^(?:\ufeff)?\s*[[{]\s*"/.test(file.head.toString("utf8", 0, 256))) return false;
  return ((await file.firstRecord()) ?? (await file.document())) === undefined;
}

async function keysOf(file: ForeignFile): Promise<readonly string[]> {
  try {
    const first = await firstRecord(file);
    return isFields(first) ? Object.keys(first) : [];
  } catch {
    // What it is made of is told where it can be read.
    return [];
  }
}

function closeness({ name, provides, signature = [] }: Adapter, keys: ReadonlySet<string>): string[] {
  const has = signature.filter((key) => keys.has(key));
  if (has.length < 2 || has.length * 2 <= signature.length) return [];
  const lacks = signature.filter((key) => !keys.has(key));
  // Scores are told by the name of their file.
  const other = provides === "scores" ? "under another name" : "with other values";
  const how = lacks.length === 0 ? other : `without ${lacks.join(" and ")}`;
  return [`; that is close to ${name}, ${how}: if it is that, --as ${name} reads it`];
}
