import { stat } from "node:fs/promises";
import { join } from "node:path";
import { courseOf } from "../../diagnosis/alarms/record.ts";
import { evidenceFiles } from "../../runner/job/evidenceSummary.ts";
import { LiveCurves } from "./liveCurves.ts";

/** A larger file is not read through for a row of a list. */
const mostBytes = 16 * 1024 ** 2;

/** The step at which the score of a training run that is over had lost half of its fall; undefined where it did not fall. */
export async function collapseOf(directory: string): Promise<number | undefined> {
  const found = await stat(join(directory, evidenceFiles.metrics)).catch(() => undefined);
  if (found === undefined || found.size > mostBytes) return undefined;
  const course = courseOf(await new LiveCurves(directory).look());
  return course.type === "collapsed" ? course.step : undefined;
}
