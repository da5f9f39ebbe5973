import type { InParentEnvironment } from "../../../../shared/ledger/newWay.ts";
import { newWayText } from "../../../../shared/ledger/newWayText.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import { readChanges } from "../../lineage/hunks.ts";
import { differenceOf, type Difference } from "../../proposals/difference/difference.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { Gain } from "../../decision/verdictPorts.ts";
import { outcomesByItem } from "../../evidence/queries/query.ts";
import { findVersion } from "../../lineage/graph.ts";
import type { Project } from "../../project/project.ts";
import { factorsHere } from "../../project/surfaces.ts";
import { comparePaired } from "../../statistics/comparison/compare.ts";
import { collectOutcomes } from "../../statistics/scores/outcomes.ts";
import { newWaysOf } from "../gaps/newWaysOf.ts";
import { usableOf } from "../project/usableDiagnostics.ts";
import { cleanEvidence } from "../workspace/runs.ts";
import { readLineage, type Workspace } from "../workspace/workspace.ts";
import { evaluateIn, type CleanEngine } from "./reevaluateClean.ts";

/** Where the gain of a version comes from, as `VerdictPorts` says. */
export async function gainOf(
  engine: CleanEngine,
  { version, parent }: { readonly version: string; readonly parent: string },
  project: Project,
  signal: AbortSignal,
): Promise<Gain> {
  const { domain } = project.spec;
  const { diagnostics: labels } = usableOf(
    project.diagnostics.map((d) => d.spec),
    domain,
  );
  const newWays = await newWaysOf(engine.store, { version, parent, labels, signal });
  for (const way of newWays) engine.emit({ type: "note", message: `${version}: ${newWayText(way, parent)}` });
  const changed = await changedEnvironment(engine.workspace, { version, parent }, project.spec);
  const switched = changed.filter(isSwitch);
  const isAsked = changed.length > 0 && (newWays.length > 0 || switched.length > 0);
  const found = isAsked ? await inParentEnvironment(engine, { version, parent }, project, signal) : null;
  const names = switched.map(({ file, path }) => (path === "" ? file : path));
  return { newWays, inParentEnvironment: found === null ? null : { ...found, switched: names } };
}

/**
 * Whether something of the environment is switched on, off or over. A number is mostly a limit: with more room a gain is lost in
 * the parent's environment, and nothing is wrong with it. But with 0 there is none of it at all.
 */
export const isSwitch = ({ from, to }: Pick<Difference, "from" | "to">): boolean =>
  typeof from !== "number" || typeof to !== "number" || from === 0 || to === 0;

/** What a version has otherwise than its parent on the surfaces of the environment. */
async function changedEnvironment(
  workspace: Workspace,
  { version, parent }: { readonly version: string; readonly parent: string },
  spec: ProjectSpec,
): Promise<Difference[]> {
  const lineage = await readLineage(workspace, spec.domain);
  const [own, above] = [findVersion(lineage, version), findVersion(lineage, parent)];
  if (own === undefined || above === undefined) return [];
  const files = await readChanges(workspace.repository, above.commit, own.commit).catch((e: unknown) => {
    if (!HarnessError.is(e, "badInput")) throw e;
    return null;
  });
  // Nobody can say what a file without lines changes.
  if (files === null)
    return own.factor === "environment" || own.factor === null
      ? [{ file: "files", path: "", from: undefined, to: undefined }]
      : [];
  const all = differenceOf(
    files.map(({ path, base, proposed }) => ({ path, before: base, after: proposed })),
  );
  return all.filter(({ file, path }) => factorsHere(spec, { file, path }).includes("environment"));
}

async function inParentEnvironment(
  engine: CleanEngine,
  { version, parent }: { readonly version: string; readonly parent: string },
  project: Project,
  signal: AbortSignal,
): Promise<InParentEnvironment> {
  const unknown = (because: string): InParentEnvironment => ({
    ...{ parent, score: null, comparison: null, because },
  });
  try {
    const evaluated = await evaluateIn(engine, { version, parent }, project, signal);
    if (typeof evaluated === "string") return unknown(evaluated);
    if (evaluated.score === null) return unknown("its rollouts have no known outcome there.");
    const of = async (name: string) =>
      collectOutcomes(await outcomesByItem(engine.store, { split: "selection", version: name }));
    const { aggregator } = project.spec.metric;
    const comparison = comparePaired(parent, await of(parent), await of(cleanEvidence(version)), {
      ...{ aggregator, confidence: 0.95 },
    });
    return { parent, score: evaluated.score, comparison };
  } catch (e) {
    // Stopped in the middle, it goes on from here when the evolution does.
    if (signal.aborted || !HarnessError.is(e) || HarnessError.is(e, "cancelled")) throw e;
    return unknown(messageOf(e));
  }
}
