import { steplessCondition } from "../../evidence/archive/coverage.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { numberOf } from "../../evidence/store/rows.ts";

/** The rows with their step, or null where the format that they come from knows none: such a rollout bears 0. */
export async function withoutStep<T extends { readonly rid: number; readonly step: number }>(
  store: Store,
  rows: readonly T[],
): Promise<(Omit<T, "step"> & { readonly step: number | null })[]> {
  const first = rows.filter(({ step }) => step === 0).map(({ rid }) => rid);
  const condition = first.length === 0 ? undefined : await steplessCondition(store);
  if (condition === undefined) return [...rows];
  const found = await store.query({
    sql: `SELECT r.rid FROM rollouts r WHERE r.rid IN (${first.join(", ")}) AND ${condition}`,
    params: [],
  });
  const stepless = new Set(found.map((row) => numberOf(row, "rid")));
  return rows.map((row) => (stepless.has(row.rid) ? { ...row, step: null } : row));
}
