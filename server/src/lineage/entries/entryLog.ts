import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { entriesIn, isFull, packed, type Block } from "./entryBlocks.ts";

/** The types of entries as things follow one another. */
export const typeOrder: readonly LedgerEntry["type"][] = [
  "version",
  "hypothesis",
  "backtest",
  "approval",
  "job",
  "evidence",
  "calibration",
  "screening",
  "decision",
  "waiver",
  "promotion",
  "note",
  "closing",
  "procedure",
  "smoke",
  "question",
];

/** What is known of each entry without looking into it, by its place. */
interface Columns {
  /** Its number over all blocks: they hold the entries in the order in which they were read. */
  readonly slot: Int32Array;
  readonly subject: Int32Array;
  readonly type: Uint8Array;
  /** The subject of the parent of a version; -1 without one. */
  readonly parent: Int32Array;
  readonly id: Int32Array;
  /** 1 where it carries a signature, whosever. */
  readonly signed: Uint8Array;
}

/** The versions that entries speak of, by number: as they are first named. A longer log goes on with the same numbers. */
class Subjects {
  readonly names: string[] = [];
  readonly domains: string[] = [];
  readonly #byDomain = new Map<string, Map<string, number>>();

  number(domain: string, name: string): number {
    const known = this.#byDomain.get(domain)?.get(name);
    if (known !== undefined) return known;
    const names = this.#byDomain.get(domain) ?? new Map<string, number>();
    this.#byDomain.set(domain, names.set(name, this.names.length));
    this.domains.push(domain);
    return this.names.push(name) - 1;
  }
}

/**
 * Entries of a ledger in its order, held as deflated JSON. Nobody changes one: `with` gives a longer one, which shares what
 * it can.
 */
export class EntryLog implements Iterable<LedgerEntry> {
  readonly length: number;
  readonly blocks: readonly Block[];
  readonly #columns: Columns;
  readonly #subjects: Subjects;

  constructor(blocks: readonly Block[], columns: Columns, subjects: Subjects) {
    this.blocks = blocks;
    this.#columns = columns;
    this.#subjects = subjects;
    this.length = columns.slot.length;
  }

  /** These entries as a log. */
  static of(entries: Iterable<LedgerEntry>): EntryLog {
    return entries instanceof EntryLog ? entries : emptyLog.with(entries);
  }

  /** The number over all blocks of each entry, in the order of the log. */
  get slots(): Int32Array {
    return this.#columns.slot;
  }

  /** The entry at a place. @throws RangeError outside */
  at(place: number): LedgerEntry {
    const slot = this.#columns.slot[place] ?? -1;
    let [low, high] = [0, this.blocks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.blocks[middle]?.first ?? Infinity) <= slot) low = middle;
      else high = middle - 1;
    }
    const block = this.blocks[low];
    const entry = block === undefined ? undefined : entriesIn(block)[slot - block.first];
    if (entry === undefined) throw new RangeError(`There is no entry ${place}.`);
    return entry;
  }

  *[Symbol.iterator](): Generator<LedgerEntry> {
    for (let place = 0; place < this.length; place++) yield this.at(place);
  }

  typeAt(place: number): LedgerEntry["type"] {
    return typeOrder[this.#columns.type[place] ?? 0] ?? "note";
  }

  /** The entries of a type, without looking into the others. */
  *ofType<T extends LedgerEntry["type"]>(type: T): Generator<Extract<LedgerEntry, { type: T }>> {
    const isOf = (entry: LedgerEntry): entry is Extract<LedgerEntry, { type: T }> => entry.type === type;
    for (let place = 0; place < this.length; place++) {
      if (this.typeAt(place) !== type) continue;
      const entry = this.at(place);
      if (isOf(entry)) yield entry;
    }
  }

  /** The number of the version that the entry at a place speaks of. */
  subjectAt(place: number): number {
    return this.#columns.subject[place] ?? -1;
  }

  /** The number of the parent of the version that the entry at a place begins; -1 without one. */
  parentAt(place: number): number {
    return this.#columns.parent[place] ?? -1;
  }

  /** The place of the first entry that carries a signature; the length of the log without one. */
  get firstSigned(): number {
    const place = this.#columns.signed.indexOf(1);
    return place === -1 ? this.length : place;
  }

  /** The versions that this log speaks of have numbers below this. */
  get subjects(): number {
    return this.#subjects.names.length;
  }

  nameOf(subject: number): string {
    return this.#subjects.names[subject] ?? "";
  }

  domainOf(subject: number): string {
    return this.#subjects.domains[subject] ?? "";
  }

  /** Whether this log begins as the other does. */
  continues(other: EntryLog): boolean {
    const last = other.length - 1;
    return (
      this.#subjects === other.#subjects &&
      this.length >= other.length &&
      this.#columns.id[last] === other.#columns.id[last]
    );
  }

  /** The entries of those ids that it has. */
  withIds(ids: Iterable<string>): Map<string, LedgerEntry> {
    const wanted = new Set(ids);
    const numbers = new Set(Array.from(wanted, numberOf));
    const found = new Map<string, LedgerEntry>();
    if (wanted.size === 0) return found;
    for (const [place, number] of this.#columns.id.entries()) {
      if (!numbers.has(number)) continue;
      const entry = this.at(place);
      if (wanted.has(entry.id) && !found.has(entry.id)) found.set(entry.id, entry);
    }
    return found;
  }

  /** This log with more entries, which have been through the schema. */
  with(entries: Iterable<LedgerEntry>): EntryLog {
    if (this.length === 0 && entries instanceof EntryLog) return entries;
    const builder = new EntryLogBuilder({
      blocks: this.blocks,
      columns: this.#columns,
      subjects: this.length === 0 ? new Subjects() : this.#subjects,
    });
    for (const entry of entries) builder.add(entry);
    return builder.build();
  }
}

interface Start {
  readonly blocks: readonly Block[];
  readonly columns: Columns;
  readonly subjects: Subjects;
}

const noColumns: Columns = {
  slot: new Int32Array(0),
  subject: new Int32Array(0),
  type: new Uint8Array(0),
  parent: new Int32Array(0),
  id: new Int32Array(0),
  signed: new Uint8Array(0),
};

/** Makes a log of entries that have been through the schema. */
export class EntryLogBuilder {
  readonly #start: Start;
  readonly #blocks: Block[];
  /** What goes into the next block. */
  #texts: string[] = [];
  #characters = 0;
  readonly #subject: number[] = [];
  readonly #type: number[] = [];
  readonly #parent: number[] = [];
  readonly #id: number[] = [];
  readonly #signed: number[] = [];

  constructor(start: Start = { blocks: [], columns: noColumns, subjects: new Subjects() }) {
    this.#start = start;
    this.#blocks = [...start.blocks];
    const last = start.blocks.at(-1);
    if (last === undefined || isFull(last.count, 0)) return;
    // Many short blocks would take more than they save.
    this.#blocks.pop();
    for (const entry of entriesIn(last)) this.#push(JSON.stringify(entry));
  }

  /** The number of entries. */
  get length(): number {
    return this.#start.columns.slot.length + this.#id.length;
  }

  add(entry: LedgerEntry): void {
    this.#note(entry);
    this.#push(JSON.stringify(entry));
  }

  /** Adds the entries of a block that was made before. */
  addBlock(entries: readonly LedgerEntry[], bytes: Buffer): void {
    const first = this.length;
    for (const entry of entries) this.#note(entry);
    this.#blocks.push({ first, count: entries.length, bytes });
  }

  #push(text: string): void {
    this.#texts.push(text);
    this.#characters += text.length;
    if (isFull(this.#texts.length, this.#characters)) this.#close();
  }

  #close(): void {
    if (this.#texts.length === 0) return;
    const last = this.#blocks.at(-1);
    const first = last === undefined ? 0 : last.first + last.count;
    this.#blocks.push({ first, count: this.#texts.length, bytes: packed(this.#texts) });
    this.#texts = [];
    this.#characters = 0;
  }

  #note(entry: LedgerEntry): void {
    const { subjects } = this.#start;
    const { domain } = entry;
    this.#subject.push(subjects.number(domain, entry.version));
    this.#type.push(typeOrder.indexOf(entry.type));
    const parent = entry.type === "version" ? entry.parent : null;
    this.#parent.push(parent === null ? -1 : subjects.number(domain, parent));
    this.#id.push(numberOf(entry.id));
    this.#signed.push(entry.signature === undefined ? 0 : 1);
  }

  /** The log; with `order`, which holds each number below `length` once, in that order instead of the one of reading. */
  build(order?: Int32Array): EntryLog {
    const { columns, subjects, blocks } = this.#start;
    if (order !== undefined && blocks.length > 0) throw new Error("Only what is new can be put in order.");
    this.#close();
    const before = columns.slot.length;
    const { length } = this;
    const slot = order ?? extended(columns.slot, new Int32Array(length));
    if (order === undefined) for (let i = before; i < length; i++) slot[i] = i;
    const of = <T extends Int32Array | Uint8Array>(old: T, more: readonly number[], made: T): T => {
      extended(old, made);
      for (let i = before; i < length; i++) made[i] = more[(slot[i] ?? 0) - before] ?? 0;
      return made;
    };
    const made: Columns = {
      slot,
      subject: of(columns.subject, this.#subject, new Int32Array(length)),
      type: of(columns.type, this.#type, new Uint8Array(length)),
      parent: of(columns.parent, this.#parent, new Int32Array(length)),
      id: of(columns.id, this.#id, new Int32Array(length)),
      signed: of(columns.signed, this.#signed, new Uint8Array(length)),
    };
    return new EntryLog(this.#blocks, made, subjects);
  }
}

function extended<T extends Int32Array | Uint8Array>(old: T, longer: T): T {
  longer.set(old);
  return longer;
}

/** A log without entries. */
export const emptyLog = new EntryLog([], noColumns, new Subjects());

/** A number that most ids have alone (FNV-1a). */
function numberOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return hash | 0;
}
