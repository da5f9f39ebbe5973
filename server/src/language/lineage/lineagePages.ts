import { measuredElsewhere } from "../../../../shared/words/numbers.ts";
import { randomUUID } from "node:crypto";
import type { VersionReport } from "../../../../shared/ledger/lineage.ts";
import type { LineagePage, LineageVersion } from "../../../../shared/protocol/views/lineage.ts";
import { pageOf } from "../../../../shared/protocol/views/lineageTable.ts";
import type { LineageParams } from "../../../../shared/protocol/lsp.ts";
import type { LineageOutline, OutlinedVersion } from "../../lineage/lineageOutline.ts";

/** Versions of one page: few enough to be parsed between two frames. */
const pageSize = 4000;

type Known = {
  readonly epoch: string;
  revision: number;
  lineage: LineageOutline;
  /** Where the parent of each version stands; -1 without one. */
  parents: Int32Array;
  /** The revision in which each version last changed. */
  readonly changed: number[];
};

/** Gives lineages in pages, and after that only what changed. */
export function lineagePages(): (
  root: string,
  asked: Omit<LineageParams, "root">,
  read: () => Promise<LineageOutline>,
) => Promise<LineagePage> {
  const lineages = new Map<string, Known>();
  return async (root, { epoch, since, below }, read) => {
    let known = lineages.get(root);
    // In the middle of an answer nothing is read again: what changes meanwhile comes with the next one.
    if (known === undefined || below === undefined || epoch !== known.epoch) {
      known = renewed(known, await read());
      lineages.set(root, known);
    }
    const isSame = epoch === known.epoch;
    return pageFrom(known, isSame ? (since ?? 0) : 0, isSame ? below : undefined);
  };
}

/** The lineage as it is now; a new epoch where versions are not where they were. */
function renewed(known: Known | undefined, lineage: LineageOutline): Known {
  const { versions, project, domain } = lineage;
  const before = known?.lineage;
  const goesOn =
    known !== undefined &&
    before !== undefined &&
    before.project === project &&
    before.domain === domain &&
    versions.length >= before.versions.length &&
    before.versions.every(({ name }, i) => versions[i]?.name === name);
  // Nothing was said since: the same lineage is not looked through again.
  if (goesOn && before === lineage) return known;
  const parents = parentsOf(lineage);
  const base: Known = goesOn ? known : { epoch: randomUUID(), revision: 0, lineage, parents, changed: [] };
  const revision = base.revision + 1;
  const spokenOf = goesOn ? lineage.spokenOfSince?.(before) : undefined;
  for (const [i, version] of versions.entries()) {
    const earlier = goesOn ? before.versions[i] : undefined;
    const mayDiffer = spokenOf === undefined || spokenOf.has(version.name);
    if (earlier === undefined || (mayDiffer && looksOf(earlier) !== looksOf(version)))
      base.changed[i] = revision;
  }
  base.revision = revision;
  base.lineage = lineage;
  base.parents = parents;
  return base;
}

const looksOf = (version: OutlinedVersion): string => JSON.stringify(shown(version.report()));

function parentsOf({ versions }: LineageOutline): Int32Array {
  const places = new Map(versions.map(({ name }, i) => [name, i]));
  return Int32Array.from(versions, ({ parent }) => (parent === null ? -1 : (places.get(parent) ?? -1)));
}

function pageFrom(known: Known, since: number, below: number | undefined): LineagePage {
  const { epoch, revision, changed, lineage, parents } = known;
  const { project, domain, versions, notices = [] } = lineage;
  const indices: number[] = [];
  let rest = 0;
  for (let i = Math.min(below ?? versions.length, versions.length) - 1; i >= 0; i--) {
    if ((changed[i] ?? 0) <= since) continue;
    if (indices.length < pageSize) indices.push(i);
    else rest++;
  }
  const rows = indices.flatMap((index) => {
    const version = versions[index];
    if (version === undefined) return [];
    return [{ index, parent: parents[index] ?? -1, version: shown(version.report()) }];
  });
  const head = versions.findLastIndex((version) => standing.has(version.report().decision));
  const page = pageOf({ project, domain, epoch, revision, total: versions.length, head, rest }, rows);
  return notices.length === 0 ? page : { ...page, notices: [...notices] };
}

/** The line of versions that stand ends at the newest of these. */
const standing: ReadonlySet<VersionReport["decision"]> = new Set(["keep", "merge", "base"]);

function shown({ measured, ...v }: VersionReport): LineageVersion {
  const value = measured?.value ?? null;
  return {
    name: v.name,
    parent: v.parent,
    generation: v.generation,
    factor: v.factor,
    author: v.author,
    title: v.title,
    score: v.score,
    low: v.low,
    high: v.high,
    cleanScore: v.cleanScore,
    audit: v.audit,
    measured: value === null || measured === null ? "" : `${measured.metric} ${measuredElsewhere(value)}`,
    // What is not valid is compared with nothing.
    ...(v.comparison === null || v.decision === "invalid"
      ? {}
      : { compared: { difference: v.comparison.difference, verdict: v.comparison.verdict } }),
    decision: v.decision,
    stage: v.stage,
    claims: v.claims,
    reason: v.reason,
    labels: v.labels,
    promoted: v.promoted,
    alias: v.alias,
    tags: v.tags,
    notes: v.notes,
    at: v.at,
  };
}
