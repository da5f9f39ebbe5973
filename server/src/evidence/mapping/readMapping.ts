import { isMap, isScalar, LineCounter, type Document } from "yaml";
import { parseYaml } from "../../base/yaml.ts";
import { EvidenceMapping } from "../../../../shared/spec/evidenceMapping.ts";
import type { MetricNames } from "../../../../shared/spec/metricNames.ts";
import { messageOf } from "../../base/errors.ts";
import { isList, isRecord } from "../../expression/values.ts";
import { compileMapping, type FilePlace, type RecordMapper } from "./compileMapping.ts";

/** A mapping file that is ready to use. */
export interface Mapping {
  readonly spec: EvidenceMapping;
  readonly map: RecordMapper;
  readonly placed: FilePlace;
  /** Fields of the contract that it leaves out. */
  readonly missing: readonly string[];
}

export type ReadMapping =
  | { readonly ok: true; readonly mapping: Mapping }
  | { readonly ok: false; readonly problems: readonly string[] };

const maxLength = 1_000_000;
const failed = (...problems: string[]): ReadMapping => ({ ok: false, problems });
const sentence = (text: string): string => {
  const line = text.split("\n", 1)[0]?.trim() ?? "";
  return /[.!?]$/.test(line) ? line : `${line}.`;
};

const plainOf = (document: Document.Parsed): unknown => document.toJS({ maxAliasCount: 100 });

/** Reads, checks and compiles the text of a `*.evidence.yaml`. Never throws on bad input; each problem is a sentence. */
export function readMapping(text: string): ReadMapping {
  if (text.length > maxLength)
    return failed("This file is longer than 1,000,000 characters and is not read.");
  const lines = new LineCounter();
  const document = parseYaml(text, { lineCounter: lines });
  if (document.errors.length > 0)
    return failed(
      ...document.errors.map((e) => `Line ${lines.linePos(e.pos[0]).line}: ${sentence(e.message)}`),
    );
  let plain: unknown;
  try {
    plain = plainOf(document);
  } catch (e) {
    return failed(sentence(messageOf(e)));
  }
  const parsed = EvidenceMapping.safeParse(plain);
  if (!parsed.success)
    return failed(
      ...parsed.error.issues.map(
        ({ path, message }) => `${path.length > 0 ? `${path.join(".")}: ` : ""}${sentence(message)}`,
      ),
    );
  const { fields } = parsed.data;
  if (fields === undefined)
    return failed("It maps no records: it has only metricNames, which count in the folder of the file.");
  const compiled = compileMapping({ ...parsed.data, fields });
  if (!compiled.ok)
    return failed(
      ...compiled.problems.map(({ field, expression, start, end, message }) => {
        const part = expression.slice(start, end);
        return `${field === "run" || field === "version" ? "" : "fields."}${field}: ${message}${part === expression || part === "" ? "" : ` (at ${part})`}`;
      }),
    );
  const { map, placed, missing } = compiled;
  return { ok: true, mapping: { spec: parsed.data, map, placed, missing } };
}

/** What a mapping says of the names of training metrics; undefined for one that says nothing of them, or is none. */
export function metricNamesIn(text: string): MetricNames | undefined {
  // Most mappings say nothing of them.
  if (text.length > maxLength || !text.includes("metricNames")) return undefined;
  const document = parseYaml(text);
  if (document.errors.length > 0) return undefined;
  try {
    const parsed = EvidenceMapping.safeParse(plainOf(document));
    return parsed.success ? parsed.data.metricNames : undefined;
  } catch {
    // Its anchors unfold without end: whoever imports with it is told so.
    return undefined;
  }
}

/** The keys under metricNames as they are written, whether or not there are such metrics; none where it cannot be read. */
export function namedRoles(text: string): readonly string[] {
  if (text.length > maxLength || !text.includes("metricNames")) return [];
  const document = parseYaml(text);
  if (document.errors.length > 0) return [];
  const names = document.get("metricNames");
  return isMap(names) ? names.items.map(({ key }) => String(isScalar(key) ? key.value : key)) : [];
}

/** Whether a mapping names metrics and maps no records. */
export const namesMetricsOnly = (text: string): boolean =>
  metricNamesIn(text) !== undefined && !/^fields\s*:/m.test(text);

/** Whether a mapping is meant for files of this name: `*` stands for any text, `?` for one character. */
export function isMappedFile({ match = [] }: EvidenceMapping, fileName: string): boolean {
  return match.some((glob) => matchesGlob(glob, fileName));
}

/** Linear in practice: after a star only the last one is tried again. */
function matchesGlob(glob: string, name: string): boolean {
  let [g, n, star, from] = [0, 0, -1, 0];
  while (n < name.length) {
    if (g < glob.length && glob[g] === "*") [star, from, g] = [g, n, g + 1];
    else if (g < glob.length && (glob[g] === "?" || glob[g] === name[n])) [g, n] = [g + 1, n + 1];
    else if (star >= 0) [g, n, from] = [star + 1, from + 1, from + 1];
    else return false;
  }
  while (glob[g] === "*") g++;
  return g === glob.length;
}

/**
 * The records of a JSON document: the list at the mapping's path; without a path the elements of a list, or the document
 * itself. Undefined when there is no list at the path.
 */
export function recordsOf({ at }: EvidenceMapping, document: unknown): readonly unknown[] | undefined {
  if (at === undefined) return isList(document) ? document : [document];
  let found = document;
  for (const step of at.split(".")) {
    if (!isRecord(found) || !Object.hasOwn(found, step)) return undefined;
    found = found[step];
  }
  return isList(found) ? found : undefined;
}
