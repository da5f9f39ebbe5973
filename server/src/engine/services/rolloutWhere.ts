import { z } from "zod";
import { Outcome } from "../../../../shared/model/rollout.ts";
import { HarnessError } from "../../base/errors.ts";
import type { SqlFragment } from "../../evidence/database.ts";
import { every } from "../../evidence/rolloutFilter.ts";
import { compilePredicate } from "../../predicate/compile.ts";
import { OpenSplit } from "./openSplit.ts";

/** What a list of rollouts and their groups can be narrowed by. The audit split is sealed: it cannot even be named here. */
export const filterParams = {
  version: z.string(),
  split: OpenSplit.exactOptional(),
  outcome: Outcome.exactOptional(),
  item: z.string().exactOptional(),
  step: z.int().exactOptional(),
  stopReason: z.string().exactOptional(),
  label: z.string().exactOptional(),
  where: z.string().exactOptional().describe("A CEL condition."),
};

/** The condition that a list's parameters ask for beside its scalars. @throws HarnessError badInput with the place of the error */
export function whereOf({
  where,
  stopReason,
}: {
  readonly where: string | undefined;
  readonly stopReason: string | undefined;
}): { where?: SqlFragment } {
  const conditions = [
    ...(where === undefined ? [] : [{ sql: `coalesce(${compiled(where)}, FALSE)`, params: [] }]),
    ...(stopReason === undefined ? [] : [{ sql: "r.stop_reason = ?", params: [stopReason] }]),
  ];
  return conditions.length === 0 ? {} : { where: every(conditions) };
}

function compiled(text: string): string {
  const found = compilePredicate(text);
  if (found.ok) return found.predicate.sql;
  const marked = found.problems.map(
    ({ start, end, message }) =>
      `${message}\n  ${text}\n  ${" ".repeat(start)}${"^".repeat(Math.max(1, end - start))}`,
  );
  throw new HarnessError("badInput", `The filter cannot be used: ${marked.join("\n")}`);
}
