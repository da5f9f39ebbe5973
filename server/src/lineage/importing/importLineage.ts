import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { HarnessError } from "../../base/errors.ts";
import { unreadable, type Refuse } from "../../reading/walkFolder.ts";
import { detectLineage, type LineageFormat } from "../adapters/detect.ts";
import type { ForeignLineage, ForeignProblem } from "../adapters/foreign.ts";
import { fetchCommits } from "../adapters/foreignCommits.ts";
import { commitNodes } from "./importCommits.ts";
import { digestOf, factEntries, nothingHeld, versionEntry, type Held } from "./importEntries.ts";
import { domainName, placeNodes, type PlacedNode } from "./importTree.ts";
import { openLedger } from "../ledger.ts";
import type { Repository } from "../repository.ts";
import { assertCommit } from "../versions.ts";

/** What an import did. Counts are of versions. */
export interface LineageImportReport {
  readonly format: string;
  readonly lineage: string;
  readonly domain: string;
  readonly versionsAdded: number;
  readonly unchanged: number;
  /** Versions that were there, whose measurement or decision in the source is another now. */
  readonly updated: number;
  /** Versions of each decision, of what was read now. */
  readonly decisions: Readonly<Record<string, number>>;
  /** Versions of each status word in the source. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Words that are no decision that we know; null where the source has no word. */
  readonly undecided: readonly {
    readonly status: string | null;
    readonly versions: number;
    readonly first: string;
  }[];
  readonly problems: readonly ForeignProblem[];
  readonly missing: readonly { readonly field: string; readonly reason: string }[];
  /** Parents that are named but are in no file. */
  readonly gaps: readonly string[];
  /** Versions that are a real commit of the git history they came with. */
  readonly realCommits: number;
  readonly notes: readonly string[];
}

export interface ImportRequest {
  readonly paths: readonly string[];
  readonly format?: LineageFormat;
  /** Where the versions go; the lineage's name where it is not given. */
  readonly domain?: string;
  /** The project's own domain, which is never written to. */
  readonly ownDomain: string;
  /** Told of each file and folder that cannot be read; without it the first one ends the import. */
  readonly refuse?: Refuse;
}

/**
 * Imports every lineage of other tools among the paths, each into a domain of its own. Importing again changes nothing;
 * what has been added to the source is added.
 * @throws HarnessError notFound, badInput when nothing is recognised or the domain is taken, specInvalid, refMoved
 */
export async function importLineages(
  repository: Repository,
  request: ImportRequest,
): Promise<LineageImportReport[]> {
  const found = await detectLineage(request.paths, {
    ...(request.format === undefined ? {} : { format: request.format }),
    ...(request.refuse === undefined ? {} : { refuse: request.refuse }),
  });
  const refused = found.find((f) => f.type === "refused");
  if (refused?.type === "refused" && found.every((f) => f.type === "refused"))
    throw new HarnessError("badInput", refused.reason);
  if (found.length === 0)
    throw new HarnessError(
      "badInput",
      `No lineage was recognised in ${request.paths.join(", ")}; describe it in a mapping (*.evidence.yaml, kind: Lineage) and name that beside it.`,
    );
  const reports: LineageImportReport[] = [];
  for (const one of found) {
    if (one.type === "refused") continue;
    const lineage = await one.read().catch((e: unknown) => {
      const reason = unreadable(e, "file");
      if (reason === undefined || request.refuse === undefined) throw e;
      request.refuse(one.files.join(", "), reason);
    });
    if (lineage === undefined) continue;
    const domain =
      request.domain === undefined
        ? domainName(lineage.name)
        : found.length === 1
          ? request.domain
          : domainName(`${request.domain}-${lineage.name}`);
    const report = await importLineage(repository, lineage, { domain, ownDomain: request.ownDomain });
    reports.push({
      ...report,
      problems: [
        ...report.problems,
        ...found.flatMap((f) =>
          f.type === "refused" ? [{ file: f.files[0] ?? f.name, line: null, reason: f.reason }] : [],
        ),
      ],
    });
  }
  return reports;
}

/**
 * Writes a lineage into the project's git: a commit for each version on `evo/<domain>/<name>`, and what is known of it in
 * the ledger. @throws HarnessError badInput when the domain is the project's own or holds another lineage, refMoved
 */
async function importLineage(
  repository: Repository,
  lineage: ForeignLineage,
  options: { domain: string; ownDomain: string },
): Promise<LineageImportReport> {
  const { domain } = options;
  const ledger = openLedger(repository);
  const held = holdings((await ledger.read()).entries, domain);
  refuseTaken(held, lineage, options);
  const byKey = new Map<string, { name: string; generation: number }>();
  for (const [name, { version }] of held)
    if (version?.origin !== undefined)
      byKey.set(version.origin.key, { name, generation: version.generation });
  const tree = placeNodes(lineage, byKey, new Set(held.keys()));
  const problems = [...lineage.problems, ...tree.problems];
  const fetched = await fetchCommits(repository, lineage);
  problems.push(...fetched.problems);
  const placed = withTimes(fetched.available ? tree.placed : tree.placed.map(withoutCommit));
  const fresh = placed.filter((p) => held.get(p.name)?.version === undefined);
  const known = new Map(
    [...held].flatMap(([name, { version }]) => (version ? [[name, version.commit]] : [])),
  );
  const commits = await commitNodes(repository, {
    domain,
    format: lineage.format,
    lineage: lineage.name,
    nodes: fresh,
    known,
  });
  const entries: LedgerEntry[] = [];
  const updated = new Set<string>();
  for (const p of placed) {
    const before = held.get(p.name) ?? nothingHeld;
    const at = new Date(p.at).toISOString();
    const digest = digestOf(p);
    if (before.version === undefined) {
      const commit = commits.get(p.name) ?? "";
      assertCommit(commit);
      entries.push(versionEntry(p, { domain, lineage, commit, at, digest }));
    } else if (before.version.origin?.digest !== digest) problems.push(changedProblem(p));
    const facts = factEntries(p, { domain, lineage, at, held: before });
    entries.push(...facts);
    if (facts.length > 0 && before.version !== undefined) updated.add(p.name);
  }
  await ledger.append(entries, { isSigned: false });
  return {
    format: lineage.format,
    lineage: lineage.name,
    domain,
    versionsAdded: fresh.length,
    unchanged: placed.length - fresh.length - updated.size,
    updated: updated.size,
    ...counted(placed),
    problems,
    missing: lineage.missing,
    gaps: tree.gaps,
    realCommits: placed.filter((p) => p.node.commit !== null).length,
    notes: [
      ...lineage.notes,
      ...(tree.twins === 0
        ? []
        : [
            `${tree.twins} versions have exactly the files of an earlier one (copies under a new id); EvoTrainer keeps them all.`,
          ]),
    ],
  };
}

/** What the ledger holds of a domain, by version. */
function holdings(entries: Iterable<LedgerEntry>, domain: string): Map<string, Held> {
  const held = new Map<string, Held>();
  for (const entry of entries) {
    if (entry.domain !== domain) continue;
    const h = held.get(entry.version) ?? nothingHeld;
    if (entry.type === "version") held.set(entry.version, { ...h, version: h.version ?? entry });
    else if (entry.type === "evidence") held.set(entry.version, { ...h, evidence: [...h.evidence, entry] });
    else if (entry.type === "decision") held.set(entry.version, { ...h, decision: [...h.decision, entry] });
    else if (entry.type === "job") held.set(entry.version, { ...h, job: [...h.job, entry] });
  }
  return held;
}

function refuseTaken(
  held: ReadonlyMap<string, Held>,
  lineage: ForeignLineage,
  { domain, ownDomain }: { domain: string; ownDomain: string },
): void {
  const other = [...held.values()].find(
    ({ version }) =>
      version !== undefined &&
      (version.origin?.lineage !== lineage.name || version.origin.format !== lineage.format),
  )?.version;
  const reason =
    domain === ownDomain
      ? "is the project's own"
      : domain === "proposals"
        ? "is where proposals are kept"
        : other === undefined
          ? undefined
          : `already holds ${other.origin === undefined ? "versions that were made here" : `the ${other.origin.format} lineage ${other.origin.lineage}`}`;
  if (reason !== undefined)
    throw new HarnessError(
      "badInput",
      `The domain ${domain} ${reason}; import ${lineage.name} into another one with --domain.`,
    );
}

/**
 * A time for every node. Where the source has none, it is that of the node before it in the source plus a millisecond, which
 * keeps the order and is the same at every import; before the first known time it counts from 1970.
 */
function withTimes(placed: readonly PlacedNode[]): (PlacedNode & { at: number })[] {
  let last = 0;
  return placed.map((p) => {
    last = p.node.at ?? last + 1;
    return { ...p, at: last };
  });
}

function withoutCommit(placed: PlacedNode): PlacedNode {
  return { ...placed, node: { ...placed.node, commit: null } };
}

function changedProblem({ node }: PlacedNode): ForeignProblem {
  return {
    ...node.from,
    reason: `${node.key} has another title, time, parent or code than when it was imported; the version stays as it was`,
  };
}

function counted(
  placed: readonly PlacedNode[],
): Pick<LineageImportReport, "decisions" | "statuses" | "undecided"> {
  const decisions: Record<string, number> = {};
  const statuses = new Map<string, number>();
  const undecided = new Map<string | null, { status: string | null; versions: number; first: string }>();
  for (const { node, name, missing } of placed) {
    if (missing) continue;
    if (node.status !== null) statuses.set(node.status, (statuses.get(node.status) ?? 0) + 1);
    if (node.decision !== null) {
      decisions[node.decision] = (decisions[node.decision] ?? 0) + 1;
      continue;
    }
    const seen = undecided.get(node.status);
    undecided.set(node.status, {
      status: node.status,
      versions: (seen?.versions ?? 0) + 1,
      first: seen?.first ?? name,
    });
  }
  return { decisions, statuses: Object.fromEntries(statuses), undecided: [...undecided.values()] };
}
