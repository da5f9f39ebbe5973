import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { assertNever } from "../base/errors.ts";
import { EntryLog } from "./entries/entryLog.ts";
import { claimTexts, standingOf, type Standing } from "./trust/standing.ts";
import { trustedKeys, type TrustedKeys } from "./trust/trustedKeys.ts";
import {
  beginnings,
  parentsFirst,
  placesOf,
  removeUnrooted,
  type LineageProblem,
} from "./entries/lineageOrder.ts";

type Of<T extends LedgerEntry["type"]> = Readonly<Extract<LedgerEntry, { type: T }>>;
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

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
interface Draft extends Mutable<
  Omit<
    VersionRecord,
    "approvals" | "waivers" | "jobs" | "smokes" | "screenings" | "decisions" | "evidence" | "notes" | "claims"
  >
> {
  approvals: Of<"approval">[];
  waivers: Of<"waiver">[];
  jobs: Of<"job">[];
  screenings: Of<"screening">[];
  smokes: Of<"smoke">[];
  decisions: Of<"decision">[];
  notes: Of<"note">[];
  claims: string[];
  evidence: Mutable<VersionRecord["evidence"]>;
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
  // What another tool recorded was never signed, and opens nothing here.
  const isForeign = entry.origin !== undefined;
  const draft = begin(entry, isForeign ? "earlier" : worth(beginning, entry.commit));
  const claimed: LedgerEntry[] = draft.standing === "claim" ? [entry] : [];
  const early: Of<"approval">[] = [];
  for (let place = first[subject] ?? -1; place !== -1; place = next[place] ?? -1) {
    const one = log.at(place);
    const standing = isForeign || !isWeighed(one) ? "signed" : worth(place, entry.commit);
    if (standing === "claim") claimed.push(one);
    else if (standing === "earlier" && one.type === "approval") early.push(one);
    else attach(draft, one);
  }
  // An approval that nobody signed is history where something came of it, and opens nothing any more.
  if (draft.jobs.length > 0 || draft.decision !== undefined) draft.approvals.unshift(...early);
  else claimed.push(...early);
  for (const approval of draft.approvals) alter(draft, approval);
  for (const claim of claimed) if (isMissing(draft, claim)) attach(draft, claim);
  draft.claims.push(...claimTexts(claimed, trusted));
  return draft;
}

/** What people noted is told whoever wrote it; all else may be what a decision rests on, open a gate, or guide a proposer. */
const isWeighed = (entry: LedgerEntry): boolean =>
  entry.type === "note" ? entry.what === "hint" : entry.type !== "version";

/**
 * A version that nobody who is trusted here made is shown as its entries tell it, as in a clone of a teammate's ledger; of
 * one that was made here a claim changes nothing.
 */
function isMissing(draft: Draft, claim: LedgerEntry): boolean {
  if (draft.standing !== "claim") return false;
  if (claim.type === "evidence") return draft.evidence[claim.split] === undefined;
  if (claim.type === "hypothesis" || claim.type === "backtest" || claim.type === "decision")
    return draft[claim.type] === undefined;
  return claim.type === "job";
}

const begin = (entry: VersionEntry, standing: Standing): Draft => ({
  standing,
  claims: [],
  name: entry.version,
  commit: entry.commit,
  proposed: entry.commit,
  parent: entry.parent,
  generation: entry.generation,
  factor: entry.factor,
  intervention: entry.intervention,
  title: entry.title,
  proposedAs: entry.title,
  at: entry.at,
  ...(entry.origin === undefined ? {} : { origin: entry.origin }),
  ...(entry.merges === undefined ? {} : { merges: entry.merges }),
  ...(entry.without === undefined ? {} : { without: entry.without }),
  ...(entry.joins === undefined ? {} : { joins: entry.joins }),
  approvals: [],
  waivers: [],
  jobs: [],
  screenings: [],
  smokes: [],
  decisions: [],
  notes: [],
  evidence: {},
});

function attach(draft: Draft, entry: LedgerEntry): void {
  switch (entry.type) {
    case "version":
      return;
    case "hypothesis":
      draft.hypothesis = entry;
      return;
    case "backtest":
      draft.backtest = entry;
      return;
    case "approval":
      draft.approvals.push(entry);
      return;
    case "waiver":
      draft.waivers.push(entry);
      return;
    case "job":
      draft.jobs.push(entry);
      return;
    case "evidence":
      draft.evidence[entry.split] = entry;
      return;
    case "calibration":
      draft.calibration = entry;
      return;
    case "screening":
      draft.screenings.push(entry);
      return;
    case "decision":
      draft.decision = entry;
      draft.decisions.push(entry);
      return;
    case "promotion":
      draft.promotion = entry;
      return;
    case "note":
      draft.notes.push(entry);
      return;
    case "smoke":
      draft.smokes.push(entry);
      return;
    case "closing":
    case "procedure":
    case "question":
      return;
    default:
      assertNever(entry);
  }
}

/** A gate may take less than what was proposed, or something else. Releases before did not write down what it is. */
function alter(draft: Draft, { commit, change }: Of<"approval">): void {
  if (commit === undefined) return;
  draft.commit = commit;
  draft.title = change?.title ?? `altered at its gate, proposed as ${draft.proposedAs}`;
  if (change !== undefined) draft.factor = change.factor;
}
