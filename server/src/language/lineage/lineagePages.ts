import { measuredElsewhere } from "../../../../shared/words/numbers.ts";
import { createHash, randomUUID } from "node:crypto";
import type { LineageReport, VersionReport } from "../../../../shared/ledger/lineage.ts";
import type { LineagePage, LineageVersion } from "../../../../shared/protocol/views/lineage.ts";
import { pageOf } from "../../../../shared/protocol/views/lineageTable.ts";
import type { LineageParams } from "../../../../shared/protocol/lsp.ts";

/** Versions of one page: few enough to be parsed between two frames. */
const pageSize = 4000;

type Known = {
  readonly epoch: string;
  revision: number;
  report: LineageReport;
  /** Where each version stands in the report, by name. */
  places: ReadonlyMap<string, number>;
  /** A hash of what each version looked like, and the revision in which it last changed. */
  readonly prints: string[];
  readonly changed: number[];
};

/** Gives lineages in pages, and after that only what changed. */
export function lineagePages(): (
  root: string,
  asked: Omit<LineageParams, "root">,
  read: () => Promise<LineageReport>,
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
function renewed(known: Known | undefined, report: LineageReport): Known {
  const { versions, project, domain } = report;
  const before = known?.report;
  const goesOn =
    known !== undefined &&
    before !== undefined &&
    before.project === project &&
    before.domain === domain &&
    versions.length >= before.versions.length &&
    before.versions.every(({ name }, i) => versions[i]?.name === name);
  // Nothing was said since: the same report is not looked through again.
  if (goesOn && before === report) return known;
  const places = new Map(versions.map(({ name }, i) => [name, i]));
  const base: Known = goesOn
    ? known
    : { epoch: randomUUID(), revision: 0, report, places, prints: [], changed: [] };
  const revision = base.revision + 1;
  for (const [i, version] of versions.entries()) {
    const print = createHash("sha256")
      .update(JSON.stringify(shown(version)))
      .digest("base64");
    if (base.prints[i] === print) continue;
    base.prints[i] = print;
    base.changed[i] = revision;
  }
  base.revision = revision;
  base.report = report;
  base.places = places;
  return base;
}

function pageFrom(known: Known, since: number, below: number | undefined): LineagePage {
  const { epoch, revision, changed, report, places } = known;
  const { project, domain, versions } = report;
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
    const parent = version.parent === null ? -1 : (places.get(version.parent) ?? -1);
    return [{ index, parent, version: shown(version) }];
  });
  const head = versions.findLastIndex(({ decision }) => standing.has(decision));
  return pageOf({ project, domain, epoch, revision, total: versions.length, head, rest }, rows);
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
    measured: value === null || measured === null ? "" : `${measured.metric} ${measuredElsewhere(value)}`,
    decision: v.decision,
    reason: v.reason,
    labels: v.labels,
    promoted: v.promoted,
    alias: v.alias,
    tags: v.tags,
    notes: v.notes,
    at: v.at,
  };
}
