import { join } from "node:path";
import { labelShare } from "../../../../shared/model/labelShare.ts";
import { noVersionNamed } from "../../../../shared/words/refusals.ts";
import type { DiagnosticRow, DiagnosticsList } from "../../../../shared/protocol/views/specs.ts";
import { HarnessError } from "../../base/errors.ts";
import { shippedFile } from "../../project/library.ts";
import { isHeld } from "../../lineage/records/held.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { projectOrBare } from "../project/bareProject.ts";
import { withoutTrialPower } from "../project/trials.ts";
import { knownLineage } from "../project/knownLineage.ts";

/**
 * The diagnostics that a project uses, or a folder that only has evidence, its own and the shipped ones, with how often each label was set in a version: the
 * named one, or the best that was kept, or the newest that was measured. As the ledger has it, so that no archive is needed.
 * @throws HarnessError projectInvalid, notFound
 */
export async function listDiagnostics(root: string, asked?: string): Promise<DiagnosticsList> {
  const { domain, diagnostics, problems } = await projectOrBare(root);
  const known = await knownLineage(root, domain);
  const { own } = known;
  const { onTrial } = await withoutTrialPower(
    diagnostics.map((d) => d.spec),
    known,
    domain,
  );
  const version =
    asked === undefined
      ? (bestKept(own) ?? own.findLast((v) => v.evidence.selection !== undefined))
      : own.find((v) => v.name === asked);
  if (asked !== undefined && version === undefined) throw new HarnessError("notFound", noVersionNamed(asked));
  const counts = new Map(version?.evidence.selection?.labels.map((l) => [l.name, l]));
  const rows = diagnostics.map(({ path, spec: { name, layer, label, description, over } }): DiagnosticRow => {
    const shipped = path.startsWith("library/");
    const count = counts.get(name);
    return {
      name,
      layer,
      severity: label.severity,
      description: description ?? null,
      path,
      file: shipped ? shippedFile({ path }) : join(root, path),
      shipped,
      rate: count === undefined ? null : labelShare(count).rate,
      rollouts: count?.labelled ?? null,
      over: count?.over ?? (over === "group" ? "group" : "rollout"),
      alert: count?.alert ?? null,
      ...(onTrial.has(name) ? { onTrial: true } : {}),
    };
  });
  return { version: version?.name ?? null, diagnostics: rows, problems: problems.map((p) => ({ ...p })) };
}

/** The version that was kept with the highest score and is not held; those that an invalidating label was found in are not kept. */
function bestKept(versions: readonly VersionRecord[]): VersionRecord | undefined {
  const scoreOf = ({ evidence }: VersionRecord): number => evidence.selection?.score?.value ?? -1;
  const kept = versions.filter(
    (v) =>
      (v.decision?.decision === "keep" || v.decision?.decision === "merge") && !isHeld(v) && scoreOf(v) >= 0,
  );
  return kept.toSorted((a, b) => scoreOf(b) - scoreOf(a))[0];
}
