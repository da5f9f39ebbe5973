import type { Row, SqlFragment, SqlValue } from "./sql.ts";

/** The versions whose rows a write may change, or that alone decide an answer; undefined: those of all versions. */
export type Versions = readonly string[] | undefined;

/** What was written to an open archive: tells whether an answer that was computed of it still holds. */
export class Written {
  #commits = 0;
  #ofAny = 0;
  readonly #of = new Map<string, number>();

  /** How many writes were committed. */
  get commits(): number {
    return this.#commits;
  }

  /** To be called after a commit that changed rows of these versions alone. */
  note(versions: Versions): void {
    this.#commits++;
    if (versions === undefined) this.#ofAny++;
    else for (const version of versions) this.#of.set(version, (this.#of.get(version) ?? 0) + 1);
  }

  /** The same as long as nothing was written that may change what is known of these versions. */
  stamp(versions: Versions): string {
    if (versions === undefined) return String(this.#commits);
    return [this.#ofAny, ...versions.map((version) => this.#of.get(version) ?? 0)].join(" ");
  }
}

/** Characters of one answer and of all of them together above which none is kept. */
const ofAll = { one: 100_000, all: 4_000_000 };
/** The outcomes of a version's rollouts are asked for at each of its comparisons. */
const ofVersions = { one: 1_000_000, all: 8_000_000 };

interface Kept {
  readonly rows: readonly Row[];
  readonly stamp: string;
  readonly size: number;
}

/** Answers that hold for a while; when there are too many, all of them go. */
class Shelf {
  readonly #most: { readonly one: number; readonly all: number };
  readonly #kept = new Map<string, Kept>();
  #size = 0;

  constructor(most: { readonly one: number; readonly all: number }) {
    this.#most = most;
  }

  find(key: string, stamp: string): readonly Row[] | undefined {
    const found = this.#kept.get(key);
    return found?.stamp === stamp ? found.rows : undefined;
  }

  keep(key: string, rows: readonly Row[], stamp: string): void {
    const { one, all } = this.#most;
    const size = sizeOf(rows, one - key.length) + key.length;
    if (size > one) return;
    // What no longer holds makes room for what is kept in its place.
    this.#size -= this.#kept.get(key)?.size ?? 0;
    this.#kept.delete(key);
    if (this.#size + size > all) this.clear();
    this.#kept.set(key, { rows: rows.slice(), stamp, size });
    this.#size += size;
  }

  clear(): void {
    this.#kept.clear();
    this.#size = 0;
  }
}

/**
 * Answers of queries, kept until something is written: of one version's rows, until that changes. Small ones only: what
 * asks for many rows reads them once, what asks for few (a count, a version's score) asks again at every step of an
 * evolution.
 */
export class Answers {
  readonly #written: Written;
  readonly #ofAll = new Shelf(ofAll);
  readonly #ofVersions = new Shelf(ofVersions);
  #commits = -1;

  constructor(written: Written) {
    this.#written = written;
  }

  /** What `keep` is to be given: it tells whether something was written while the query ran. */
  stamp({ of }: SqlFragment): string {
    return this.#written.stamp(of);
  }

  find(fragment: SqlFragment): Row[] | undefined {
    return this.#shelf(fragment).find(keyOf(fragment), this.stamp(fragment))?.slice();
  }

  /** @param stamp what it was before the query began */
  keep(fragment: SqlFragment, rows: readonly Row[], stamp: string): void {
    // How large the file is changes without a write, too.
    if (stamp !== this.stamp(fragment) || /\bpragma_/.test(fragment.sql)) return;
    this.#shelf(fragment).keep(keyOf(fragment), rows, stamp);
  }

  #shelf({ of }: SqlFragment): Shelf {
    if (of !== undefined) return this.#ofVersions;
    if (this.#commits !== this.#written.commits) this.#ofAll.clear();
    this.#commits = this.#written.commits;
    return this.#ofAll;
  }
}

/** Two parameters that print alike need not be the same: 1 and "1". */
const keyOf = ({ sql, params }: SqlFragment): string => JSON.stringify([sql, params.map(typed)]);

function typed(value: SqlValue): unknown {
  if (typeof value === "bigint") return { integer: String(value) };
  if (typeof value === "number") return { number: String(value) };
  if (value !== null && typeof value === "object") return value.map(typed);
  return value;
}

/** Characters, roughly; no longer counted beyond `limit`. */
function sizeOf(value: unknown, limit: number): number {
  if (typeof value === "string") return value.length;
  if (value === null || typeof value !== "object") return 8;
  let size = 8;
  for (const [key, part] of Object.entries(value)) {
    if (size > limit) break;
    size += key.length + sizeOf(part, limit - size);
  }
  return size;
}
