import type { Factor } from "../../../shared/spec/common.ts";
import { isPatch, type Edit } from "../../../shared/spec/edit.ts";
import type { InterventionSpec } from "../../../shared/spec/intervention.ts";
import type { ProjectSpec } from "../../../shared/spec/project.ts";
import type { VersionRecord } from "../lineage/records/versionRecord.ts";
import type { OutcomeFile } from "./difference/difference.ts";
import { editsOf } from "./difference/editsOf.ts";

/** What a composed draft claims, as an intervention says it. */
interface Claim {
  readonly name: string;
  readonly because: string;
  readonly factor: Factor;
  readonly targets: readonly string[];
  readonly fixes: readonly string[];
  readonly risks: readonly string[];
  readonly atLeast: number;
  readonly confidence: number;
  readonly guardrails: InterventionSpec["guardrails"];
}

/** The intervention that makes these files of their parent's: other values, and patches of texts. */
export function composedSpec(
  claim: Claim,
  files: readonly OutcomeFile[],
  declared: ProjectSpec,
): InterventionSpec {
  const { edit } = editsOf(declared, files);
  const { name, because, factor, targets, fixes, risks, atLeast, confidence, guardrails } = claim;
  return {
    apiVersion: "evotrainer/v1",
    kind: "Intervention",
    name,
    hypothesis: { change: changedIn(edit[0], files), metric: "solve_rate", direction: "increase", because },
    targets: targets.length === 0 ? ["low-score"] : [...new Set(targets)],
    factor,
    edit: [...edit],
    predicts: { fixes: [...new Set(fixes)], risks: [...new Set(risks)] },
    success: { metric: "solve_rate", atLeast, confidence },
    guardrails: strictest(guardrails),
    rollback: "revert",
  };
}

/** What a hypothesis names as changed: a value by its path, lines by their file. */
const changedIn = (first: Edit | undefined, files: readonly OutcomeFile[]): string =>
  first !== undefined && !isPatch(first) ? first.path : (files[0]?.path ?? "");

function strictest(guardrails: InterventionSpec["guardrails"]): InterventionSpec["guardrails"] {
  const least = new Map<string, number>();
  for (const { metric, atMost } of guardrails)
    least.set(metric, Math.min(atMost, least.get(metric) ?? Infinity));
  return [...least].map(([metric, atMost]) => ({ metric, atMost }));
}

/** What was claimed of versions together. */
export function claimsOf(versions: readonly VersionRecord[]): Omit<Claim, "name" | "because" | "factor"> {
  const claims = versions.flatMap(({ hypothesis }) => hypothesis ?? []);
  const specs = claims.flatMap(({ spec }) => spec ?? []);
  return {
    targets: claims.flatMap((c) => c.targets),
    fixes: claims.flatMap((c) => c.predictedFixes),
    risks: claims.flatMap((c) => c.predictedRisks),
    // Any gain over the better one is worth having: its edits are paid for already.
    atLeast: 0,
    confidence: Math.max(0.95, ...specs.map((s) => s.success.confidence)),
    guardrails: specs.flatMap((s) => s.guardrails),
  };
}
