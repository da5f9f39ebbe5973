import { fileBytes } from "../../reading/bytes.ts";
import { readWithin } from "../../reading/arrayMember.ts";
import { readElements, type JsonItem } from "../../reading/elements.ts";
import { recordsOf, type Mapping } from "./readMapping.ts";
import { maxWholeDocument, Refusal, type Entry, type ForeignFile } from "../adapters/parts/adapter.ts";
import { parquetRows } from "../adapters/parts/parquetRows.ts";
import { nonFiniteIn, plainJson } from "../adapters/parts/plainJson.ts";
import { tableRows } from "../adapters/parts/tableRows.ts";

/** A record of a file before it is mapped, or what the file has in its place. */
export type MappedItem =
  | { readonly record: number; readonly value: unknown; readonly nonFinite?: number | undefined }
  | Exclude<Entry, { drafts: unknown }>;

type FileRecords = (spec: Mapping["spec"], file: ForeignFile) => AsyncGenerator<MappedItem>;

/**
 * The records of a file that is read as a whole, as the mapping says that it is cut. Tables count by line, the others by
 * record.
 */
export const fileRecords: Readonly<Record<"json" | "csv" | "tsv" | "parquet", FileRecords>> = {
  json: (spec, file) => (file.size > maxWholeDocument ? streamed(spec, file) : whole(spec, file)),
  csv: (_, file) => tableRecords(file, "csv"),
  tsv: (_, file) => tableRecords(file, "tsv"),
  parquet: (_, file) => parquetRecords(file),
};

async function* whole(spec: Mapping["spec"], file: ForeignFile): AsyncGenerator<MappedItem> {
  const document = await file.document();
  if (document === undefined) throw new Refusal("it is not a JSON document");
  const records = recordsOf(spec, document);
  if (records === undefined) throw new Refusal(`there is no list at ${spec.at ?? "the top of the document"}`);
  for (const [i, value] of records.entries()) yield { record: i + 1, value };
}

/** A document that is too large to be held: its records one by one, from a list at its top or under one key. */
async function* streamed({ at }: Mapping["spec"], file: ForeignFile): AsyncGenerator<MappedItem> {
  const tooLarge = `it is larger than ${maxWholeDocument / 1024 / 1024} MiB`;
  if (at?.includes(".") === true)
    throw new Refusal(
      `${tooLarge}, and the list at ${at} is not at the top of the document; write it as JSON lines`,
    );
  const isList = /^\ufeff?\s*\[/.test(file.head.toString("utf8"));
  if (isList !== (at === undefined))
    throw new Refusal(
      isList
        ? `there is no list at ${at ?? ""}: its top is a list`
        : `${tooLarge} and is not a list; give the path of the list of records with at:`,
    );
  const options = { name: file.name };
  const stream = fileBytes(file.path);
  const items = at === undefined ? readElements(stream, options) : readWithin(stream, at, options);
  let count = 0;
  for await (const item of items) {
    count++;
    yield ofElement(item);
    if (item.type === "problem" && item.torn) break;
  }
  if (count === 0 && at !== undefined) throw new Refusal(`there is no list with records at ${at}`);
}

function ofElement(item: JsonItem): MappedItem {
  const record = item.index + 1;
  if (item.type === "value") return { record, value: item.value, nonFinite: item.nonFinite?.count };
  if (item.torn) return { waiting: Math.max(1, item.end - item.start) };
  return { record, problem: item.reason };
}

/** Every value is a text, as it stands in the table. */
async function* tableRecords(file: ForeignFile, format: "csv" | "tsv"): AsyncGenerator<MappedItem> {
  for await (const item of tableRows(file, format)) {
    if (item.type === "row") yield { record: item.line, value: item.values };
    else if (item.type === "problem")
      yield { record: item.line, problem: item.reason, raw: item.fields.join("\t").slice(0, 4096) };
    else if (item.type === "waiting") yield { waiting: item.bytes };
  }
}

async function* parquetRecords(file: ForeignFile): AsyncGenerator<MappedItem> {
  let record = 0;
  for await (const row of parquetRows(file))
    yield { record: ++record, value: plainJson(row), nonFinite: nonFiniteIn(row) };
}
