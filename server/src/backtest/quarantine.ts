import { counted } from "../../../shared/words/numbers.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { HarnessError } from "../base/errors.ts";
import { countLabels } from "../diagnosis/countLabels.ts";
import { countRollouts } from "../evidence/queries/query.ts";
import type { EvidenceScope } from "../evidence/store/split.ts";
import type { Store } from "../evidence/archive/store.ts";
import type { VersionRecord } from "../lineage/records/versionRecord.ts";
import { conditionOf, isFor, quarantineRevision } from "../changes/condition.ts";

export const letThroughReasons = [
  "does_not_fire",
  "no_longer_invalidates",
  "other_domain",
  "removed",
  "not_archived",
] as const;

/** A version that the ledger quarantined for a label, and that the diagnostics at hand would not quarantine. */
export interface LetThrough {
  readonly version: string;
  readonly diagnostic: string;
  /** What a waiver has to name: the revision at hand; null when the diagnostic is gone. */
  readonly revision: string | null;
  readonly reason: (typeof letThroughReasons)[number];
  /** One sentence. */
  readonly message: string;
  /** Who accepted it and why; null while nobody did. */
  readonly waived: { readonly by: string; readonly reason: string } | null;
}

export interface QuarantineOptions {
  readonly versions: readonly VersionRecord[];
  /** Every diagnostic that would be in force. */
  readonly diagnostics: readonly DiagnosticSpec[];
  readonly domain: string;
}

interface Cause {
  readonly label: string;
  /** The revision that fired, where the ledger has it. */
  readonly revision: string | null;
}

/**
 * The quarantined versions that these diagnostics would let through. A version stays caught while any invalidating
 * diagnostic labels one of its selection rollouts; one whose rollouts are gone is let through unless the diagnostic is
 * the very revision that fired. Reads only.
 * @throws HarnessError specInvalid when an invalidating diagnostic does not compile
 */
export async function letThrough(store: Store, options: QuarantineOptions): Promise<LetThrough[]> {
  const found: LetThrough[] = [];
  const force = options.diagnostics.filter((d) => d.label.invalidates && isFor(d, options.domain));
  for (const version of options.versions) {
    const causes = causesOf(version);
    if (causes.length === 0 || causes.some((c) => isUnchanged(c, force))) continue;
    const { rollouts, fires } = await fired(store, version.name, force);
    if (fires) continue;
    for (const cause of causes) found.push(describe(version, cause, rollouts, options));
  }
  return found;
}

/** @throws HarnessError revisionRefused while a quarantined version would be let through without a waiver */
export async function refuseLettingThrough(store: Store, options: QuarantineOptions): Promise<void> {
  const open = (await letThrough(store, options)).filter((l) => l.waived === null);
  const [first] = open;
  if (first === undefined) return;
  const more = open.length > 1 ? ` (and ${open.length - 1} more)` : "";
  throw new HarnessError(
    "revisionRefused",
    `${first.message}${more} Restore the diagnostic, or look at \`evotrainer backtest ${first.diagnostic}\` and accept it there with --approve "<why>".`,
  );
}

/** The labels that the ledger quarantined a version for; none for one that is not, or for another reason. */
function causesOf(version: VersionRecord): Cause[] {
  if (version.decision?.decision !== "invalid") return [];
  const labels = version.evidence.selection?.labels ?? [];
  const counted = labels
    .filter((l) => l.invalidates && l.labelled > 0)
    .map((l) => ({ label: l.name, revision: l.revision ?? null }));
  if (counted.length > 0) return counted;
  return [...new Set(version.decision.evidence.map((e) => e.label))].map((label) => ({
    label,
    revision: null,
  }));
}

function isUnchanged({ label, revision }: Cause, force: readonly DiagnosticSpec[]): boolean {
  const spec = force.find((d) => d.name === label);
  return spec !== undefined && revision !== null && conditionOf(spec).revision === revision;
}

async function fired(
  store: Store,
  version: string,
  force: readonly DiagnosticSpec[],
): Promise<{ rollouts: number; fires: boolean }> {
  const scope: EvidenceScope = { split: "selection", version };
  const { total } = await countRollouts(store, scope);
  const counts = await countLabels(store, force, scope);
  return { rollouts: total, fires: [...counts.values()].some(({ labelled }) => labelled > 0) };
}

function describe(
  version: VersionRecord,
  { label }: Cause,
  rollouts: number,
  { diagnostics, domain }: QuarantineOptions,
): LetThrough {
  const spec = diagnostics.find((d) => d.name === label);
  const revision = spec === undefined ? null : quarantineRevision(spec);
  const reason = reasonOf(spec, domain, rollouts);
  const what = {
    does_not_fire: `this revision of ${label} labels none of its ${counted(rollouts, "rollout")}`,
    no_longer_invalidates: `${label} no longer invalidates`,
    other_domain: `${label} no longer applies to ${domain}`,
    removed: `${label} is gone, or cannot be read`,
    not_archived: `its rollouts are not in the archive, so the changed ${label} cannot be checked on them`,
  }[reason];
  const waiver = version.waivers.findLast((w) => w.diagnostic === label && w.revision === revision);
  return {
    version: version.name,
    diagnostic: label,
    revision,
    reason,
    message: `${version.name} was quarantined for ${label} and would be let through: ${what}.`,
    waived: waiver === undefined ? null : { by: waiver.by, reason: waiver.reason },
  };
}

function reasonOf(spec: DiagnosticSpec | undefined, domain: string, rollouts: number): LetThrough["reason"] {
  if (spec === undefined) return "removed";
  if (!spec.label.invalidates) return "no_longer_invalidates";
  if (!isFor(spec, domain)) return "other_domain";
  return rollouts === 0 ? "not_archived" : "does_not_fire";
}
