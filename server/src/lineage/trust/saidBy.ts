import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { trustedByName, type TrustedKey } from "./trustedKeys.ts";

/**
 * Who answered, for people to read. The name in an answer is what its writer says; where a teammate's key signed it and that
 * teammate is known by another name here, both are shown. The rule answers in nobody's name.
 */
export function saidBy(
  { by, signature }: Pick<Extract<LedgerEntry, { type: "approval" }>, "by" | "signature">,
  trusted: readonly TrustedKey[] = trustedByName(),
): string {
  const name = trusted.find(({ key }) => key === signature?.key)?.name;
  return name === undefined || name === by || by.startsWith("rule") ? by : `${by} (signed by ${name})`;
}
