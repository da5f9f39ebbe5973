import { createHash } from "node:crypto";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { usableLabel } from "../diagnosis/label/compileLabel.ts";
import { tablesFor } from "../evidence/store/derived.ts";
import type { Store } from "../evidence/archive/store.ts";

/** The condition of a diagnostic as SQL over `rollouts r` (and `features f`), and the revision that labels carry. */
export interface LabelCondition {
  readonly label: string;
  readonly revision: string;
  readonly sql: string;
}

/** @throws HarnessError specInvalid when the condition does not compile */
export function conditionOf(spec: DiagnosticSpec): LabelCondition {
  const { revision, when } = usableLabel(spec);
  return { label: spec.name, revision, sql: when };
}

/** The tables that the conditions read, filled where they are derived. */
export function tablesOf(store: Store, conditions: readonly Pick<LabelCondition, "sql">[]): Promise<string> {
  return tablesFor(store, conditions.map((c) => c.sql).join(" "));
}

/** Whether a diagnostic labels rollouts of a domain. */
export function isFor(spec: DiagnosticSpec, domain: string): boolean {
  return spec.over === "rollout" && (spec.domains?.includes(domain) ?? true);
}

/** Changes whenever the diagnostic could quarantine other versions than before: what a waiver holds for. */
export function quarantineRevision(spec: DiagnosticSpec): string {
  const { when, invalidates } = spec.label;
  return createHash("sha256")
    .update(JSON.stringify([when, invalidates, spec.domains?.toSorted() ?? null]))
    .digest("hex")
    .slice(0, 16);
}
