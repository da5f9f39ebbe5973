import { isDeepStrictEqual } from "node:util";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { ItemOutcomes } from "../../statistics/scores/outcomes.ts";
import { scoreOf } from "../../statistics/scores/score.ts";
import type { ForeignLineage, ForeignNode, ForeignOutcome } from "../adapters/foreign.ts";
import { sha256, type PlacedNode } from "./importTree.ts";

type Entry<T extends LedgerEntry["type"]> = Extract<LedgerEntry, { type: T }>;

/** What the ledger already holds of a version, by type, in its order. */
export type Held = Readonly<{
  version: Entry<"version"> | undefined;
  evidence: readonly Entry<"evidence">[];
  decision: readonly Entry<"decision">[];
  job: readonly Entry<"job">[];
}>;

export const nothingHeld: Held = { version: undefined, evidence: [], decision: [], job: [] };

/** Tells whether the source of a version has changed since it was imported. */
export function digestOf({ node, parents }: PlacedNode): string {
  const { title, at, files, commit } = node;
  return sha256(JSON.stringify([title, at, Object.entries(files).sort(), commit, parents])).slice(0, 16);
}

/** The ledger's entry of a version. */
export function versionEntry(
  { node, name, parents, generation, missing }: PlacedNode,
  context: { domain: string; lineage: ForeignLineage; commit: string; at: string; digest: string },
): Entry<"version"> {
  return {
    id: `version:${context.domain}:${name}`,
    at: context.at,
    domain: context.domain,
    type: "version",
    version: name,
    commit: context.commit,
    parent: parents[0] ?? null,
    generation,
    factor: null,
    intervention: null,
    title: node.title,
    origin: {
      format: context.lineage.format,
      lineage: context.lineage.name,
      key: node.key,
      parents: [...node.parents],
      status: node.status,
      note: noteOf(node),
      ...(node.plan === undefined ? {} : { plan: node.plan }),
      missing,
      digest: context.digest,
    },
  };
}

/**
 * The entries beside the version that the ledger does not hold yet: what was measured, how it failed, what was decided.
 * A word that changed in the source becomes a further entry; the ledger keeps the older one.
 */
export function factEntries(
  placed: PlacedNode,
  context: { domain: string; lineage: ForeignLineage; at: string; held: Held },
): LedgerEntry[] {
  if (placed.missing) return [];
  const { held, domain } = context;
  const common = { id: "", at: context.at, domain, version: placed.name };
  const entries: LedgerEntry[] = [];
  const add = (made: FactEntry | undefined, before: readonly LedgerEntry[]): void => {
    if (made === undefined) return;
    const last = before.at(-1);
    // The time is the version's, so only what is said counts.
    if (last !== undefined && isDeepStrictEqual({ ...made, id: last.id, at: last.at }, last)) return;
    entries.push({ ...made, id: `${made.type}:${domain}:${placed.name}:${before.length + 1}` });
  };
  add(evidenceOf(placed.node, context.lineage, common), held.evidence);
  add(failureOf(placed.node, common), held.job);
  add(decisionOf(placed.node, common), held.decision);
  return entries;
}

type FactEntry = Entry<"evidence"> | Entry<"decision"> | Entry<"job">;
type Common = Readonly<Pick<LedgerEntry, "id" | "at" | "domain"> & { version: string }>;

function evidenceOf(
  node: ForeignNode,
  lineage: ForeignLineage,
  common: Common,
): Entry<"evidence"> | undefined {
  const { metrics, primary, outcomes = [] } = node;
  if (Object.keys(metrics).length === 0 && outcomes.length === 0) return undefined;
  const about = primary === null ? undefined : lineage.metrics[primary];
  return {
    ...common,
    type: "evidence",
    split: "selection",
    score: scoreOf(byItem(outcomes), { aggregator: "micro" }),
    cleanScore: null,
    labels: [],
    signals: { ...metrics },
    ...(primary === null
      ? {}
      : {
          measured: {
            metric: primary,
            value: Object.hasOwn(metrics, primary) ? (metrics[primary] ?? null) : null,
            direction: about?.direction ?? null,
            unit: about?.unit ?? null,
          },
        }),
  };
}

function byItem(outcomes: readonly ForeignOutcome[]): ItemOutcomes[] {
  const items = new Map<string, { item: string; pass: number; fail: number; unknown: number }>();
  for (const { item, outcome } of outcomes) {
    const tally = items.get(item) ?? { item, pass: 0, fail: 0, unknown: 0 };
    items.set(item, tally);
    tally[outcome]++;
  }
  return [...items.values()];
}

function failureOf({ failure, key }: ForeignNode, common: Common): Entry<"job"> | undefined {
  return failure === null
    ? undefined
    : {
        ...common,
        type: "job",
        job: key,
        state: "failed",
        failure: failure.class,
        message: failure.message,
        seconds: failure.seconds === null ? null : Math.max(0, failure.seconds),
      };
}

function decisionOf(node: ForeignNode, common: Common): Entry<"decision"> | undefined {
  if (node.decision === null) return undefined;
  const note = noteOf(node);
  const said = node.status === null ? "" : `Written as "${node.status}".`;
  return {
    ...common,
    type: "decision",
    decision: node.decision,
    reason: [said, note].filter((t) => t !== "").join(" ") || "The source gives no reason.",
    comparison: null,
    evidence: [],
  };
}

/** The source's reason, and what it left unsaid about what it decided by. */
function noteOf({ reason, unknowns, primary }: ForeignNode): string {
  const unsaid = unknowns
    .filter((u) => u.field === primary || !u.field.includes("/"))
    .filter((u, i, all) => all.findIndex((o) => o.reason === u.reason) === i)
    .slice(0, 2)
    .map((u) => `${u.field}: ${u.reason}.`);
  return [reason, ...unsaid].filter((t) => t !== "").join(" ");
}
