import type { VersionReport } from "../../../shared/ledger/lineage.ts";

/** A version of which a report is made when somebody asks for it. */
export interface OutlinedVersion {
  readonly name: string;
  readonly parent: string | null;
  report(): VersionReport;
}

/** A lineage without what is known of its versions: the reports of a long one would take more than the ledger. */
export interface LineageOutline {
  readonly project: string;
  readonly domain: string;
  /** Parents before their children. */
  readonly versions: readonly OutlinedVersion[];
  /** What the ledger's user is to be told of the ledger itself. */
  readonly notices?: readonly string[] | undefined;
  /** What of the ledger's branch cannot be used. */
  readonly quarantined?: readonly { readonly path: string; readonly reason: string }[] | undefined;
  /** The names of the versions that entries speak of which an earlier outline does not have; undefined where nobody knows. */
  spokenOfSince?(before: LineageOutline): ReadonlySet<string> | undefined;
}
