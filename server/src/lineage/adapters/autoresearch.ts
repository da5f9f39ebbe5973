import { basename, dirname } from "node:path";
import { findCommits, type FoundCommits } from "./foreignCommits.ts";
import { cut, firstLine, type ForeignLineage, type ForeignNode } from "./foreign.ts";
import type { ListedFile } from "./listing.ts";
import { parseTable, readText, type Table, type TableRow } from "./readSource.ts";
import { directionOf, isFailing, isPlaceholder, meaningOf, numberIn, timeIn } from "./vocabulary.ts";

/** Names of the columns vary by repository; these are the ones in use, in the order in which they win. */
const roles = {
  status: ["status", "decision", "verdict", "correctness"],
  id: ["commit", "run_id", "experiment", "trial", "id", "iteration"],
  title: ["description", "idea", "title", "change", "hypothesis"],
  note: ["notes", "note", "reason"],
  // Written before the run; a description is written into the log with the result.
  plan: ["idea", "hypothesis"],
  time: ["timestamp", "time", "date", "created_at"],
  group: ["kernel_type"],
} as const;
type Role = keyof typeof roles;
type Columns = Partial<Record<Role, string>>;
/** Numbers beside the result: what a trial cost, and how it is counted. */
const notAResult =
  /^(iteration|experiment|trial|run|step|epoch|seed|id)$|memory|_gb$|_mb$|bytes|seconds|minutes|_ms$|duration|metric_before|^delta$/i;

/** The column of each role, or undefined when these columns are no log of trials. */
function columnsOf(columns: readonly string[]): Columns | undefined {
  const found: Columns = {};
  const plain = columns.map((c) => c.toLowerCase());
  for (const role of ["status", "id", "title", "note", "plan", "time", "group"] as const) {
    const name = roles[role].find((n) => plain.includes(n));
    const column = name === undefined ? undefined : columns[plain.indexOf(name)];
    if (column !== undefined) found[role] = column;
  }
  return found.status !== undefined && found.id !== undefined && found.title !== undefined
    ? found
    : undefined;
}

/** Whether the head of a file is that of an autoresearch log. */
export function isAutoresearch(name: string, head: string): boolean {
  const header = head.split(/\r?\n/, 1)[0] ?? "";
  return /\.(tsv|txt)$/i.test(name) && header.includes("\t") && columnsOf(header.split("\t")) !== undefined;
}

/** A results.tsv of autoresearch or one of its many variants, with the git history that it lies in. */
export async function readAutoresearch(file: ListedFile): Promise<ForeignLineage> {
  const text = await readText(file.path, file.name);
  const table = parseTable(text.value, file.name, "\t");
  const commits = await findCommits(
    dirname(file.path),
    table.value.rows.flatMap((row) =>
      Object.values(row.cells).filter((cell) => /^[0-9a-f]{7,64}$/.test(cell)),
    ),
  );
  const lineage = lineageOf(file, table.value, commits);
  return {
    ...lineage,
    problems: [...text.problems, ...table.problems, ...lineage.problems, ...commits.problems(file.name)],
  };
}

/** Pure: the rows of a log as nodes. */
export function lineageOf(
  file: Pick<ListedFile, "name" | "path">,
  table: Table,
  commits: FoundCommits,
): ForeignLineage {
  const columns = columnsOf(table.columns);
  const { nodes, gaps } =
    columns === undefined ? { nodes: [], gaps: {} } : readRows(table, { columns, file: file.name, commits });
  const metrics = [...new Set(nodes.flatMap((n) => Object.keys(n.metrics)))];
  return {
    name: nameOf(file),
    format: "autoresearch",
    nodes,
    metrics: Object.fromEntries(
      metrics.map((m) => [m, { direction: directionOf(m.replace(/ of .*/, "")), unit: null }]),
    ),
    problems:
      columns === undefined
        ? [
            {
              file: file.name,
              line: 1,
              reason: "it is not a log of trials: it has no columns for id, status and description",
            },
          ]
        : [],
    ...saidAbout(columns, nodes),
    gaps,
    repository: commits.folder,
  };
}

/** Only where the status decides: correctness says whether a kernel is right, not whether it was kept. */
function decides(columns: Columns): boolean {
  return columns.status?.toLowerCase() !== "correctness";
}

function readRows(
  table: Table,
  { columns, file, commits }: { columns: Columns; file: string; commits: FoundCommits },
): Pick<ForeignLineage, "nodes" | "gaps"> {
  const context: RowContext = { ...metricsIn(table, columns), columns, file, commits, keys: new Set() };
  const nodes: ForeignNode[] = [];
  const gaps: Record<string, string> = {};
  const lastKept = new Map<string, string>();
  const byCommit = new Map<string, string>();
  for (const row of table.rows) {
    const read = nodeOf(row, context);
    // A second row of one commit was tried on top of it, or measured it again: the commit is the first row's.
    const twin = read.commit === null ? undefined : byCommit.get(read.commit);
    const node = twin === undefined ? read : { ...read, commit: null };
    const group = row.cells[columns.group ?? ""] ?? "";
    const ancestor = node.commit === null ? undefined : commits.nearest(node.commit, byCommit);
    const byRule = decides(columns) ? lastKept.get(group) : undefined;
    const isKept = node.decision === "keep" || node.decision === "base";
    const isRoot = node.decision === "base" || (nodes.length === 0 && isKept && decides(columns));
    if (isRoot) nodes.push(node);
    else {
      const start = `start${group === "" ? "" : ` of ${group}`}`;
      const parent = twin ?? ancestor ?? byRule ?? start;
      if (parent === start) gaps[start] = gapText(group, decides(columns));
      nodes.push({ ...node, parents: [parent] });
    }
    if (node.commit !== null) byCommit.set(node.commit, node.key);
    if (isKept) lastKept.set(group, node.key);
  }
  return { nodes, gaps };
}

/** What the log cannot say, and how it was read. */
function saidAbout(
  columns: Columns | undefined,
  nodes: readonly ForeignNode[],
): Pick<ForeignLineage, "missing" | "notes"> {
  if (columns === undefined) return { missing: [], notes: [] };
  const missing: { field: string; reason: string }[] = [];
  const real = nodes.filter((n) => n.commit !== null).length;
  if (!decides(columns))
    missing.push({ field: "parent", reason: "the log names none, and does not say what was kept" });
  if (real < nodes.length)
    missing.push({
      field: "code",
      reason: `git has the commits of ${real} of ${nodes.length} trials; autoresearch usually resets discarded ones away`,
    });
  if (columns.time === undefined && real < nodes.length)
    missing.push({ field: "time", reason: "only a trial whose commit is in git has one" });
  return {
    missing,
    notes: decides(columns)
      ? [
          "The log names no parents. autoresearch makes a trial from the last one that was kept before it, so EvoTrainer takes that one as the parent, unless git knows another ancestor.",
        ]
      : [],
  };
}

function gapText(group: string, isDecided: boolean): string {
  const what = group === "" ? "the first trials" : `the trials of ${group}`;
  return `The log does not say what ${what} were made from${isDecided ? "" : ", so they stand here side by side"}.`;
}

function nameOf(file: Pick<ListedFile, "name" | "path">): string {
  const stem = basename(file.path).replace(/\.[^.]+$/, "");
  const folder = basename(dirname(file.path));
  return stem === "results" || stem === "autoresearch" ? folder : stem;
}

function metricsIn(table: Table, columns: Columns): Pick<RowContext, "metrics" | "primary"> {
  const used: readonly string[] = Object.values(columns);
  const metrics = table.columns.filter(
    (c) =>
      c !== "" &&
      !used.includes(c) &&
      !notAResult.test(c) &&
      table.rows.some((row) => numberIn(row.cells[c] ?? "") !== undefined),
  );
  return { metrics, primary: metrics.includes("metric_after") ? "metric_after" : (metrics[0] ?? null) };
}

interface RowContext {
  readonly columns: Columns;
  readonly metrics: readonly string[];
  readonly primary: string | null;
  readonly file: string;
  readonly commits: FoundCommits;
  readonly keys: Set<string>;
}

function nodeOf(row: TableRow, context: RowContext): ForeignNode {
  const cell = (role: Role): string => row.cells[context.columns[role] ?? ""]?.trim() ?? "";
  const id = cell("id");
  const status = cell("status");
  const title = cell("title");
  const meaning = meaningOf(status);
  const isBaseline = /^baseline\b/i.test(id) || /^baseline\b/i.test(title) || row.cells["tag"] === "baseline";
  const decision =
    isBaseline && (meaning.decision === "keep" || meaning.decision === null) ? "base" : meaning.decision;
  const unknowns: { field: string; reason: string }[] = [];
  const nothingRan = context.columns.id?.toLowerCase() === "commit" && isPlaceholder(id);
  const failed = meaning.failure !== null || isFailing(status);
  const measure = (column: string): number | null => {
    const text = row.cells[column] ?? "";
    const value = numberIn(text);
    const refused =
      value === undefined
        ? notANumber(text)
        : failed && column === "metric_after" && value === numberIn(row.cells["metric_before"] ?? "")
          ? `the number beside "${status}" is the one from before, not a measurement`
          : value !== 0
            ? undefined
            : failed
              ? `the 0 beside "${status}" is a filler, not a measurement`
              : nothingRan
                ? "nothing was committed, so the 0 is not a measurement"
                : undefined;
    if (refused !== undefined) unknowns.push({ field: column, reason: refused });
    return refused === undefined && value !== undefined ? value : null;
  };
  const commit = context.commits.resolve(id);
  const [note, plan] = [cell("note"), cell("plan")];
  const tag = row.cells["tag"]?.trim() ?? "";
  const key = keyOf(id, tag, row, context);
  return {
    key,
    ...(/^[0-9a-f]{11,64}$/.test(key) ? { label: key.slice(0, 10) } : {}),
    parents: [],
    title: firstLine(title === "" ? (tag === "" ? id : tag) : title),
    ...(plan === "" ? {} : { plan: cut(plan) }),
    at: timeIn(cell("time")) ?? context.commits.timeOf(commit),
    metrics: Object.fromEntries(context.metrics.map((m) => [metricName(m, cell("group")), measure(m)])),
    primary: context.primary === null ? null : metricName(context.primary, cell("group")),
    status: status === "" ? null : status,
    decision,
    reason: cut([title, note].filter((t) => t !== "").join(" | ")),
    failure:
      meaning.failure === null ? null : { class: meaning.failure, message: cut(title, 500), seconds: null },
    files: {},
    commit,
    unknowns,
    from: { file: context.file, line: row.line },
  };
}

function notANumber(text: string): string {
  return isPlaceholder(text)
    ? "the log has no value"
    : `${JSON.stringify(firstLine(text, 30))} is not a number`;
}

/** What is measured of one kernel says nothing about another. */
function metricName(column: string, group: string): string {
  return group === "" ? column : `${column} of ${group}`;
}

/** Unique, and the same when the log has grown: a log is only appended to. */
function keyOf(id: string, tag: string, row: TableRow, { keys, columns }: RowContext): string {
  const group = columns.group === undefined ? "" : `${row.cells[columns.group] ?? ""}/`;
  const base = isPlaceholder(id) ? `line-${row.line}` : `${group}${id}${tag === "" ? "" : `-${tag}`}`;
  let key = base;
  for (let n = 2; keys.has(key); n++) key = `${base}~${n}`;
  keys.add(key);
  return key;
}
