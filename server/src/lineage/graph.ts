import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { assertNever } from "../base/errors.ts";

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
  readonly origin?: VersionEntry["origin"];
  readonly hypothesis?: Of<"hypothesis">;
  readonly backtest?: Of<"backtest">;
  readonly approvals: readonly Of<"approval">[];
  /** Revisions of diagnostics that may be used although they would not quarantine this version again. */
  readonly waivers: readonly Of<"waiver">[];
  readonly jobs: readonly Of<"job">[];
  /** The latest evidence of each split. */
  readonly evidence: { readonly selection?: Of<"evidence">; readonly audit?: Of<"evidence"> };
  /** The decision in force: the latest. */
  readonly decision?: Of<"decision">;
  readonly decisions: readonly Of<"decision">[];
  readonly promotion?: Of<"promotion">;
  /** What people said of it, in their order. */
  readonly notes: readonly Of<"note">[];
}

/** An entry that the lineage cannot use, and why. */
export interface LineageProblem {
  readonly entry: string;
  readonly reason: string;
}

export interface Lineage {
  readonly domain: string;
  /** In the order in which they were created; a parent is always before its children. */
  readonly versions: readonly VersionRecord[];
  readonly problems: readonly LineageProblem[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
interface Draft extends Mutable<
  Omit<VersionRecord, "approvals" | "waivers" | "jobs" | "decisions" | "evidence" | "notes">
> {
  approvals: Of<"approval">[];
  waivers: Of<"waiver">[];
  jobs: Of<"job">[];
  decisions: Of<"decision">[];
  notes: Of<"note">[];
  evidence: Mutable<VersionRecord["evidence"]>;
}

const built = new WeakMap<readonly LedgerEntry[], Map<string, Lineage>>();

/**
 * The lineage of a domain, folded from the ledger's entries in their order. Pure: the same entries give the same lineage,
 * and the same list, which nobody changes, is folded once.
 */
export function buildLineage(entries: readonly LedgerEntry[], domain: string): Lineage {
  const known = built.get(entries) ?? new Map<string, Lineage>();
  const lineage = known.get(domain) ?? fold(entries, domain);
  built.set(entries, known.set(domain, lineage));
  return lineage;
}

function fold(entries: readonly LedgerEntry[], domain: string): Lineage {
  const drafts = new Map<string, Draft>();
  const problems: LineageProblem[] = [];
  const own = entries.filter((entry) => entry.domain === domain);
  for (const entry of own) if (entry.type === "version") addVersion(drafts, problems, entry);
  removeUnrooted(drafts, problems, own);
  // After the versions: a merge of two ledgers may bring an entry before the version that it speaks of.
  for (const entry of own) {
    if (entry.type === "version") continue;
    const draft = drafts.get(entry.version);
    if (draft === undefined)
      problems.push({ entry: entry.id, reason: `there is no version ${entry.version} in the lineage` });
    else attach(draft, entry);
  }
  for (const draft of drafts.values()) trim(draft);
  return { domain, versions: parentsFirst(drafts), problems };
}

/** Names of the domains that the ledger speaks of, sorted. */
export function domainsOf(entries: readonly LedgerEntry[]): string[] {
  return [...new Set(entries.map((entry) => entry.domain))].sort();
}

function addVersion(drafts: Map<string, Draft>, problems: LineageProblem[], entry: VersionEntry): void {
  const first = drafts.get(entry.version);
  if (first === undefined) {
    drafts.set(entry.version, {
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
      approvals: [],
      waivers: [],
      jobs: [],
      decisions: [],
      notes: [],
      evidence: {},
    });
  } else if (first.proposed !== entry.commit || first.parent !== entry.parent)
    problems.push({
      entry: entry.id,
      reason: `version ${entry.version} exists with another commit or parent; the first counts`,
    });
}

/** No ghost nodes: a version whose line of parents does not end at a version without one is set aside. */
function removeUnrooted(
  drafts: Map<string, Draft>,
  problems: LineageProblem[],
  own: readonly LedgerEntry[],
): void {
  const rooted = new Set<string>();
  for (const draft of drafts.values()) {
    const line = new Set<string>();
    let last: string | undefined;
    let at: Draft | undefined = draft;
    while (at !== undefined && !rooted.has(at.name) && !line.has(at.name)) {
      line.add((last = at.name));
      if (at.parent === null) {
        rooted.add(at.name);
        break;
      }
      at = drafts.get(at.parent);
    }
    const parent = last === undefined ? undefined : drafts.get(last)?.parent;
    if ((last !== undefined && rooted.has(last)) || (parent != null && rooted.has(parent)))
      for (const name of line) rooted.add(name);
  }
  for (const entry of own) {
    const draft = entry.type === "version" ? drafts.get(entry.version) : undefined;
    if (draft === undefined || rooted.has(draft.name)) continue;
    problems.push({
      entry: entry.id,
      reason: `the parents of version ${draft.name} do not lead to a base version (${draft.parent ?? ""} is missing or in a circle)`,
    });
  }
  for (const name of [...drafts.keys()]) if (!rooted.has(name)) drafts.delete(name);
}

function attach(draft: Draft, entry: Exclude<LedgerEntry, { type: "version" }>): void {
  switch (entry.type) {
    case "hypothesis":
      draft.hypothesis = entry;
      return;
    case "backtest":
      draft.backtest = entry;
      return;
    case "approval":
      draft.approvals.push(entry);
      alter(draft, entry);
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
    default:
      assertNever(entry);
  }
}

const none: never[] = [];
const trimmed = <T>(list: T[]): T[] => (list.length === 0 ? none : list.slice());

/** A list that something was added to has room for sixteen more, which is half of what many versions take. */
function trim(draft: Draft): void {
  draft.approvals = trimmed(draft.approvals);
  draft.waivers = trimmed(draft.waivers);
  draft.jobs = trimmed(draft.jobs);
  draft.decisions = trimmed(draft.decisions);
  draft.notes = trimmed(draft.notes);
}

/** A gate may take less than what was proposed, or something else. Releases before did not write down what it is. */
function alter(draft: Draft, { commit, change }: Of<"approval">): void {
  if (commit === undefined) return;
  draft.commit = commit;
  draft.title = change?.title ?? `altered at its gate, proposed as ${draft.proposedAs}`;
  if (change !== undefined) draft.factor = change.factor;
}

function parentsFirst(drafts: ReadonlyMap<string, Draft>): VersionRecord[] {
  const ordered: VersionRecord[] = [];
  const placed = new Set<string>();
  const line: Draft[] = [];
  for (const draft of drafts.values()) {
    for (let at: Draft | undefined = draft; at !== undefined && !placed.has(at.name);) {
      line.push(at);
      placed.add(at.name);
      at = at.parent === null ? undefined : drafts.get(at.parent);
    }
    while (line.length > 0) {
      const next = line.pop();
      if (next !== undefined) ordered.push(next);
    }
  }
  return ordered;
}

/** The record of a version, or undefined. */
export function findVersion(lineage: Lineage, name: string): VersionRecord | undefined {
  return lineage.versions.find((version) => version.name === name);
}
