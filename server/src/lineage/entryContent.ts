import type { z } from "zod";
import { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { HarnessError, messageOf } from "../base/errors.ts";
import { entryLimitBytes } from "./entries/entryBlocks.ts";
import { typeOrder } from "./entries/entryLog.ts";
import { ledgerPath } from "./entries/ledgerPath.ts";
import type { ReadObject } from "./objects.ts";

/**
 * Checks a value against the ledger's schema.
 * @throws HarnessError ledgerInvalid with field and reason
 */
export function parseEntry(value: unknown): LedgerEntry {
  const parsed = LedgerEntry.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new HarnessError("ledgerInvalid", `The ledger entry was refused: ${describeIssue(parsed.error)}.`);
}

function describeIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  const field = issue?.path.map(String).join(".") ?? "";
  return `${field === "" ? "" : `${field}: `}${issue?.message ?? "it does not fit the schema"}`.replace(
    /\.$/,
    "",
  );
}

export type Parsed = { type: "entry"; entry: LedgerEntry } | { type: "bad"; reason: string };

/** To compile the schema takes as long as to check so many entries without that: most verbs read fewer. */
const worthCompiling = 500;
let checked = 0;

export function parseContent(content: Buffer): Parsed {
  try {
    checked += 1;
    const parsed = LedgerEntry.safeParse(JSON.parse(content.toString("utf8")), {
      jitless: checked < worthCompiling,
    });
    return parsed.success
      ? { type: "entry", entry: parsed.data }
      : { type: "bad", reason: describeIssue(parsed.error) };
  } catch (e) {
    return { type: "bad", reason: `not JSON: ${messageOf(e)}` };
  }
}

/** The entry that git holds under a path of the ledger, or why it cannot be used. */
export function entryAt(path: string, object: ReadObject): Parsed {
  const bad = (reason: string): Parsed => ({ type: "bad", reason });
  if (object.type === "missing") return bad("its content is missing from the repository");
  if (object.type === "tooLarge") return bad(`over ${entryLimitBytes} bytes`);
  if (object.kind !== "blob") return bad("not a file");
  const parsed = parseContent(object.content);
  // Only who reads a merge of two ledgers gives an entry another name.
  if (parsed.type === "entry" && parsed.entry.was !== undefined)
    return bad("it says that it had another name");
  return parsed.type === "entry" && ledgerPath(parsed.entry.id) !== path
    ? bad(`its id ${parsed.entry.id} does not belong to this path`)
    : parsed;
}

const entryPath = /^entries\/[0-9a-f]{2}\/[^/]+\.json$/;
export const isEntryPath = (path: string): boolean => entryPath.test(path);

/** The order of the entries of one commit: by time, then as things follow one another. */
export function compareEntries(a: LedgerEntry, b: LedgerEntry): number {
  const byTime = a.at === b.at ? 0 : Date.parse(a.at) - Date.parse(b.at);
  const byType = typeOrder.indexOf(a.type) - typeOrder.indexOf(b.type);
  return byTime || byType || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
