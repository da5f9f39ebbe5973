import { dirname, join } from "node:path";
import { quoteForMessage } from "../../../reading/bytes.ts";
import {
  Refusal,
  type Entry,
  type FileAdapter,
  type ForeignFile,
  type MetricDraft,
  type RunPlace,
} from "../parts/adapter.ts";
import { folderOf, nullsIn, stepNames } from "./metricLines.ts";
import { tableRows } from "../parts/tableRows.ts";
import { chartColumns, isBeside, runsIn } from "./wandbExport.ts";

/**
 * Metrics as a table with a column of training steps: loggers that write CSV (Lightning, Keras), tables exported from
 * W&B, and what TensorBoard saves of one of its charts.
 */
export const csvMetrics: FileAdapter = {
  name: "metrics-csv",
  title: "metrics, one row per step",
  note: { writer: "Lightning, Keras, W&B and TensorBoard exports", files: "`*.csv`, `*.tsv`" },
  source:
    "lightning CSVLogger metrics.csv; keras CSVLogger; W&B chart export; TensorBoard run-<run>-tag-<tag>.csv",
  provides: "metrics",
  unit: "file",
  detect: async (file) => {
    if (formatOf(file) === undefined) return false;
    const { columns, row } = await beginning(file);
    if (row === undefined) return false;
    const step = stepColumn(columns, row);
    if (step === undefined) return false;
    const others = columns.filter((column) => column !== step).map((column) => cellOf(row[column]));
    return others.every((cell) => cell !== "text") && others.some((cell) => cell !== "empty");
  },
  runOf: (file) => {
    const chart = chartOf(file);
    if (chart !== undefined) return chart.run;
    // The loggers give the file the same name in every run.
    if (/^(?:metrics|progress|log|logs|history|results|training_log)\.[ct]sv$/i.test(file.name))
      return folderOf(file);
    const [exported, ...others] = runsIn(columnsAtOnce(file));
    if (exported !== undefined && others.length === 0) return placeOf(file, exported);
    return { name: stemOf(file), path: file.path };
  },
  runsOf: async (file) => {
    const runs = runsIn((await beginning(file)).columns);
    return runs.length < 2 ? undefined : new Map(runs.map((run) => [run, placeOf(file, run)]));
  },
  read,
  absent: {},
  inferred: {},
};

async function* read(file: ForeignFile): AsyncGenerator<Entry> {
  let columns: readonly string[] = [];
  let table: MetricTable | undefined;
  for await (const item of tableRows(file, formatOf(file) ?? "csv")) {
    if (item.type === "header") columns = item.columns;
    else if (item.type === "waiting") yield { waiting: item.bytes };
    else if (item.type === "problem")
      yield { record: item.line, problem: item.reason, raw: item.fields.join(",").slice(0, rawLength) };
    else {
      table ??= tableOf(file, columns, item.values);
      const entry = table.rowOf(item.values);
      yield typeof entry === "string"
        ? {
            record: item.line,
            problem: entry,
            raw: Object.values(item.values).join(",").slice(0, rawLength),
          }
        : {
            record: item.line,
            drafts: entry,
            // An empty cell gives no metric: what is null was a number that JSON does not have.
            nonFinite: entry.reduce((sum, { values }) => sum + nullsIn(values), 0),
          };
    }
  }
  if (columns.length === 0) throw new Refusal("it is empty");
}

const rawLength = 4096;

const formatOf = ({ name }: ForeignFile): "csv" | "tsv" | undefined =>
  /\.csv$/i.test(name) ? "csv" : /\.tsv$/i.test(name) ? "tsv" : undefined;

const stemOf = ({ name }: ForeignFile): string => name.replace(/\.[ct]sv$/i, "");

type Values = Readonly<Record<string, string>>;

async function beginning(file: ForeignFile): Promise<{ columns: readonly string[]; row?: Values }> {
  let columns: readonly string[] = [];
  for await (const item of tableRows(file, formatOf(file) ?? "csv")) {
    if (item.type === "header") columns = item.columns;
    else if (item.type === "row") return { columns, row: item.values };
    else break;
  }
  return { columns };
}

/**
 * The column with the training steps: one with a whole number in the first row. Epochs are steps only where nothing finer
 * is there, and where they begin as epochs do: seconds since 1970 are called so too.
 */
function stepColumn(columns: readonly string[], first: Values): string | undefined {
  for (const name of stepNames)
    for (const column of columns)
      if (column.toLowerCase() === name && wholeNumber(first[column]) !== undefined) return column;
  return columns.find((column) => /^epoch$/i.test(column) && (wholeNumber(first[column]) ?? 2) <= 1);
}

function wholeNumber(text: string | undefined): number | undefined {
  const cell = cellOf(text);
  return typeof cell === "number" && Number.isSafeInteger(cell) && cell >= 0 ? cell : undefined;
}

/** What a cell holds: a number, null for one that is none or endless, nothing, or a text, which is no metric. */
function cellOf(text = ""): number | null | "empty" | "text" {
  const cell = text.trim();
  if (/^(?:|none|null|na|n\/a|<na>)$/i.test(cell)) return "empty";
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(cell)) {
    const value = Number(cell);
    return Number.isFinite(value) ? value : null;
  }
  if (/^[+-]?(?:nan|inf|infinity)$/i.test(cell)) return null;
  return /^true$/i.test(cell) ? 1 : /^false$/i.test(cell) ? 0 : "text";
}

interface MetricTable {
  /** What the row says of each run, or why it gives nothing. */
  rowOf(values: Values): MetricDraft[] | string;
}

function tableOf(file: ForeignFile, columns: readonly string[], first: Values): MetricTable {
  const step = stepColumn(columns, first);
  if (step === undefined)
    throw new Refusal(
      `no column has training steps; it needs whole numbers and one of these names: ${stepNames.join(", ")}, epoch`,
    );
  const names = isChartHeader(columns)
    ? new Map<string, MetricOfRun>([["Value", { name: chartOf(file)?.tag ?? stemOf(file) }]])
    : namesOf(columns, step);
  const isOfRuns = runsIn(columns).length > 1;
  // A column is one of numbers or of texts by what stands in it first.
  const kinds = new Map<string, "numbers" | "texts">();
  return {
    rowOf: (row) => {
      const at = wholeNumber(row[step]);
      if (at === undefined)
        return `${step} must be a whole number from 0, not ${quoteForMessage(row[step] ?? "")}`;
      const kept = new Map<string | undefined, [string, number | null][]>(isOfRuns ? [] : [[undefined, []]]);
      for (const [column, { name, run }] of names) {
        const cell = cellOf(row[column]);
        if (cell === "empty") continue;
        const kind = kinds.get(column) ?? (cell === "text" ? "texts" : "numbers");
        kinds.set(column, kind);
        if (kind === "texts") continue;
        if (cell === "text") return `${column} must be a number, not ${quoteForMessage(row[column] ?? "")}`;
        // A table may have thousands of columns: what is there already is not copied for each of them.
        const values = kept.get(run) ?? [];
        values.push([name, cell]);
        kept.set(run, values);
      }
      return [...kept].map(([run, values]) => ({
        type: "metrics",
        step: at,
        values: Object.fromEntries(values),
        ...(run === undefined ? {} : { run }),
      }));
    },
  };
}

/** A metric, with its run where the table holds several. */
interface MetricOfRun {
  readonly name: string;
  readonly run?: string;
}

/** Names of the metrics by column. W&B puts the run before each; it is left out when it is the same everywhere. */
function namesOf(columns: readonly string[], step: string): ReadonlyMap<string, MetricOfRun> {
  const known = new Set(columns);
  const drawn = chartColumns(columns);
  const isOfRuns = runsIn(columns).length > 1;
  return new Map(
    columns
      .filter((column) => column !== step && (drawn === undefined || !isBeside(column, known)))
      .map((column) => {
        const { run, metric } = drawn?.get(column) ?? {};
        return [column, { name: metric ?? column, ...(isOfRuns && run !== undefined ? { run } : {}) }];
      }),
  );
}

const placeOf = (file: ForeignFile, run: string): RunPlace => ({
  name: run,
  path: join(dirname(file.path), run),
});

/** The columns as far as the first bytes of the file tell them. */
function columnsAtOnce({ head }: ForeignFile): readonly string[] {
  const [line = ""] = head
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .split(/\r?\n/, 1);
  return [...line.matchAll(/"((?:[^"]|"")*)"|[^,\t]+/g)].map(([all, quoted]) => quoted ?? all);
}

const isChartHeader = (columns: readonly string[]): boolean =>
  columns.length === 3 && columns.join().toLowerCase() === "wall time,step,value";

/** The run and the metric that TensorBoard says in the name of a chart's table. */
function chartOf(file: ForeignFile): { readonly run: RunPlace; readonly tag: string } | undefined {
  const [, run, tag] = /^run[-_](.+?)-tag-(.+)\.csv$/i.exec(file.name) ?? [];
  if (run === undefined || tag === undefined) return undefined;
  return {
    tag,
    run: run === "." ? folderOf(file) : { name: run, path: join(dirname(file.path), run) },
  };
}
