import { createHash } from "node:crypto";
import type { Store } from "../store/database.ts";
import type { Versions } from "../store/answers.ts";

/** What came of one labelling. */
interface Kept<T> {
  readonly digest: string;
  /** What was written to the archive just after it. */
  readonly stamp: string;
  readonly results: readonly T[];
}

/** Scopes of an archive that are remembered; when there are more, all of them go. */
const most = 100;

/**
 * Remembers for each open archive which labels stand: those of a version are set at every look at it, and nearly all looks
 * find the rollouts and the conditions as they were. What is remembered counts until something is written of the versions.
 */
export class Standing<T> {
  readonly #of = new WeakMap<Store, Map<string, Kept<T>>>();

  /** What came of the same labelling of a scope, if nothing has changed since. @param asked all that decides on its results */
  find(store: Store, scope: string, asked: readonly unknown[], versions: Versions): readonly T[] | undefined {
    const kept = this.#of.get(store)?.get(scope);
    return kept?.stamp === store.stamp(versions) && kept.digest === digestOf(asked)
      ? kept.results
      : undefined;
  }

  /** To be called at once after the commit that set the labels. */
  keep(
    store: Store,
    scope: string,
    of: { readonly asked: readonly unknown[]; readonly versions: Versions; readonly results: readonly T[] },
  ): void {
    const scopes = this.#of.get(store) ?? new Map<string, Kept<T>>();
    this.#of.set(store, scopes);
    if (!scopes.has(scope) && scopes.size >= most) scopes.clear();
    scopes.set(scope, {
      digest: digestOf(of.asked),
      stamp: store.stamp(of.versions),
      results: of.results,
    });
  }
}

const digestOf = (asked: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(asked)).digest("base64");
