import { dirname, join } from "node:path";
import { parseYaml } from "../../base/yaml.ts";
import { LineageMapping, saysLineage } from "../../../../shared/spec/lineageMapping.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import { firstLine, type ForeignLineage, type ForeignProblem } from "./foreign.ts";
import { mapRows, type MappedRow } from "./mapRows.ts";
import {
  fieldOf,
  isRecord,
  parseJson,
  parseJsonLines,
  parseTable,
  readText,
  type Read,
} from "./readSource.ts";

/** Whether a file is a mapping of lineages, by its name and its kind. */
export function isLineageMapping(name: string, head: string): boolean {
  return /\.evidence\.ya?ml$/i.test(name) && saysLineage(head);
}

/**
 * Reads a mapping file.
 * @throws HarnessError specInvalid with field and reason
 */
export function parseMapping(text: string, name: string): LineageMapping {
  const document = parseYaml(text);
  const error = document.errors[0];
  if (error !== undefined)
    throw new HarnessError("specInvalid", `The mapping ${name} is not YAML: ${firstLine(error.message)}.`);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (e) {
    // An alias without its anchor, or too many of them.
    throw new HarnessError("specInvalid", `The mapping ${name} is not YAML: ${firstLine(messageOf(e))}.`, {
      cause: e,
    });
  }
  const parsed = LineageMapping.safeParse(value);
  if (parsed.success) {
    const path = Object.keys(parsed.data.files).find((f) =>
      f.split("/").some((part) => /^(\.{0,2}|\.git)$/i.test(part)),
    );
    if (path !== undefined)
      throw new HarnessError(
        "specInvalid",
        `The mapping ${name} was refused: files: git does not allow the path "${path}".`,
      );
    return parsed.data;
  }
  const issue = parsed.error.issues[0];
  const where = issue?.path.map(String).join(".") ?? "";
  throw new HarnessError(
    "specInvalid",
    `The mapping ${name} was refused: ${where === "" ? "" : `${where}: `}${issue?.message.replace(/\.$/, "") ?? "it does not fit the schema"}.`,
  );
}

/**
 * A ledger of runs, read as its mapping says. `source` is a path and the name to call it by.
 * @throws HarnessError badInput when the mapping names a field that no row has
 */
export async function readMapped(
  mapping: LineageMapping,
  source: { path: string; name: string },
  mappingPath: string,
): Promise<ForeignLineage> {
  const ledger = await readRows(source, mapping);
  const outcomes =
    mapping.outcomes === undefined
      ? undefined
      : await readRows(besides(mappingPath, mapping.outcomes.source), mapping.outcomes);
  const lineage = mapRows(mapping, ledger.value, {
    file: source.name,
    ...(outcomes === undefined ? {} : { outcomes: outcomes.value }),
  });
  return { ...lineage, problems: [...ledger.problems, ...(outcomes?.problems ?? []), ...lineage.problems] };
}

/** A file that a mapping names: it lies beside the mapping or below. */
export function besides(mappingPath: string, path: string): { path: string; name: string } {
  return { path: join(dirname(mappingPath), path), name: path };
}

async function readRows(
  { path, name }: { path: string; name: string },
  how: Pick<LineageMapping, "format" | "rows">,
): Promise<Read<readonly MappedRow[]>> {
  const text = await readText(path, name);
  const ending = /\.(jsonl|ndjson|json|csv|tsv)$/i.exec(name)?.[1]?.toLowerCase();
  const format = how.format ?? (ending === "ndjson" ? "jsonl" : ending);
  const rows = parseRows(text.value, { name, format, rows: how.rows });
  return { value: rows.value, problems: [...text.problems, ...rows.problems] };
}

/** Pure: the rows of a text in one of the formats. */
export function parseRows(
  text: string,
  { name, format, rows: path }: { name: string; format: string | undefined; rows?: string | undefined },
): Read<readonly MappedRow[]> {
  if (format === "csv" || format === "tsv") {
    const table = parseTable(text, name, format === "csv" ? "," : "\t");
    return {
      value: table.value.rows.map(({ cells, line }) => ({ value: cells, line })),
      problems: table.problems,
    };
  }
  const problems: ForeignProblem[] = [];
  const rows: MappedRow[] = [];
  const take = (value: unknown, line: number | null, what: string): void => {
    if (isRecord(value)) rows.push({ value, line });
    else problems.push({ file: name, line, reason: `${what} is not an object` });
  };
  if (format === "json") {
    const json = parseJson(text, name);
    problems.push(...json.problems);
    const list = path === undefined ? json.value : fieldOf(json.value, path);
    if (Array.isArray(list)) for (const [i, row] of list.entries()) take(row, null, `row ${i}`);
    else if (json.value !== undefined)
      problems.push({
        file: name,
        line: null,
        reason: `${path === undefined ? "it" : `its field ${path}`} is not a list of rows`,
      });
  } else {
    const lines = parseJsonLines(text, name);
    problems.push(...lines.problems);
    for (const { value, line } of lines.value) take(value, line, "the line");
  }
  return { value: rows, problems };
}
