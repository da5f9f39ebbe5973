import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { gatherRecord, type Weighed } from "./records/gatherRecord.ts";
import type { VersionEntry, VersionRecord } from "./records/versionRecord.ts";
import { EntryLog } from "./entries/entryLog.ts";
import { standingOf, type Standing } from "./trust/standing.ts";
import { trustedKeys, type TrustedKeys } from "./trust/trustedKeys.ts";
import {
  beginnings,
  parentsFirst,
  placesOf,
  removeUnrooted,
  type LineageProblem,
} from "./entries/lineageOrder.ts";

export interface Lineage {
  readonly domain: string;
  /** In the order in which they were created; a parent is always before its children. */
  readonly versions: readonly VersionRecord[];
  readonly problems: readonly LineageProblem[];
}

const built = new WeakMap<object, Map<string, Lineage>>();

/**
 * The lineage of a domain, folded from the ledger's entries in their order. Pure: the same entries and the same trusted keys
 * give the same lineage, and the same list, which nobody changes, is folded once.
 */
export function buildLineage(
  entries: Iterable<LedgerEntry>,
  domain: string,
  trusted: TrustedKeys = trustedKeys(),
): Lineage {
  const known = built.get(entries) ?? new Map<string, Lineage>();
  const key = `${domain} ${trusted.id}`;
  const lineage = known.get(key) ?? fold(EntryLog.of(entries), domain, trusted);
  built.set(entries, known.set(key, lineage));
  return lineage;
}

function fold(log: EntryLog, domain: string, trusted: TrustedKeys): Lineage {
  const problems: LineageProblem[] = [];
  const own = placesOf(log, domain);
  const worth = worthIn(log, trusted);
  const began = beginnings(log, own, { isClaim: (place) => worth(place) === "claim", problems });
  removeUnrooted(log, own, began, problems);
  // After the versions: a merge of two ledgers may bring an entry before the version that it speaks of.
  const [first, last] = [new Int32Array(log.subjects).fill(-1), new Int32Array(log.subjects).fill(-1)];
  const next = new Int32Array(log.length).fill(-1);
  for (const place of own) {
    if (log.typeAt(place) === "version") continue;
    const subject = log.subjectAt(place);
    const before = last[subject] ?? -1;
    if (!began.has(subject))
      problems.push({
        entry: log.at(place).id,
        reason: `there is no version ${log.nameOf(subject)} in the lineage`,
      });
    else if (before === -1) first[subject] = place;
    else next[before] = place;
    last[subject] = place;
  }
  const told: VersionsToBe = { log, began, first, next, worth, trusted };
  return { domain, versions: parentsFirst(log, began).map((subject) => new Told(told, subject)), problems };
}

/** Names of the domains that the ledger speaks of, sorted. */
export function domainsOf(entries: Iterable<LedgerEntry>): string[] {
  const log = EntryLog.of(entries);
  const domains = new Set<string>();
  for (let place = 0; place < log.length; place++) domains.add(log.domainOf(log.subjectAt(place)));
  return [...domains].sort();
}

/** The record of a version, or undefined. */
export function findVersion(lineage: Lineage, name: string): VersionRecord | undefined {
  return lineage.versions.find((version) => version.name === name);
}

/** The versions of a lineage by their numbers in the log. */
interface VersionsToBe {
  readonly log: EntryLog;
  /** The place of the entry that a version begins with. */
  readonly began: ReadonlyMap<number, number>;
  /** The place of the first other entry that speaks of a version, and after each the next one; -1 when there is no more. */
  readonly first: Int32Array;
  readonly next: Int32Array;
  readonly worth: Worth;
  readonly trusted: TrustedKeys;
}

/** What the entry at a place is worth, of a version first proposed as `commit`. */
type Worth = (place: number, commit?: string) => Standing;

const standings: readonly Standing[] = ["signed", "earlier", "claim"];

/** It is found out once: to check a signature takes a tenth of a millisecond. */
function worthIn(log: EntryLog, trusted: TrustedKeys): Worth {
  const { firstSigned } = log;
  let known: Uint8Array | undefined;
  return (place, commit) => {
    if (place < firstSigned) return "earlier";
    known ??= new Uint8Array(log.length);
    const before = standings[(known[place] ?? 0) - 1];
    if (before !== undefined) return before;
    const found = standingOf(log.at(place), trusted, commit);
    // Without a commit less was asked.
    if (commit !== undefined) known[place] = standings.indexOf(found) + 1;
    return found;
  };
}

/**
 * What the ledger tells of a version, gathered from its entries when somebody asks for it, and forgotten when the memory is
 * needed: of a long ledger all records would take more than the ledger.
 */
class Told implements VersionRecord {
  readonly #of: VersionsToBe;
  readonly #subject: number;
  #gathered: WeakRef<VersionRecord> | undefined;

  constructor(of: VersionsToBe, subject: number) {
    this.#of = of;
    this.#subject = subject;
  }

  get name(): string {
    return this.#of.log.nameOf(this.#subject);
  }
  get parent(): string | null {
    const { log, began } = this.#of;
    const parent = log.parentAt(began.get(this.#subject) ?? -1);
    return parent === -1 ? null : log.nameOf(parent);
  }
  get commit(): string {
    return this.gathered().commit;
  }
  get proposed(): string {
    return this.gathered().proposed;
  }
  get generation(): number {
    return this.gathered().generation;
  }
  get factor(): VersionEntry["factor"] {
    return this.gathered().factor;
  }
  get intervention(): string | null {
    return this.gathered().intervention;
  }
  get title(): string {
    return this.gathered().title;
  }
  get proposedAs(): string {
    return this.gathered().proposedAs;
  }
  get at(): string {
    return this.gathered().at;
  }
  get origin(): VersionRecord["origin"] {
    return this.gathered().origin;
  }
  get merges(): VersionRecord["merges"] {
    return this.gathered().merges;
  }
  get without(): VersionRecord["without"] {
    return this.gathered().without;
  }
  get joins(): VersionRecord["joins"] {
    return this.gathered().joins;
  }
  get hypothesis(): VersionRecord["hypothesis"] {
    return this.gathered().hypothesis;
  }
  get backtest(): VersionRecord["backtest"] {
    return this.gathered().backtest;
  }
  get approvals(): VersionRecord["approvals"] {
    return this.gathered().approvals;
  }
  get waivers(): VersionRecord["waivers"] {
    return this.gathered().waivers;
  }
  get jobs(): VersionRecord["jobs"] {
    return this.gathered().jobs;
  }
  get smokes(): VersionRecord["smokes"] {
    return this.gathered().smokes;
  }
  get evidence(): VersionRecord["evidence"] {
    return this.gathered().evidence;
  }
  get calibration(): VersionRecord["calibration"] {
    return this.gathered().calibration;
  }
  get screenings(): VersionRecord["screenings"] {
    return this.gathered().screenings;
  }
  get decision(): VersionRecord["decision"] {
    return this.gathered().decision;
  }
  get decisions(): VersionRecord["decisions"] {
    return this.gathered().decisions;
  }
  get promotion(): VersionRecord["promotion"] {
    return this.gathered().promotion;
  }
  get notes(): VersionRecord["notes"] {
    return this.gathered().notes;
  }
  get standing(): Standing {
    return this.gathered().standing;
  }
  get claims(): VersionRecord["claims"] {
    return this.gathered().claims;
  }

  /** The whole record, which stays as long as it is held. */
  gathered(): VersionRecord {
    const known = this.#gathered?.deref();
    if (known !== undefined) return known;
    const record = gather(this.#of, this.#subject);
    this.#gathered = new WeakRef(record);
    return record;
  }
}

/** A record with all that it says as its fields, for who copies it. */
export const wholeRecord = (version: VersionRecord): VersionRecord =>
  version instanceof Told ? version.gathered() : version;

function gather(of: VersionsToBe, subject: number): VersionRecord {
  const { log, began, first, next, worth, trusted } = of;
  const beginning = began.get(subject) ?? -1;
  const entry = log.at(beginning);
  if (entry.type !== "version") throw new RangeError(`${entry.id} begins no version.`);
  const { commit } = entry;
  function* others(): Iterable<Weighed> {
    for (let place = first[subject] ?? -1; place !== -1; place = next[place] ?? -1)
      yield { entry: log.at(place), standing: () => worth(place, commit) };
  }
  return gatherRecord({ entry, standing: () => worth(beginning, commit) }, others(), trusted);
}
