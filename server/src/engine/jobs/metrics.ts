import { z } from "zod";
import type { JobRow } from "../../../../shared/protocol/views/job.ts";

const tolerant = z.number().nullable().optional().catch(null);
const Line = z.looseObject({ step: z.int().nonnegative(), steps_total: tolerant, reward: tolerant });

/** What a job's metrics say so far. */
export interface MetricFacts {
  readonly step: number | null;
  readonly stepsTotal: number | null;
  readonly reward: number | null;
  /** Share of the GPUs in use, as the trainer measured it last. */
  readonly gpuUse: number | null;
  readonly curve: readonly { readonly step: number; readonly reward: number }[];
}

/** Names under which trainers log the use of their GPUs in per cent or as a share, e.g. `gpu_util`, `system/gpu.0.gpu`. */
const gpuName = /gpu.*(?:util|usage|busy)|^system[./]gpu\.\d+\.gpu$|^(?:gpu_use|gpu)$/i;
const memoryName = /mem/i;

/** Reads lines of a metrics file; a torn line at either end, or any other that is none, is passed over. */
export function readMetrics(text: string, options: { readonly mostPoints: number }): MetricFacts {
  let [step, stepsTotal, reward, gpuUse]: (number | null)[] = [null, null, null, null];
  const curve: { step: number; reward: number }[] = [];
  // A line without its end is still being written.
  for (const line of text.split("\n").slice(0, -1)) {
    const parsed = parse(line);
    if (parsed === undefined) continue;
    step = parsed.step;
    stepsTotal = parsed.steps_total ?? stepsTotal ?? null;
    gpuUse = gpuOf(parsed) ?? gpuUse ?? null;
    if (parsed.reward === null || parsed.reward === undefined) continue;
    reward = parsed.reward;
    curve.push({ step: parsed.step, reward: parsed.reward });
  }
  return {
    step: step ?? null,
    stepsTotal: stepsTotal ?? null,
    reward: reward ?? null,
    gpuUse: gpuUse ?? null,
    curve: thinned(curve, options.mostPoints),
  };
}

/** The mean over the GPUs of a line, as a share. */
function gpuOf(line: Readonly<Record<string, unknown>>): number | null {
  const values = Object.entries(line).flatMap(([name, value]) =>
    typeof value === "number" && Number.isFinite(value) && gpuName.test(name) && !memoryName.test(name)
      ? [value]
      : [],
  );
  if (values.length === 0) return null;
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return Math.min(1, Math.max(0, mean > 1 ? mean / 100 : mean));
}

/** At most `most` points, evenly chosen by their place, the last one always among them. */
function thinned<T>(points: readonly T[], most: number): T[] {
  if (points.length <= most) return [...points];
  const chosen: T[] = [];
  for (let i = 0; i < most; i++) {
    const point = points[Math.round((i * (points.length - 1)) / (most - 1))];
    if (point !== undefined) chosen.push(point);
  }
  return chosen;
}

function parse(line: string): z.infer<typeof Line> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return Line.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** A measurement takes no steps: a step in its metrics is the one at which its policy was saved. */
export function stepsOf(
  work: JobRow["work"],
  { step, stepsTotal }: MetricFacts,
): Pick<JobRow, "step" | "stepsTotal"> {
  return work === "train" || work === "other" ? { step, stepsTotal } : { step: null, stepsTotal: null };
}
