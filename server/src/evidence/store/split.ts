import type { Split } from "../../../../shared/model/rollout.ts";
import { HarnessError } from "../../base/errors.ts";
import { choiceConstant } from "../contract/choices.ts";
import type { SqlFragment } from "./sql.ts";
import { sqlConstant } from "./sqlConstant.ts";

const seal: unique symbol = Symbol("unsealed");

/** Proof that the audit split may be read: only `unsealAudit` makes one. */
export interface Unsealed {
  readonly [seal]: true;
  readonly because: string;
}

/**
 * Opens the audit split for the queries that are given the token. To be called in two places only: where a promoted
 * version is reported, and where its audit score is computed. The reason goes to the log with each use.
 */
export function unsealAudit(because: string): Unsealed {
  return { [seal]: true, because };
}

/** The split that a query reads. The audit split is unreachable without the token, by type and at run time. */
export type SplitScope =
  | { readonly split: Exclude<Split, "audit"> }
  | { readonly split: "audit"; readonly unsealed: Unsealed };

/** The rollouts of one split, of one version, of some or of all, of all training steps or of one; of all, or those from a number on. */
export type EvidenceScope = SplitScope & {
  readonly version?: string;
  readonly versions?: readonly string[];
  readonly atStep?: number;
  readonly fromRid?: number;
};

/** The rollouts of `r` that are not of the audit split. */
export const openSplits = `r.split <> ${choiceConstant("split", "audit")}`;

/** For a query that reads rows of a scope alone: the versions that decide its answer. */
export function versionsOf({
  version,
  versions,
}: Pick<EvidenceScope, "version" | "versions">): readonly string[] | undefined {
  return version === undefined ? versions : [version];
}

/** The condition that every query over rollouts carries; the alias of the table is `r`. */
export function scopeCondition(scope: EvidenceScope): SqlFragment {
  assertOpen(scope);
  const { split, atStep, fromRid } = scope;
  const ofStep = atStep === undefined ? "" : ` AND r.step = ${BigInt(atStep)}`;
  const from = fromRid === undefined ? "" : ` AND r.rid >= ${BigInt(fromRid)}`;
  const sql = `r.split = ${choiceConstant("split", split)}${ofStep}${from}`;
  const versions = versionsOf(scope);
  if (versions === undefined) return { sql, params: [] };
  const names = versions.map(sqlConstant);
  const params = names.flatMap((name) => name.params);
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return { sql: `${sql} AND r.version = ${only.sql}`, params };
  return {
    sql: `${sql} AND ${names.length === 0 ? "FALSE" : `r.version IN (${names.map((name) => name.sql).join(", ")})`}`,
    params,
  };
}

/** @throws HarnessError badInput for the audit split without its token */
export function assertOpen(scope: { readonly split: Split; readonly unsealed?: Unsealed }): void {
  if (scope.split !== "audit") return;
  if (!scope.unsealed?.[seal])
    throw new HarnessError(
      "badInput",
      "The audit split is sealed until a version is promoted; use the train or the selection split.",
    );
}
