import type { EvidenceRow, EvidenceWindow } from "../../../shared/protocol/views/evidence.ts";

/** Rows that are asked for together. */
export const blockRows = 100;
/** Blocks that are read ahead in the direction of the scroll, and at most asked for at once. */
const ahead = 2;
const mostBlocks = 3;
/** Rows that are kept, so that a list that is scrolled through for an hour does not grow. */
const mostKept = 80;
/** How long an answer to what was looked at before is waited for, in milliseconds, before its place is taken: who drags the scroll bar sees something on the way. */
const patience = 60;

export type Question = { readonly offset: number; readonly limit: number; readonly list: string | null };

/** The rows of one list, as far as they were fetched, and what is to be asked for next. */
export class RowStore {
  readonly #blocks = new Map<number, readonly EvidenceRow[]>();
  /** Blocks that may say otherwise now: they are shown until they are there anew. */
  readonly #stale = new Set<number>();
  /** Labels whose rollouts do not count. */
  invalidating: ReadonlySet<string> = new Set();
  #list: string | null = null;
  #total: number | null = null;
  /** The first page was there before the list: it is asked for once more, in case that rollouts arrived in between. */
  #firstIsLoose = false;
  #asked: (Question & { readonly at: number; readonly isSeen: boolean }) | null = null;
  #seen = { first: 0, end: 0, forward: true };

  /** How many rows there are to scroll through: while that is not known, those that are there and one for the rest. */
  get rows(): number {
    return this.#total ?? this.#loaded() + 1;
  }

  /** Whether the list knows its end. */
  get isCounted(): boolean {
    return this.#total !== null;
  }

  get isWaiting(): boolean {
    return this.#asked !== null;
  }

  at(index: number): EvidenceRow | undefined {
    return this.#blocks.get(Math.floor(index / blockRows))?.[index % blockRows];
  }

  /** Where a rollout stands among those that are there; -1 for none. */
  indexOf(rid: number | null): number {
    if (rid === null) return -1;
    for (const [block, rows] of this.#blocks) {
      const at = rows.findIndex((row) => row.rid === rid);
      if (at >= 0) return block * blockRows + at;
    }
    return -1;
  }

  /** Rows from `first` up to `end` are drawn now. */
  look(first: number, end: number): void {
    const forward = first === this.#seen.first ? this.#seen.forward : first > this.#seen.first;
    this.#seen = { first, end, forward };
  }

  /** What to ask for now: what is drawn first, then what comes next in the direction of the scroll. Nothing while an answer is on its way. */
  next(now: number): Question | undefined {
    const seen = this.#run(this.#seenBlocks());
    if (this.#asked) {
      // Who scrolls on does not wait for what was read ahead, and not for long for what was seen before.
      const isWanted = this.#sees(this.#asked) || !seen;
      if (isWanted || (this.#asked.isSeen && now - this.#asked.at < patience)) return undefined;
    }
    const blocks = seen ?? this.#run(this.#blocksAhead());
    if (!blocks) return undefined;
    const question = { offset: blocks.from * blockRows, limit: blocks.count * blockRows, list: this.#list };
    this.#asked = { ...question, at: now, isSeen: seen !== undefined };
    return question;
  }

  /** The first page is on its way. */
  begin(now: number): Question {
    const question = { offset: 0, limit: blockRows, list: null };
    this.#asked = { ...question, at: now, isSeen: true };
    return question;
  }

  /** Puts an answer in its place. */
  take(page: EvidenceWindow): void {
    this.#asked = null;
    if (page.invalidating !== undefined) this.invalidating = new Set(page.invalidating);
    if (page.list !== null && page.list !== this.#list) {
      // Another list: of the one before only what is drawn until the next answer may stay.
      if (this.#list !== null) this.#blocks.clear();
      else this.#firstIsLoose = this.#blocks.has(0);
      this.#list = page.list;
    }
    const first = page.offset / blockRows;
    for (let i = 0; i * blockRows < page.rollouts.length; i++)
      this.#put(first + i, page.rollouts.slice(i * blockRows, (i + 1) * blockRows));
    if (page.offset === 0 && page.list !== null) this.#firstIsLoose = false;
    if (page.rows !== null) this.#total = page.rows;
    this.#shed();
  }

  /** All rows are asked for once more; until they are there, those that were stay. */
  askAgain(): void {
    for (const block of this.#blocks.keys()) this.#stale.add(block);
    // What is on its way was read before.
    this.#asked = null;
  }

  /** What was asked for was refused. */
  giveUp(): void {
    this.#asked = null;
  }

  #put(block: number, rows: readonly EvidenceRow[]): void {
    this.#blocks.set(block, rows);
    this.#stale.delete(block);
  }

  #loaded(): number {
    let last = 0;
    for (const [block, rows] of this.#blocks) last = Math.max(last, block * blockRows + rows.length);
    return last;
  }

  #sees({ offset, limit }: Question): boolean {
    return offset < this.#seen.end && offset + limit > this.#seen.first;
  }

  #lacks(block: number): boolean {
    return !this.#blocks.has(block) || this.#stale.has(block) || (block === 0 && this.#firstIsLoose);
  }

  /** The first blocks of some that are not there and follow each other. */
  #run(wanted: readonly number[]): { readonly from: number; readonly count: number } | undefined {
    const from = wanted.find((block) => this.#lacks(block));
    if (from === undefined) return undefined;
    let count = 1;
    while (count < mostBlocks && wanted.includes(from + count) && this.#lacks(from + count)) count++;
    return { from, count };
  }

  #seenBlocks(): number[] {
    const from = Math.floor(this.#seen.first / blockRows);
    const to = Math.floor(Math.max(this.#seen.first, this.#seen.end - 1) / blockRows);
    return this.#existing(from, to);
  }

  #blocksAhead(): number[] {
    const seen = this.#seenBlocks();
    const [first = 0, last = 0] = [seen[0], seen.at(-1)];
    return this.#seen.forward
      ? this.#existing(last + 1, last + ahead)
      : this.#existing(first - ahead, first - 1);
  }

  #existing(from: number, to: number): number[] {
    const last = Math.max(0, Math.ceil(this.rows / blockRows) - 1);
    const blocks: number[] = [];
    for (let block = Math.max(0, from); block <= Math.min(to, last); block++) blocks.push(block);
    return blocks;
  }

  /** Drops what is farthest from what is drawn. */
  #shed(): void {
    const here = Math.floor(this.#seen.first / blockRows);
    const far = [...this.#blocks.keys()].sort((a, b) => Math.abs(b - here) - Math.abs(a - here));
    for (const block of far.slice(0, Math.max(0, far.length - mostKept))) this.#blocks.delete(block);
  }
}
