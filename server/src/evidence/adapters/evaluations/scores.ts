import { readFile } from "node:fs/promises";
import type { ZodError } from "zod";
import { ReportedScore } from "../../../../../shared/model/reportedScore.ts";
import { parseYaml } from "../../../base/yaml.ts";
import { Refusal, type Entry, type FileAdapter, type ForeignFile } from "../parts/adapter.ts";
import { tableRows } from "../parts/tableRows.ts";
import { isFields, listAt } from "../parts/untrusted.ts";

/** Scores of versions without their rollouts, such as a table in a paper has them: a row for each version, set and seed. */
export const scores: FileAdapter = {
  name: "scores",
  title: "scores without rollouts",
  note: {
    writer: "you, from a table or a report",
    files: "`scores.yaml`, `*.scores.yaml`, also `json`, `csv`, `tsv`",
    verdict: "none: there are no rollouts",
  },
  source: "docs/importing.md, shared/model/reportedScore.ts",
  provides: "scores",
  unit: "file",
  signature: ["version", "score", "n"],
  detect: (file) => formatOf(file) !== undefined,
  read,
  absent: {},
  inferred: {},
};

type Format = "json" | "yaml" | "csv" | "tsv";

const formats = new Map<string, Format>([
  ["json", "json"],
  ["yaml", "yaml"],
  ["yml", "yaml"],
  ["csv", "csv"],
  ["tsv", "tsv"],
]);

/** By the name alone: whoever calls a file so is told what is wrong in it. */
const formatOf = ({ name }: ForeignFile): Format | undefined =>
  formats.get(/(?:^|\.)scores\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "");

/** With `--as scores` any name will do. */
function formatByEnding({ name }: ForeignFile): Format {
  const format = formats.get(/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "");
  if (format === undefined)
    throw new Refusal("its name must end in .json, .yaml, .csv or .tsv to be read as scores");
  return format;
}

/** A record, or what the file has in its place. */
type Row =
  | { readonly record: number; readonly value: unknown }
  | Extract<Entry, { readonly problem: string } | { readonly waiting: number }>;

async function* read(file: ForeignFile): AsyncGenerator<Entry> {
  const seen = new Map<string, number>();
  const format = formatOf(file) ?? formatByEnding(file);
  const rows =
    format === "csv" || format === "tsv" ? rowsOfTable(file, format) : rowsOfDocument(file, format);
  for await (const row of rows) {
    if (!("value" in row)) {
      yield row;
      continue;
    }
    const { record, value } = row;
    const parsed = ReportedScore.safeParse(value);
    if (!parsed.success) {
      yield { record, problem: problemOf(parsed.error, value), raw: JSON.stringify(value).slice(0, 4096) };
      continue;
    }
    const { data } = parsed;
    const key = JSON.stringify([data.version, data.set ?? null, data.seed ?? null]);
    const earlier = seen.get(key);
    if (earlier === undefined) {
      seen.set(key, record);
      yield { record, drafts: [{ type: "score", ...data }] };
    } else
      yield {
        record,
        problem: `row ${earlier} already has a score of ${data.version} for the same set and seed; give each row a set or a seed`,
      };
  }
}

async function* rowsOfDocument(file: ForeignFile, format: Format): AsyncGenerator<Row> {
  const document = format === "json" ? await file.document() : await yamlOf(file);
  const rows: readonly unknown[] | undefined = Array.isArray(document)
    ? document
    : listAt(document, "scores");
  if (rows === undefined) throw new Refusal("it must be a list of scores, or have such a list under scores");
  yield* rows.map((value, i) => ({ record: i + 1, value }));
}

/** Larger than any table that a person writes; a YAML text takes many times its size in memory. */
const largestYaml = 4 * 1024 * 1024;

/** @throws Refusal */
async function yamlOf({ path, size }: ForeignFile): Promise<unknown> {
  if (size > largestYaml)
    throw new Refusal(`it is larger than ${largestYaml / 1024 / 1024} MiB; write it as CSV`);
  const document = parseYaml(await readFile(path, "utf8"));
  const [error] = document.errors;
  if (error !== undefined) throw new Refusal(`it is not YAML: ${error.message}`);
  return document.toJS({ maxAliasCount: 100 });
}

const numbers: ReadonlySet<string> = new Set(["score", "n", "items", "unknown", "seed", "seeds"]);

/** Cells are texts: those of a column of numbers become numbers, and an empty one is left out. */
async function* rowsOfTable(file: ForeignFile, format: "csv" | "tsv"): AsyncGenerator<Row> {
  for await (const item of tableRows(file, format)) {
    if (item.type === "row") {
      const cells = Object.entries(item.values).map(([name, text]) => [name.trim(), text.trim()] as const);
      const value = cells
        .filter(([, text]) => text !== "")
        .map(([name, text]) => [name, numbers.has(name) ? numberOr(text) : text]);
      yield { record: item.line, value: Object.fromEntries(value) as unknown };
    } else if (item.type === "problem")
      yield { record: item.line, problem: item.reason, raw: item.fields.join(",").slice(0, 4096) };
    else if (item.type === "waiting") yield { waiting: item.bytes };
  }
}

const numberOr = (text: string): number | string =>
  /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : text;

/** The first thing that is wrong, with what to write instead. */
function problemOf(error: ZodError, value: unknown): string {
  const [issue] = error.issues;
  const name = issue?.path.join(".") ?? "";
  const score = isFields(value) ? value["score"] : undefined;
  if (name === "score" && typeof score === "number" && score > 1)
    return `score must be a share from 0 to 1, not ${score}; divide a percentage by 100`;
  if (issue?.code === "unrecognized_keys")
    return `a score has no ${issue.keys.join(", ")}; it has ${Object.keys(ReportedScore.shape).join(", ")}`;
  return `${name === "" ? "the row" : name}: ${issue?.message ?? "cannot be read"}`;
}
