import { join } from "node:path";
import type { DiagnosticFile } from "../../../../shared/protocol/results/diagnosticFile.ts";
import type { AllServices } from "../../../../shared/protocol/services.ts";
import { HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import { versionVariables } from "../../predicate/variables.ts";
import { loadProject, projectFile } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { nonInferiority } from "../../statistics/comparison/guardrail.ts";
import { metricNames } from "../../statistics/scores/metric.ts";
import { usableDiagnostics, type UsableDiagnostics } from "../project/usableDiagnostics.ts";
import { measuredNames, type Measured } from "./measure.ts";
import { measureNamed, type ComparedPair } from "./measureNamed.ts";

type Tolerance = AllServices["versions.compare"]["given"]["guardrails"][number];

export interface GuardrailReport {
  readonly metric: string;
  readonly unit: Measured["unit"];
  /** `tolerance`: how much worse than a it may be. `limit`: what it may be at most, by the intervention. */
  readonly kind: "tolerance" | "limit";
  readonly allowed: number;
  readonly better: "higher" | "lower";
  readonly a: number | null;
  readonly b: number | null;
  readonly difference: number | null;
  /** Of the difference for a tolerance, of b for a limit; null where there is no interval that can be believed. */
  readonly low: number | null;
  readonly high: number | null;
  readonly method: string | null;
  readonly items: number;
  readonly verdict: "holds" | "violated" | "cannot_tell";
  /** Whether what is unknown, counted either way, could change the verdict. */
  readonly unknownMatter: boolean;
  /** Why it cannot be told. */
  readonly because: string | null;
}

interface Compared extends ComparedPair {
  readonly root: string;
  /** Diagnostics that were brought along. */
  readonly given: readonly DiagnosticFile[];
}

/** The verdicts of the guardrails asked for, and of those of the intervention that made b. @throws HarnessError badInput */
export async function guardrailReports(
  compared: Compared,
  asked: readonly Tolerance[],
  intervention: string | null,
): Promise<GuardrailReport[]> {
  const limits = await limitsOf(compared.root, intervention);
  if (asked.length + limits.length === 0) return [];
  const reports: GuardrailReport[] = [];
  const usable = (): Promise<UsableDiagnostics> => usableDiagnostics(compared.root, compared.given);
  for (const guardrail of asked) {
    const measured = await measureNamed(compared, guardrail.metric, usable);
    if (measured === undefined)
      throw new HarnessError(
        "badInput",
        `A guardrail cannot use ${guardrail.metric}; use a score (${metricNames}), one of ${measuredNames.join(", ")}, or a label.`,
      );
    if (measured.unit === "share" && guardrail.tolerance > 1)
      throw new HarnessError(
        "badInput",
        `A guardrail on ${guardrail.metric} of ${guardrail.tolerance} allows everything: it is a share from 0 to 1; write how much worse it may be as a share, such as 0.02, or in points, such as 2%.`,
      );
    reports.push(toleranceReport(guardrail, measured));
  }
  for (const { metric, atMost } of limits) {
    const measured = await measureNamed(compared, metric, usable);
    reports.push(limitReport({ metric, atMost }, measured));
  }
  return reports;
}

async function limitsOf(
  root: string,
  intervention: string | null,
): Promise<readonly { readonly metric: string; readonly atMost: number }[]> {
  if (intervention === null || !(await exists(join(root, projectFile)))) return [];
  const { interventions } = await loadProject(workTree(root));
  return interventions.find((i) => i.spec.name === intervention)?.spec.guardrails ?? [];
}

/** Non-inferiority of b by a margin (ICH E9): the whole interval has to lie on one side of it. */
function toleranceReport(
  { metric, tolerance, better: asked }: Tolerance,
  measured: Measured,
): GuardrailReport {
  const better = asked ?? measured.better;
  const { interval, outer } = measured;
  const options = { margin: tolerance, better };
  const verdict = interval === null ? "cannot_tell" : nonInferiority(interval, options);
  return {
    ...reported(metric, measured, better),
    kind: "tolerance",
    allowed: tolerance,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    verdict,
    unknownMatter: matters(verdict, outer, (ends) => nonInferiority(ends, options)),
    because: measured.because,
  };
}

/** The limit of an intervention: that of b itself has to lie on one side of it, with its interval. */
function limitReport(
  { metric, atMost }: { readonly metric: string; readonly atMost: number },
  measured: Measured | undefined,
): GuardrailReport {
  if (measured === undefined)
    return {
      metric,
      unit: "value",
      kind: "limit",
      allowed: atMost,
      better: "lower",
      a: null,
      b: null,
      difference: null,
      low: null,
      high: null,
      method: null,
      items: 0,
      verdict: "cannot_tell",
      unknownMatter: false,
      because: versionVariables.some((v) => v.name === metric)
        ? `${metric} is one number of the whole version and has no interval; \`evotrainer diagnose\` shows it`
        : `nothing measures ${metric}`,
    };
  const { ofB } = measured;
  const verdict =
    ofB === null
      ? "cannot_tell"
      : nonInferiority({ low: ofB.low - atMost, high: ofB.high - atMost }, { margin: 0, better: "lower" });
  return {
    ...reported(metric, measured, "lower"),
    kind: "limit",
    allowed: atMost,
    low: ofB?.low ?? null,
    high: ofB?.high ?? null,
    method: null,
    verdict,
    unknownMatter: false,
    because:
      ofB === null
        ? `${metric} of this version has no interval: there are too few items, or all have the same value`
        : null,
  };
}

function reported(
  metric: string,
  { unit, a, b, difference, method, items }: Measured,
  better: "higher" | "lower",
): Pick<GuardrailReport, "metric" | "unit" | "better" | "a" | "b" | "difference" | "method" | "items"> {
  return { metric, unit, better, a, b, difference, method, items };
}

function matters(
  verdict: GuardrailReport["verdict"],
  outer: readonly [number, number] | null,
  of: (ends: { low: number; high: number }) => GuardrailReport["verdict"],
): boolean {
  if (outer === null || verdict === "cannot_tell") return false;
  return of({ low: outer[0], high: outer[1] }) !== verdict;
}
