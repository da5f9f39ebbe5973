import { counted } from "../../../../shared/words/numbers.ts";
import type { VersionRecord } from "../graph.ts";

/**
 * What to say where nothing counts of versions that the ledger has, because nobody whose key is trusted here signed them;
 * null where there is no such version. `what` is what they do not count as.
 */
export function untrustedText(
  versions: readonly Pick<VersionRecord, "standing">[],
  what: string,
): string | null {
  const claimed = versions.filter(({ standing }) => standing === "claim");
  if (claimed.length === 0) return null;
  return `The ledger has ${counted(claimed.length, "version")} that ${claimed.length === 1 ? "does" : "do"} not count ${what}, because no key that you trust signed ${claimed.length === 1 ? "it" : "them"}. \`evotrainer lineage\` names the key; if it is a teammate's, run \`evotrainer trust <key> --name <who>\`.`;
}
