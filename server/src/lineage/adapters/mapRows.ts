import { basename } from "node:path";
import type { Decision } from "../../../../shared/ledger/ledger.ts";
import type { FailureClass } from "../../../../shared/model/failureClass.ts";
import type { LineageMapping } from "../../../../shared/spec/lineageMapping.ts";
import { HarnessError } from "../../base/errors.ts";
import {
  cut,
  firstLine,
  type ForeignLineage,
  type ForeignNode,
  type ForeignOutcome,
  type ForeignProblem,
} from "./foreign.ts";
import { fieldOf, finite, isRecord, parseJson, textOf } from "./readSource.ts";
import { directionOf, isFailing, isPlaceholder, meaningOf, numberIn, timeIn } from "./vocabulary.ts";

export interface MappedRow {
  readonly value: Readonly<Record<string, unknown>>;
  readonly line: number | null;
}

/** Pure: rows as nodes. */
export function mapRows(
  mapping: LineageMapping,
  rows: readonly MappedRow[],
  { file, outcomes }: { file: string; outcomes?: readonly MappedRow[] },
): ForeignLineage {
  requireFields(mapping, rows);
  const problems: ForeignProblem[] = [];
  const nodes: ForeignNode[] = [];
  const trials = outcomes === undefined ? undefined : outcomesByNode(mapping, outcomes, problems);
  const { parent } = mapping.node;
  const gaps: Record<string, string> = {};
  for (const row of rows) {
    const key = idOf(fieldOf(row.value, mapping.node.id));
    if (key === undefined) {
      problems.push({ file, line: row.line, reason: `its field ${mapping.node.id} is empty` });
      continue;
    }
    const node = nodeOf(key, row, { mapping, file, trials });
    nodes.push({ ...node, parents: parentsOf(row, node, { parent, before: nodes, gaps }) });
  }
  const named = [...(mapping.metric === undefined ? [] : [mapping.metric]), ...mapping.metrics];
  const known = new Set(nodes.map((n) => n.key));
  const strangers = trials === undefined ? [] : [...trials.keys()].filter((id) => !known.has(id));
  for (const id of strangers.slice(0, 20))
    problems.push({
      file: mapping.outcomes?.source ?? file,
      line: null,
      reason: `its trials of ${id} match no row of ${file}`,
    });
  return {
    name: mapping.name,
    format: "mapping",
    nodes,
    metrics: Object.fromEntries(
      named.map((m) => [
        m.name ?? m.field,
        { direction: m.direction ?? directionOf(m.name ?? m.field), unit: m.unit ?? null },
      ]),
    ),
    problems,
    missing: missingIn(mapping),
    notes:
      typeof parent === "object"
        ? [
            parent.rule === "previous"
              ? "Parents by the mapping's rule: each row was made from the one before it."
              : "Parents by the mapping's rule: each row was made from the last one that was kept before it.",
          ]
        : [],
    gaps,
    repository: null,
  };
}

/** Keys of the parents: as the row says, or by the mapping's rule. */
function parentsOf(
  row: MappedRow,
  node: ForeignNode,
  context: {
    parent: LineageMapping["node"]["parent"];
    before: readonly ForeignNode[];
    gaps: Record<string, string>;
  },
): readonly string[] {
  const { parent, before, gaps } = context;
  if (parent === undefined) return [];
  if (typeof parent === "string") return idsOf(fieldOf(row.value, parent));
  const isKept = (n: ForeignNode): boolean => n.decision === "keep" || n.decision === "base";
  const from = parent.rule === "previous" ? before.at(-1) : before.findLast(isKept);
  if (from !== undefined) return [from.key];
  if (before.length === 0 && (parent.rule === "previous" || isKept(node))) return [];
  gaps["start"] = "The ledger does not say what the first trials were made from.";
  return ["start"];
}

/** A field that no row has is a slip in the mapping, not missing data. */
function requireFields(mapping: LineageMapping, rows: readonly MappedRow[]): void {
  if (rows.length === 0) return;
  const { node, metric, status } = mapping;
  const fields = [
    node.id,
    ...[node.parent, node.title, node.note, node.plan, node.at].filter((f) => typeof f === "string"),
    ...(metric === undefined ? [] : [metric.field]),
    ...(status === undefined ? [] : [status.field]),
    ...mapping.metrics.map((m) => m.field),
    ...Object.values(mapping.files),
  ];
  const absent = fields.find((f) => rows.every(({ value }) => fieldOf(value, f) === undefined));
  if (absent !== undefined)
    throw new HarnessError(
      "badInput",
      `No row has the field "${absent}" that the mapping ${mapping.name} names; the first row has ${Object.keys(
        rows[0]?.value ?? {},
      )
        .slice(0, 20)
        .join(", ")}.`,
    );
}

function missingIn(mapping: LineageMapping): ForeignLineage["missing"] {
  const missing: { field: string; reason: string }[] = [];
  const lacks = (field: string, given: boolean): void => {
    if (!given) missing.push({ field, reason: "the mapping names no field for it" });
  };
  lacks("parent", mapping.node.parent !== undefined);
  lacks("title", mapping.node.title !== undefined);
  lacks("time", mapping.node.at !== undefined);
  lacks("score", mapping.metric !== undefined || mapping.outcomes !== undefined);
  lacks("decision", mapping.status !== undefined);
  lacks("code", Object.keys(mapping.files).length > 0);
  return missing;
}

interface NodeContext {
  readonly mapping: LineageMapping;
  readonly file: string;
  readonly trials: ReadonlyMap<string, readonly ForeignOutcome[]> | undefined;
}

function nodeOf(
  key: string,
  { value, line }: MappedRow,
  { mapping, file, trials }: NodeContext,
): ForeignNode {
  const text = (field: string | undefined): string =>
    field === undefined ? "" : wordOf(fieldOf(value, field));
  const status = mapping.status === undefined ? null : wordOf(fieldOf(value, mapping.status.field));
  const meaning = statusMeaning(mapping, status);
  const unknowns: { field: string; reason: string }[] = [];
  const metrics: Record<string, number | null> = {};
  for (const m of [...(mapping.metric === undefined ? [] : [mapping.metric]), ...mapping.metrics]) {
    const read = measure(fieldOf(value, m.field), {
      failing: meaning.failure !== null || isFailing(status),
      status,
    });
    metrics[m.name ?? m.field] = typeof read === "number" ? read : null;
    if (typeof read === "string") unknowns.push({ field: m.name ?? m.field, reason: read });
  }
  const title = text(mapping.node.title);
  const note = text(mapping.node.note);
  const plan = text(mapping.node.plan);
  const outcomes = trials?.get(key);
  return {
    key,
    parents: [],
    title: firstLine(title === "" ? key : title),
    ...(plan === "" ? {} : { plan: cut(plan) }),
    at: mapping.node.at === undefined ? null : timeIn(fieldOf(value, mapping.node.at)),
    metrics,
    primary: mapping.metric === undefined ? null : (mapping.metric.name ?? mapping.metric.field),
    ...(outcomes === undefined ? {} : { outcomes }),
    status: status === "" ? null : status,
    ...meaning,
    reason: cut([title, note].filter((t) => t !== "").join(" | ")),
    failure:
      meaning.failure === null
        ? null
        : { class: meaning.failure, message: cut(note === "" ? title : note, 500), seconds: null },
    files: filesOf(mapping, value),
    commit: null,
    unknowns,
    from: { file, line },
  };
}

function filesOf({ files }: LineageMapping, value: MappedRow["value"]): Record<string, string> {
  const texts = Object.entries(files).map(
    ([path, field]) => [path, fileText(path, fieldOf(value, field))] as const,
  );
  return Object.fromEntries(
    texts.flatMap(([path, content]) => (content === undefined ? [] : [[path, content]])),
  );
}

/** The text of a file; settings, as exports of runs hold them, are written one to a line. */
function fileText(path: string, value: unknown): string | undefined {
  return path.endsWith(".json") && isRecord(value) ? `${JSON.stringify(value, null, 2)}\n` : textOf(value);
}

function statusMeaning(
  mapping: LineageMapping,
  status: string | null,
): { decision: Decision | null; failure: FailureClass | null } {
  const words = mapping.status?.words ?? {};
  const own = status !== null && Object.hasOwn(words, status) ? words[status] : undefined;
  if (own === undefined) return meaningOf(status);
  const { decision, failure } = typeof own === "string" ? { decision: own, failure: undefined } : own;
  return { decision: decision === "undecided" ? null : decision, failure: failure ?? null };
}

/** A number, or the reason why there is none. */
function measure(
  raw: unknown,
  { failing, status }: { failing: boolean; status: string | null },
): number | string {
  const value = typeof raw === "string" ? numberIn(raw) : (finite(raw) ?? undefined);
  if (value === 0 && failing) return `the 0 beside "${status ?? ""}" is a filler, not a measurement`;
  if (value !== undefined) return value;
  return raw === undefined || raw === null || (typeof raw === "string" && isPlaceholder(raw))
    ? "the ledger has no value"
    : `${firstLine(JSON.stringify(raw), 40)} is not a number`;
}

function wordOf(value: unknown): string {
  if (typeof value === "string") return value.trim();
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function idOf(value: unknown): string | undefined {
  const word = wordOf(value);
  return isPlaceholder(word) ? undefined : word;
}

/** One id, a list of ids, or a list written as a JSON text. */
function idsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((v: unknown) => idOf(v) ?? []);
  const id = idOf(value);
  if (id?.startsWith("[") === true) {
    const list = parseJson(id, "").value;
    if (Array.isArray(list)) return list.flatMap((v: unknown) => idOf(v) ?? []);
  }
  return id === undefined ? [] : [id];
}

const outcomeWords = new Map<string, ForeignOutcome["outcome"]>([
  ["true", "pass"],
  ["pass", "pass"],
  ["passed", "pass"],
  ["false", "fail"],
  ["fail", "fail"],
  ["failed", "fail"],
]);

function outcomesByNode(
  mapping: LineageMapping,
  rows: readonly MappedRow[],
  problems: ForeignProblem[],
): Map<string, ForeignOutcome[]> {
  const byNode = new Map<string, ForeignOutcome[]>();
  const how = mapping.outcomes;
  if (how === undefined) return byNode;
  for (const { value, line } of rows) {
    const node = idOf(fieldOf(value, how.node));
    const item = idOf(fieldOf(value, how.item));
    if (node === undefined || item === undefined) {
      problems.push({
        file: basename(how.source),
        line,
        reason: `it names no ${node === undefined ? "run" : "item"}`,
      });
      continue;
    }
    const word = wordOf(fieldOf(value, how.outcome));
    // A word that is not known is no failure.
    const outcome =
      (Object.hasOwn(how.words, word) ? how.words[word] : undefined) ??
      outcomeWords.get(word.toLowerCase()) ??
      "unknown";
    const list = byNode.get(node);
    if (list === undefined) byNode.set(node, [{ item, outcome }]);
    else list.push({ item, outcome });
  }
  return byNode;
}
