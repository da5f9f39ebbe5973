import type { AllServices } from "../../../../shared/protocol/services.ts";
import { HarnessError } from "../../base/errors.ts";
import { readRolloutNotes, rolloutNotesPath } from "../../diagnosis/rolloutNotes.ts";
import type { SqlFragment } from "../../evidence/store/sql.ts";
import { every, type RolloutFilter } from "../../evidence/queries/rolloutFilter.ts";
import { textCondition } from "../../evidence/queries/search.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { parseTextQuery } from "../../evidence/queries/textQuery.ts";
import { compilePredicate } from "../../predicate/compile.ts";
import { assertLookedFor } from "./knownLabel.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import type { OpenSplit } from "../../../../shared/protocol/results/openSplit.ts";

/** What a list of rollouts is narrowed by. */
type ListedParams = Omit<AllServices["rollouts.export"]["given"], "orderBy" | "descending" | "path">;

/** Which rollouts are listed: `filter` is all of it, `unsearched` what is left without the search. */
export interface Listed {
  readonly filter: RolloutFilter;
  readonly unsearched: RolloutFilter;
  readonly search: { readonly text: string; readonly ignoreCase: boolean } | undefined;
}

/** The filter that a list's parameters ask for. @throws HarnessError badInput, notFound */
export async function listedFilter(
  store: Store,
  root: string,
  params: ListedParams & { readonly split: OpenSplit },
): Promise<Listed> {
  const { version, split, outcome, item, step, stopReason, label, where, search, ignoreCase, note } = params;
  if (label !== undefined) await assertLookedFor(store, root, { label, version, split });
  const narrowed = whereOf({ where, stopReason });
  const noted = note === undefined ? undefined : await notedCondition(root, note);
  const conditions = [narrowed.where, noted].filter((one) => one !== undefined);
  const unsearched: RolloutFilter = {
    version,
    split,
    ...(outcome === undefined ? {} : { outcome }),
    ...(item === undefined ? {} : { item }),
    ...(step === undefined ? {} : { step }),
    ...(label === undefined ? {} : { label }),
    ...(conditions.length === 0 ? {} : { where: every(conditions) }),
  };
  if (search === undefined) return { filter: unsearched, unsearched, search: undefined };
  const sought = { text: search, ignoreCase: ignoreCase ?? false };
  const holds = await textCondition(store, parseTextQuery(search, sought));
  return {
    filter: { ...unsearched, where: every([...conditions, holds]) },
    unsearched,
    search: sought,
  };
}

/** The rollouts that people wrote a note about that holds a text. */
async function notedCondition(root: string, text: string): Promise<SqlFragment> {
  const sought = text.toLowerCase();
  const notes = await readRolloutNotes(rolloutNotesPath(engineFolderOf(root)));
  const names = notes
    .filter(({ note }) => note.toLowerCase().includes(sought))
    .map(({ run, id }) => `${run}/${id}`);
  if (names.length === 0) return { sql: "FALSE", params: [] };
  return { sql: "r.run || '/' || r.id IN (SELECT unnest(?))", params: [[...new Set(names)]] };
}

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
