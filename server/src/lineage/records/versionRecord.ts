import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { Standing } from "../trust/standing.ts";

/** An entry of the ledger of one type. */
export type Of<T extends LedgerEntry["type"]> = Readonly<Extract<LedgerEntry, { type: T }>>;
export type VersionEntry = Of<"version">;

/** Everything that the ledger knows about one version. */
export interface VersionRecord {
  readonly name: string;
  /** Its files: what was proposed, or what a reviewer took or wrote instead. */
  readonly commit: string;
  /** What was proposed at first. */
  readonly proposed: string;
  readonly parent: string | null;
  readonly generation: number;
  readonly factor: VersionEntry["factor"];
  readonly intervention: string | null;
  /** What its files change, on one line. */
  readonly title: string;
  /** Its title when it was proposed; another one after its gate altered it. */
  readonly proposedAs: string;
  readonly at: string;
  readonly origin?: VersionEntry["origin"] | undefined;
  /** Of a merge: its second parent. */
  readonly merges?: string | undefined;
  /** Of a subtraction: the version whose edits it takes out. */
  readonly without?: string | undefined;
  /** The tried version beside it whose edits it has as well. */
  readonly joins?: string | undefined;
  readonly hypothesis?: Of<"hypothesis"> | undefined;
  readonly backtest?: Of<"backtest"> | undefined;
  readonly approvals: readonly Of<"approval">[];
  /** Revisions of diagnostics that may be used although they would not quarantine this version again. */
  readonly waivers: readonly Of<"waiver">[];
  readonly jobs: readonly Of<"job">[];
  /** What came of trying its changed code, in the order in which it was tried. */
  readonly smokes: readonly Of<"smoke">[];
  /** The latest evidence of each split. */
  readonly evidence: { readonly selection?: Of<"evidence">; readonly audit?: Of<"evidence"> };
  /** What was found out of the noise before changes were tried, of a baseline: the latest. */
  readonly calibration?: Of<"calibration"> | undefined;
  /** Each look at it as a candidate, in their order. */
  readonly screenings: readonly Of<"screening">[];
  /** The decision in force: the latest. */
  readonly decision?: Of<"decision"> | undefined;
  readonly decisions: readonly Of<"decision">[];
  readonly promotion?: Of<"promotion"> | undefined;
  /** What people said of it, in their order. */
  readonly notes: readonly Of<"note">[];
  /** Whether an engine that is trusted here made it, or a release before engines signed. */
  readonly standing: Standing;
  /** What the ledger says of it that opens nothing, because nobody who is trusted here signed it: a sentence each. */
  readonly claims: readonly string[];
}
