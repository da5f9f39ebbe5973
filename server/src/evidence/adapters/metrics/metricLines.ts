import { dirname } from "node:path";
import { Refusal, type ForeignFile, type LineAdapter, type MetricDraft } from "../parts/adapter.ts";
import { countAt, fieldsAt, isFields, type Fields } from "../parts/untrusted.ts";

/** What trackers call the training step, the most telling first. */
export const stepNames = [
  "step",
  "global_step",
  "trainer/global_step",
  "train/global_step",
  "_step", // wandb
  "system/step", // ROLL
  "iteration",
] as const;

/** Metrics of verl's file logger: `{"step": n, "data": {name: number}}` per step. */
export const verlMetrics: LineAdapter = {
  name: "verl-metrics",
  title: "verl metrics",
  note: { writer: "verl, `FileLogger`", files: "`<experiment>.jsonl`" },
  source: "verl@1dda039b verl/utils/tracking.py:419 FileLogger",
  provides: "metrics",
  unit: "line",
  detect: async (file) => {
    const first = await file.firstRecord();
    return (
      countAt(first, "step") !== undefined &&
      fieldsAt(first, "data") !== undefined &&
      Object.keys(first ?? {}).length === 2
    );
  },
  convert: (record) => {
    const data = fieldsAt(record, "data");
    if (data === undefined) throw new Refusal("data must be an object of numbers");
    return [metricsOf(stepOf(record), data)];
  },
  absent: {},
  inferred: {},
};

/**
 * Metrics with the step beside the values: prime-rl's file monitor, ROLL's metrics, a history of wandb, the evidence contract's
 * own metrics, and what most training scripts write.
 */
export const flatMetrics: LineAdapter = {
  name: "metrics-jsonl",
  title: "metrics, one flat object per step",
  note: {
    writer:
      "prime-rl, ROLL, wandb and anyone: one flat object with `step`, `global_step`, `_step` or `system/step` per line",
    files: "`metrics.jsonl`",
  },
  source: "prime-rl@559b4477 src/prime_rl/monitors/file.py:31; docs/evidence.md",
  provides: "metrics",
  unit: "line",
  detect: async (file) => {
    const first = await file.firstRecord();
    return (
      file.name.endsWith(".jsonl") && isFields(first) && stepNameOf(first) !== undefined && isFlat(first)
    );
  },
  // The file has the same name in every run: its folder tells them apart.
  runOf: (file) =>
    file.name === "metrics.jsonl"
      ? folderOf(file)
      : { name: file.name.replace(/\.jsonl$/, ""), path: file.path },
  convert: (record) => {
    if (!isFields(record)) throw new Refusal("a line of metrics must be an object");
    const name = stepNameOf(record) ?? "step";
    return [metricsOf(stepOf(record, name), record, name)];
  },
  absent: {},
  inferred: {},
};

const stepNameOf = (record: Fields): string | undefined =>
  stepNames.find((name) => countAt(record, name) !== undefined);

/** How many of the metrics are null. */
export const nullsIn = (values: MetricDraft["values"]): number =>
  Object.values(values).filter((value) => value === null).length;

function stepOf(record: unknown, name = "step"): number {
  const step = countAt(record, name);
  if (step === undefined) throw new Refusal("step must be a whole number from 0");
  return step;
}

/** Numbers, and nulls where a NaN or nothing stood, by name; what is neither is no metric. */
export function metricsOf(step: number, values: Fields, stepName = "step"): MetricDraft {
  const kept: Record<string, number | null> = {};
  for (const [name, value] of Object.entries(values)) {
    if (name === stepName || name === "") continue;
    if (value === null) kept[name] = null;
    else if (typeof value === "boolean") kept[name] = value ? 1 : 0;
    else if (typeof value === "number") kept[name] = Number.isFinite(value) ? value : null;
  }
  return { type: "metrics", step, values: kept };
}

/** Nothing but numbers, and at least one beside the step: a text makes it a record of something else. */
function isFlat(record: Fields): boolean {
  const values = Object.entries(record).filter(([name]) => name !== stepNameOf(record));
  return values.length > 0 && values.every(([, v]) => typeof v === "number" || v === null);
}

/** The run of a metrics file that lies in its run's folder under a name that every run has. */
export const folderOf = (file: ForeignFile) => ({
  name: file.folders[0] ?? file.name,
  path: dirname(file.path),
});
