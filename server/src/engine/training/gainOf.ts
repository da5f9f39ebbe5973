import type { InParentEnvironment } from "../../../../shared/ledger/newWay.ts";
import { newWayText } from "../../../../shared/ledger/newWayText.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Gain } from "../../decision/verdictPorts.ts";
import { outcomesByItem } from "../../evidence/queries/query.ts";
import { findVersion } from "../../lineage/graph.ts";
import type { Project } from "../../project/project.ts";
import { comparePaired } from "../../statistics/comparison/compare.ts";
import { collectOutcomes } from "../../statistics/scores/outcomes.ts";
import { newWaysOf } from "../gaps/newWaysOf.ts";
import { usableOf } from "../project/usableDiagnostics.ts";
import { cleanEvidence } from "../workspace/runs.ts";
import { readLineage } from "../workspace/workspace.ts";
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
  const factor = findVersion(await readLineage(engine.workspace, domain), version)?.factor;
  // A merge has no factor of its own, and may change the environment as well.
  const mayDiffer = factor === "environment" || factor === null;
  return {
    newWays,
    inParentEnvironment:
      newWays.length === 0 || !mayDiffer
        ? null
        : await inParentEnvironment(engine, { version, parent }, project, signal),
  };
}

async function inParentEnvironment(
  engine: CleanEngine,
  { version, parent }: { readonly version: string; readonly parent: string },
  project: Project,
  signal: AbortSignal,
): Promise<InParentEnvironment | null> {
  try {
    const evaluated = await evaluateIn(engine, { version, parent }, project, signal);
    if (typeof evaluated === "string" || evaluated.score === null) return null;
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
    return null;
  }
}
