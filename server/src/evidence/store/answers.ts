import type { Row, SqlFragment, SqlValue } from "./sql.ts";

/** Characters of one answer and of all of them together above which none is kept. */
const most = { one: 100_000, all: 4_000_000 };

/**
 * Answers of queries, kept until something is written. Small ones only: what asks for many rows reads them once, what
 * asks for few (a count, a version's score) asks again at every step of an evolution.
 */
export class Answers {
  readonly #kept = new Map<string, readonly Row[]>();
  #commits = -1;
  #size = 0;

  /** @param commits how many writes had been committed when the answer is asked for */
  find(fragment: SqlFragment, commits: number): Row[] | undefined {
    return commits === this.#commits ? this.#kept.get(keyOf(fragment))?.slice() : undefined;
  }

  /** @param commits how many writes had been committed before the query began, and are when it has ended */
  keep(fragment: SqlFragment, rows: readonly Row[], commits: number): void {
    // How large the file is changes without a write, too.
    if (/\bpragma_/.test(fragment.sql)) return;
    const key = keyOf(fragment);
    const size = sizeOf(rows, most.one - key.length) + key.length;
    if (size > most.one) return;
    if (commits !== this.#commits || this.#size + size > most.all) {
      this.#kept.clear();
      this.#size = 0;
      this.#commits = commits;
    }
    this.#kept.set(key, rows.slice());
    this.#size += size;
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
