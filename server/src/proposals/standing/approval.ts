import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { GateName } from "../../../../shared/spec/gates.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";

export type Approval = Extract<LedgerEntry, { type: "approval" }>;

/** Which gate of which version is answered, by whom and when. */
export interface GivenAt {
  readonly domain: string;
  readonly version: string;
  readonly gate: GateName;
  /** Of the diagnosis gate, which each generation comes to again. */
  readonly generation?: number;
  readonly by: string;
  readonly at: string;
}

/**
 * The entry of an answer at a gate, whoever gives it: a person, the rule, or who approved in advance. Each answer of a gate
 * has its own id, so that of two that are given at once only one is written.
 */
export function approvalEntry(
  { gate, generation, ...given }: GivenAt,
  /** How many answers the gate had before. */
  before: number,
  answer: Omit<Approval, keyof GivenAt | "id" | "type">,
): Approval {
  const place = generation === undefined ? gate : `${gate}:g${generation}`;
  return {
    id: `approval:${given.version}:${place}${before === 0 ? "" : `:${before + 1}`}`,
    type: "approval",
    gate,
    ...(generation === undefined ? {} : { generation }),
    ...given,
    ...answer,
  };
}

/** The answers of a gate in their order. */
export function answersAt(
  { approvals }: Pick<VersionRecord, "approvals">,
  gate: GateName,
  generation?: number,
): readonly Approval[] {
  return approvals.filter(
    (a) => a.gate === gate && (generation === undefined || a.generation === generation),
  );
}
