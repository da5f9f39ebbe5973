import { inLine } from "../../base/plainText.ts";
import type { FlowBy } from "../../changes/failureClass.ts";
import { evidenceVersion, inspect } from "../terminal/inspect.ts";
import { printResult, type Io } from "../terminal/io.ts";
import { renderFlow, renderLabels } from "./renderFlow.ts";

/** `evotrainer compare <a> <b> --flow`: where the items and the rollouts of a went in b. */
export async function flow(
  io: Io,
  cwd: string,
  options: { readonly a: string; readonly b: string; readonly by: FlowBy },
): Promise<void> {
  await inspect(cwd, async (inspection) => {
    const a = await evidenceVersion(inspection, options.a);
    const b = await evidenceVersion(inspection, options.b);
    const result = await inspection.engine.request("versions.flow", { a, b, by: options.by });
    printResult(io, result, (result) => renderFlow(io, result));
    for (const p of result.problems) io.err(`Left out: ${inLine(p)}\n`);
  });
}

/** `evotrainer compare <a> <b> --labels`: how often each label holds before and after. */
export async function labels(
  io: Io,
  cwd: string,
  options: { readonly a: string; readonly b: string },
): Promise<void> {
  await inspect(cwd, async (inspection) => {
    const a = await evidenceVersion(inspection, options.a);
    const b = await evidenceVersion(inspection, options.b);
    const result = await inspection.engine.request("versions.labels", { a, b });
    printResult(io, result, (result) => renderLabels(io, result));
    for (const p of result.problems) io.err(`Left out: ${inLine(p)}\n`);
  });
}
