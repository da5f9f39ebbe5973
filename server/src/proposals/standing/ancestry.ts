import type { Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { isHarness } from "./harnessVersions.ts";
import { findRevert } from "./revertVersion.ts";

/** The versions of a lineage by name, with what they come from: a merge has two parents. */
export class Ancestry {
  readonly #byName: ReadonlyMap<string, VersionRecord>;
  readonly #lineage: Lineage;

  constructor(lineage: Lineage) {
    this.#lineage = lineage;
    this.#byName = new Map(lineage.versions.map((v) => [v.name, v]));
  }

  /** A version and all that it comes from, the nearest first. */
  of(version: VersionRecord): readonly VersionRecord[] {
    const found = new Map<string, VersionRecord>([[version.name, version]]);
    for (const { parent, merges } of found.values())
      for (const name of [parent, merges]) {
        const above = name == null ? undefined : this.#byName.get(name);
        if (above !== undefined && !found.has(above.name)) found.set(above.name, above);
      }
    return [...found.values()];
  }

  /** The nearest version that both come from; undefined where they have none in common. */
  common(a: VersionRecord, b: VersionRecord): VersionRecord | undefined {
    const ofB = new Set(this.of(b).map((v) => v.name));
    return this.of(a).find((v) => ofB.has(v.name));
  }

  parentOf({ parent }: VersionRecord): VersionRecord | undefined {
    return parent === null ? undefined : this.#byName.get(parent);
  }

  /** The tried versions whose edits a version has as well, the one that it names first. */
  joinedIn(version: VersionRecord): readonly VersionRecord[] {
    const found = new Set<VersionRecord>();
    let next = version.joins;
    while (next !== undefined) {
      const joined = this.#byName.get(next);
      // A ledger that was merged or edited may hold a circle.
      if (joined === undefined || found.has(joined)) break;
      found.add(joined);
      next = joined.joins;
    }
    return [...found];
  }

  /** What a reverted version was is taken back, unless its revert was reverted as well. */
  isReverted(version: VersionRecord): boolean {
    const revert = findRevert(this.#lineage, version.name);
    return revert !== undefined && findRevert(this.#lineage, revert) === undefined;
  }

  /** Why the edits of a version can be neither merged nor taken out, in a sentence; null where they can. */
  whyNotKept(version: VersionRecord): string | null {
    const { name, decision, hypothesis, parent, standing, origin } = version;
    if (standing === "claim") return `no engine that you trust wrote ${name} into the ledger.`;
    if (origin !== undefined)
      return `${name} was imported; only versions that were trained here can be used.`;
    if (decision === undefined) return `${name} is not decided yet.`;
    if (decision.decision !== "keep") return `${name} was not kept (${decision.decision}).`;
    if (hypothesis === undefined || parent === null)
      return `${name} is a starting point: it changes nothing of a version before it.`;
    if (isHarness(version))
      return `${name} changes only diagnostics, and these already apply to every version.`;
    return this.isReverted(version) ? `${name} was reverted.` : null;
  }
}
