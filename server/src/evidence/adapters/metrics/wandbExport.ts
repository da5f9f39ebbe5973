/** Whose values a column of a chart holds that was exported from W&B. */
export interface ChartColumn {
  readonly run: string;
  readonly metric: string;
}

const bound = /__(?:MIN|MAX)$/;
const stepsOfRun = / - _step$/;

/**
 * The columns of a chart that was exported from W&B, by their names: `run - loss`, beside `run - loss__MIN` and `run - loss__MAX`, for
 * each run that was drawn, and in some exports `run - _step`. Undefined of a table that is none. The bounds are left out: they are
 * those of the points that W&B drew as one. Columns of no run are not among them.
 */
export function chartColumns(columns: readonly string[]): ReadonlyMap<string, ChartColumn> | undefined {
  const known = new Set(columns);
  const drawn = columns.filter((column) => known.has(`${column}__MIN`) && !isBound(column, known));
  if (!drawn.some((column) => column.includes(" - "))) return undefined;
  // The longest first, because the name of one run may begin with that of another.
  const runs = columns
    .filter((column) => stepsOfRun.test(column))
    .map((column) => column.replace(stepsOfRun, ""))
    .sort((a, b) => b.length - a.length);
  return new Map(
    columns.flatMap((column) => {
      if (stepsOfRun.test(column) || isBound(column, known)) return [];
      const named = runs.find((run) => column.startsWith(`${run} - `));
      const at = named?.length ?? (known.has(`${column}__MIN`) ? column.lastIndexOf(" - ") : -1);
      return at < 1 ? [] : [[column, { run: column.slice(0, at), metric: column.slice(at + 3) }] as const];
    }),
  );
}

/** Whether a column of such a chart holds no metric: a bound of one, or the steps of a run. */
export const isBeside = (column: string, known: ReadonlySet<string>): boolean =>
  stepsOfRun.test(column.replace(bound, "")) || isBound(column, known);

const isBound = (column: string, known: ReadonlySet<string>): boolean =>
  bound.test(column) && known.has(column.replace(bound, ""));

/** The runs of a chart, in the order of its columns. */
export const runsIn = (columns: readonly string[]): readonly string[] => [
  ...new Set([...(chartColumns(columns)?.values() ?? [])].map(({ run }) => run)),
];
