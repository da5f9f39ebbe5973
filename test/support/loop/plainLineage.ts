import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import type { Lineage } from "../../../server/src/lineage/graph.ts";
import type { VersionRecord } from "../../../server/src/lineage/records/versionRecord.ts";

type Of<T extends LedgerEntry["type"]> = Readonly<Extract<LedgerEntry, { type: T }>>;

/**
 * The lineage of a short ledger in which every entry counts, without packing and signatures: a simulation asks for it a
 * hundred times in each schedule. At its end `buildLineage` reads the same ledger.
 */
export class PlainLineage implements Lineage {
  readonly domain = "toy";
  readonly problems = [];
  readonly #told = new Map<string, LedgerEntry[]>();
  readonly #records = new Map<string, VersionRecord>();

  add(entry: LedgerEntry): void {
    const own = [...(this.#told.get(entry.version) ?? []), entry];
    this.#told.set(entry.version, own);
    const record = recordOf(own);
    if (record !== undefined) this.#records.set(entry.version, record);
  }

  get versions(): VersionRecord[] {
    return [...this.#records.values()];
  }
}

function recordOf(entries: readonly LedgerEntry[]): VersionRecord | undefined {
  const all = <T extends LedgerEntry["type"]>(type: T): Of<T>[] =>
    entries.filter((e): e is Extract<LedgerEntry, { type: T }> => e.type === type);
  const [begun] = all("version");
  if (begun === undefined) return undefined;
  const evidence = all("evidence");
  const [selection, audit] = [
    evidence.findLast(({ split }) => split === "selection"),
    evidence.findLast(({ split }) => split === "audit"),
  ];
  const { commit, parent, generation, factor, intervention, title, at, merges, without, joins } = begun;
  return {
    ...{ name: begun.version, commit, proposed: commit, parent, generation, factor, intervention },
    ...{ title, proposedAs: title, at, waivers: [], standing: "earlier", claims: [] },
    ...{ hypothesis: all("hypothesis").at(-1), backtest: all("backtest").at(-1) },
    ...{ approvals: all("approval"), jobs: all("job"), screenings: all("screening"), notes: all("note") },
    smokes: all("smoke"),
    evidence: { ...(selection && { selection }), ...(audit && { audit }) },
    ...{ decision: all("decision").at(-1), decisions: all("decision"), promotion: all("promotion").at(-1) },
    ...{ calibration: all("calibration").at(-1), merges, without, joins },
  };
}
