import { inLine } from "../../base/plainText.ts";
import { HarnessError } from "../../base/errors.ts";
import { haveNoRollouts } from "../../engine/comparison/scoresOnly.ts";
import type { FlowBy } from "../../changes/failureClass.ts";
import { evidenceVersion, inspect, type Inspection } from "../terminal/inspect.ts";
import { givenFiles, type WithFiles } from "../terminal/given.ts";
import { printResult, type Io } from "../terminal/io.ts";
import { renderFlow, renderLabels } from "./renderFlow.ts";

/** `evotrainer compare <a> <b> --flow`: where the items and the rollouts of a went in b. */
export async function flow(
  io: Io,
  cwd: string,
  options: { readonly a: string; readonly b: string; readonly by: FlowBy } & WithFiles,
): Promise<void> {
  await inspect(cwd, async (inspection) => {
    const files = await givenFiles(io, { cwd, root: inspection.root }, options.with);
    const a = await evidenceVersion(inspection, options.a);
    const b = await evidenceVersion(inspection, options.b);
    await refuseScoresOnly(inspection, [a, b], "--flow");
    const result = await inspection.engine.request("versions.flow", { a, b, by: options.by, with: files });
    printResult(io, result, (result) => renderFlow(io, result));
    for (const p of result.problems) io.err(`Left out: ${inLine(p)}\n`);
  });
}

/** `evotrainer compare <a> <b> --labels`: how often each label holds before and after. */
export async function labels(
  io: Io,
  cwd: string,
  options: { readonly a: string; readonly b: string } & WithFiles,
): Promise<void> {
  await inspect(cwd, async (inspection) => {
    const files = await givenFiles(io, { cwd, root: inspection.root }, options.with);
    const a = await evidenceVersion(inspection, options.a);
    const b = await evidenceVersion(inspection, options.b);
    await refuseScoresOnly(inspection, [a, b], "--labels");
    const result = await inspection.engine.request("versions.labels", { a, b, with: files });
    const { people } = await inspection.engine.request("rollouts.people", { with: files });
    printResult(io, { ...result, people }, (result) => renderLabels(io, result));
    for (const p of result.problems) io.err(`Left out: ${inLine(p)}\n`);
  });
}

/** A score that was imported without rollouts has nothing that could carry a label or go anywhere. @throws HarnessError badInput */
async function refuseScoresOnly(
  { engine }: Inspection,
  versions: readonly string[],
  option: string,
): Promise<void> {
  const listed = await engine.request("versions.list", {});
  const bare = versions.filter((version) => haveNoRollouts(listed, version));
  if (bare.length === 0) return;
  throw new HarnessError(
    "badInput",
    `${option} needs rollouts, but for ${bare.join(" and ")} there is only a score; leave ${option} out to compare the scores.`,
  );
}
