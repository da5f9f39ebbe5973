import { openLedger, type Ledger } from "./ledger.ts";
import type { Repository } from "./repository.ts";

const open = new Map<string, Pick<Ledger, "read">>();
const mostOpen = 4;

/**
 * The ledger of a repository for who only reads it: all who ask in this process share what was read, of the few
 * repositories that were asked about last.
 */
export function sharedLedger(repository: Repository): Pick<Ledger, "read"> {
  const key = `${repository.topLevel}\0${repository.commonDir}`;
  const ledger = open.get(key) ?? openLedger(repository);
  open.delete(key);
  open.set(key, ledger);
  for (const oldest of [...open.keys()].slice(0, -mostOpen)) open.delete(oldest);
  return ledger;
}
