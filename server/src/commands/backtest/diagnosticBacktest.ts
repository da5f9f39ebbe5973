import { userInfo } from "node:os";
import { HarnessError } from "../../base/errors.ts";
import { didYouMean } from "../../base/similar.ts";
import type { LetThrough } from "../../backtest/quarantine.ts";
import { projectOrBare } from "../../engine/project/bareProject.ts";
import { openWorkspace } from "../../engine/workspace/workspace.ts";
import { loadProject, loadProjectSpec, projectFile } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { interventionRefused, type BacktestOptions, type SpecFile } from "./backtestOptions.ts";
import { evidenceVersion, inspect, type Inspection } from "../terminal/inspect.ts";
import { exitCodes, printResult, type Io } from "../terminal/io.ts";
import { renderDiagnosticBacktest, renderLetThrough } from "./renderDiagnosticBacktest.ts";

type Options = BacktestOptions & { readonly file: SpecFile | undefined };

/** A revision of a diagnostic over the archived versions. A finding is a wrong example, or a version let through. */
export async function backtestDiagnostic(io: Io, cwd: string, options: Options): Promise<number> {
  return inspect(cwd, async (inspection) => {
    const { engine, root } = inspection;
    const file = options.file ?? (await diagnosticNamed(root, options.spec));
    if (file === undefined) return backtestRemoval(io, inspection, options);
    const versions = await versionsOf(inspection, options.against);
    const report = await engine.request("backtest.diagnostic", {
      ...file,
      ...(versions === undefined ? {} : { versions }),
      ...(options.split === undefined ? {} : { split: options.split }),
    });
    const letThrough = await waive(root, report.letThrough, options.approve);
    printResult(io, { ...report, letThrough }, (shown) => renderDiagnosticBacktest(io, shown));
    const wrong = report.examples.some((e) => e.right === false);
    return wrong || isOpen(letThrough) ? exitCodes.finding : exitCodes.success;
  });
}

/** A diagnostic that the project no longer has: all that is left of it is whom it kept in quarantine. */
async function backtestRemoval(
  io: Io,
  { engine, root }: Inspection,
  { spec, approve }: Options,
): Promise<number> {
  const report = await engine.request("backtest.removal", { diagnostic: spec });
  if (report.letThrough.length === 0 && (await interventionNames(root)).includes(spec))
    throw interventionRefused(spec);
  if (report.letThrough.length === 0)
    throw new HarnessError(
      "notFound",
      `There is no file ${spec}, the project has no diagnostic of this name, and no version was quarantined for it.${didYouMean(spec, await diagnosticNames(root))}`,
    );
  const letThrough = await waive(root, report.letThrough, approve);
  printResult(io, { ...report, letThrough }, (shown) => renderLetThrough(io, shown.letThrough).join("\n"));
  return isOpen(letThrough) ? exitCodes.finding : exitCodes.success;
}

const isOpen = (letThrough: readonly LetThrough[]): boolean => letThrough.some((l) => l.waived === null);

async function diagnosticNames(root: string): Promise<string[]> {
  const { diagnostics } = await projectOrBare(root);
  return diagnostics.map(({ spec }) => spec.name);
}

/** None in a folder without a project. */
async function interventionNames(root: string): Promise<string[]> {
  const source = workTree(root);
  if ((await source.read(projectFile)) === undefined) return [];
  return (await loadProject(source)).interventions.map(({ spec }) => spec.name);
}

async function diagnosticNamed(root: string, name: string): Promise<SpecFile | undefined> {
  const { diagnostics } = await projectOrBare(root);
  const found = diagnostics.find((d) => d.spec.name === name);
  return found === undefined ? undefined : { path: found.path, text: found.text };
}

async function versionsOf(
  inspection: Inspection,
  against: string | undefined,
): Promise<string[] | undefined> {
  if (against === undefined || against === "all") return undefined;
  const versions: string[] = [];
  for (const name of against.split(",").map((n) => n.trim()))
    if (name !== "") versions.push(await evidenceVersion(inspection, name));
  return versions;
}

/** Records that what would be let through is accepted. Without a reason nothing is written. */
async function waive(
  root: string,
  letThrough: readonly LetThrough[],
  why: string | undefined,
): Promise<readonly LetThrough[]> {
  if (why === undefined) return letThrough;
  const open = letThrough.filter((l) => l.waived === null);
  if (open.length === 0)
    throw new HarnessError(
      "badInput",
      "There is nothing to approve: no quarantined version would be let through.",
    );
  if (why.trim() === "")
    throw new HarnessError("badInput", 'Say why you accept it: --approve "<why>"; the reason is recorded.');
  const workspace = await openWorkspace(root);
  const { domain } = await loadProjectSpec(workTree(root));
  const waived = { by: userInfo().username, reason: why };
  await workspace.ledger.append(
    open.map(({ version, diagnostic, revision }) => ({
      id: `waiver:${version}:${diagnostic}:${revision ?? "removed"}`,
      at: new Date().toISOString(),
      domain,
      type: "waiver",
      version,
      diagnostic,
      revision,
      ...waived,
    })),
  );
  return letThrough.map((l) => (l.waived === null ? { ...l, waived } : l));
}
