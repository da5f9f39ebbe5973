import { isHeld } from "../../lineage/records/held.ts";
import { unnamedProposer } from "../../project/proposersOf.ts";
import { decidingLabels } from "../../../../shared/model/decidingLabels.ts";
import { ofGroups, shownShare } from "../../../../shared/model/labelShare.ts";
import { distrustOfRecord } from "../../decision/distrustOfRecord.ts";
import { reasonWithAlerts } from "../../decision/hypothesisText.ts";
import { saidReason } from "../../../../shared/words/guardrailText.ts";
import type { LineageReport, VersionReport } from "../../../../shared/ledger/lineage.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { HarnessError } from "../../base/errors.ts";
import type { EntryLog } from "../../lineage/entries/entryLog.ts";
import { countedOfType } from "../../lineage/trust/countedEntries.ts";
import { buildLineage, domainsOf, findVersion, wholeRecord, type Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { Ledger } from "../../lineage/ledger.ts";
import type { LineageOutline, OutlinedVersion } from "../../lineage/lineageOutline.ts";
import type { LedgerContent } from "../../lineage/entries/ledgerContent.ts";
import { openRepository } from "../../lineage/repository.ts";
import { sharedLedger } from "../../lineage/sharedLedger.ts";
import { loadProjectSpec } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { changedEvidence } from "../jobs/changedEvidence.ts";
import { gateAnswer, hypothesisText } from "../../proposals/standing/proposal.ts";
import { stageOf } from "../../decision/testing/stage.ts";
import { auditOf } from "./auditOf.ts";
import { BestBefore, trialOf } from "./trialOf.ts";
import { selectionWear } from "../../decision/testing/selectionWear.ts";

/**
 * The lineage of the project in `root`, as the views and `evotrainer lineage --json` show it; with `domain`, that of an
 * imported one. Reads git and the folders of runs only: works while another process owns the archive.
 * @throws HarnessError projectMissing, projectInvalid, notFound for a domain that is not there, and those of openRepository
 */
export async function readLineageReport(root: string, asked?: string): Promise<LineageReport> {
  let opened: Promise<ReadLedger> | undefined;
  const open = (): Promise<ReadLedger> => (opened ??= openReadOnly(root));
  const outline = await readLineageOutline(root, asked, open);
  const { project, domain, versions, notices = [], quarantined = [] } = outline;
  const changed = await changedEvidence(root, await open());
  const reports = versions.map((version) => version.report());
  return {
    ...{ project, domain, versions: reports },
    ...(outline.procedure.length === 0 ? {} : { procedure: [...outline.procedure] }),
    ...wornBy(reports, await loadProjectSpec(workTree(root)), domain),
    ...(changed.length === 0 ? {} : { changedEvidence: changed }),
    ...(notices.length === 0 ? {} : { notices: [...notices] }),
    ...(quarantined.length === 0 ? {} : { quarantined: quarantined.slice(0, mostQuarantined) }),
  };
}

/** How worn the selection split is, beside what is claimed for the best version that stands. */
function wornBy(
  versions: readonly VersionReport[],
  { domain, testing }: ProjectSpec,
  shown: string,
): Pick<LineageReport, "wear"> {
  if (domain !== shown || versions.every(({ comparison }) => comparison === null)) return {};
  const compared = versions.map(({ comparison, origin }) => ({ comparison, isForeign: origin !== null }));
  const base = versions.find((v) => v.decision === "keep" && v.origin === null)?.score ?? null;
  const kept = versions.filter(
    (v) => v.decision === "keep" && v.revertedBy === undefined && v.held === undefined,
  );
  const best = Math.max(...kept.map(({ score }) => score ?? -1));
  const gain = base === null || best < 0 ? null : best - base;
  return { wear: selectionWear(compared, { gain, margin: testing.margin }) };
}

/** So much of what cannot be used is listed. */
const mostQuarantined = 100;

/** As `readLineageReport`, for who needs the reports of a few versions. */
export async function readLineageOutline(
  root: string,
  asked?: string,
  open: (root: string) => Promise<ReadLedger> = openReadOnly,
): Promise<TellingOutline> {
  const spec = await loadProjectSpec(workTree(root));
  const content = await (await open(root)).read();
  const { entries } = content;
  const domain = asked ?? spec.domain;
  if (domain !== spec.domain) {
    const domains = domainsOf(entries);
    if (!domains.includes(domain))
      throw new HarnessError(
        "notFound",
        `There is no domain "${domain}" in the lineage; choose from ${[...new Set([spec.domain, ...domains])].join(", ")}.`,
      );
  }
  const lineage = buildLineage(entries, domain);
  const known = outlines.get(lineage);
  if (known?.project === spec.name && known.notices.join() === content.notices.join()) return known;
  const outline = new Outline(spec.name, lineage, content);
  outlines.set(lineage, outline);
  return outline;
}

/** Of the same lineage the outline is made once. */
const outlines = new WeakMap<Lineage, Outline>();

/** As the lineage tells it, with what was done after failures in a row. */
interface TellingOutline extends LineageOutline {
  readonly procedure: NonNullable<LineageReport["procedure"]>;
}

class Outline implements TellingOutline {
  readonly project: string;
  readonly domain: string;
  readonly versions: readonly OutlinedVersion[];
  readonly notices: readonly string[];
  readonly quarantined: LedgerContent["quarantined"];
  readonly #entries: EntryLog;
  readonly #lineage: Lineage;

  /** What was done instead of one more change of the same kind, after failures in a row. */
  get procedure(): NonNullable<LineageReport["procedure"]> {
    const steps: NonNullable<LineageReport["procedure"]> = [];
    for (const entry of countedOfType(this.#entries, "procedure")) {
      if (entry.domain !== this.domain) continue;
      const { version, generation, failures, step, target, reason, at } = entry;
      steps.push({ version, generation, failures, step, target, reason, at });
    }
    return steps;
  }

  constructor(project: string, lineage: Lineage, { entries, notices, quarantined }: LedgerContent) {
    const { domain, versions } = lineage;
    this.#lineage = lineage;
    this.project = project;
    this.domain = domain;
    const reverts = standingReverts(versions);
    const best = new BestBefore(versions);
    this.versions = versions.map(
      (version, place) => new Outlined(version, { lineage, best, place, reverts }),
    );
    this.notices = notices;
    this.quarantined = quarantined;
    this.#entries = entries;
  }

  #parentOf(name: string): string | null {
    return findVersion(this.#lineage, name)?.parent ?? null;
  }

  spokenOfSince(before: LineageOutline): ReadonlySet<string> | undefined {
    const log = this.#entries;
    if (!(before instanceof Outline) || !log.continues(before.#entries)) return undefined;
    const names = new Set<string>();
    for (let place = before.#entries.length; place < log.length; place++)
      names.add(log.nameOf(log.subjectAt(place)));
    // A revert changes what is shown of the version that it takes back, and of one that this took back before.
    for (const version of this.versions.filter((v) => names.has(v.name) && isNamedRevert(v.name)))
      for (let at = version.parent; at !== null; at = isNamedRevert(at) ? this.#parentOf(at) : null)
        names.add(at);
    return names;
  }
}

/** By the names of versions, what reverts them and was not reverted itself. */
function standingReverts(versions: readonly VersionRecord[]): () => ReadonlyMap<string, string> {
  let found: Map<string, string> | undefined;
  return () => {
    if (found !== undefined) return found;
    found = new Map();
    // Only an engine makes reverts, and it names them so: of a long lineage the others are not read for this.
    const reverts = versions.filter(
      (v) => isNamedRevert(v.name) && v.decision?.decision === "revert" && v.standing !== "claim",
    );
    const takenBack = new Set(reverts.map(({ parent }) => parent));
    for (const { name, parent } of reverts)
      if (parent !== null && !takenBack.has(name)) found.set(parent, name);
    return found;
  };
}

const isNamedRevert = (name: string): boolean => name.includes("-revert-");

class Outlined implements OutlinedVersion {
  readonly #version: VersionRecord;
  readonly #place: { readonly lineage: Lineage; readonly best: BestBefore; readonly place: number };
  readonly #reverts: () => ReadonlyMap<string, string>;

  constructor(
    version: VersionRecord,
    of: {
      readonly lineage: Lineage;
      readonly best: BestBefore;
      readonly place: number;
      readonly reverts: () => ReadonlyMap<string, string>;
    },
  ) {
    this.#version = version;
    this.#place = of;
    this.#reverts = of.reverts;
  }
  get name(): string {
    return this.#version.name;
  }
  get parent(): string | null {
    return this.#version.parent;
  }
  report(): VersionReport {
    const record = wholeRecord(this.#version);
    const { lineage, best, place } = this.#place;
    const [audit, trial] = [auditOf(record, lineage), trialOf(record, best.at(place))];
    return { ...viewOf(record, this.#reverts().get(this.#version.name)), audit, trial };
  }
}

type ReadLedger = Pick<Ledger, "read">;
const openReadOnly = async (root: string): Promise<ReadLedger> =>
  sharedLedger(await openRepository(root, { readOnly: true }));

/** As `readLineageOutline`, for who asks again and again: of a ledger that was read once only what is new is read. */
export function lineageReader(): (root: string) => Promise<LineageOutline> {
  const ledgers = new Map<string, ReadLedger>();
  return async (root) => {
    try {
      return await readLineageOutline(root, undefined, async () => {
        const ledger = ledgers.get(root) ?? (await openReadOnly(root));
        ledgers.set(root, ledger);
        return ledger;
      });
    } catch (e) {
      // The repository may have been replaced.
      ledgers.delete(root);
      throw e;
    }
  };
}

function viewOf(v: VersionRecord, revertedBy: string | undefined): Omit<VersionReport, "audit"> {
  return {
    name: v.name,
    commit: v.commit,
    parent: v.parent,
    ...(v.merges === undefined ? {} : { merges: v.merges }),
    ...(v.without === undefined ? {} : { without: v.without }),
    ...(v.joins === undefined ? {} : { joins: v.joins }),
    generation: v.generation,
    factor: v.factor,
    intervention: v.intervention,
    author: v.hypothesis?.proposer ?? v.origin?.format ?? (v.intervention === null ? null : unnamedProposer),
    title: v.title,
    hypothesis: hypothesisText(v),
    backtest: v.backtest?.summary ?? null,
    ...measured(v),
    ...distrusted(v),
    ...withClaims(withUnconfined(decided(v), v), v),
    signals: v.evidence.selection?.signals ?? {},
    failure: failureOf(v),
    promoted: v.promotion !== undefined && revertedBy === undefined,
    ...(revertedBy === undefined ? {} : { revertedBy }),
    ...(revertedBy === undefined && isHeld(v) ? { held: true as const } : {}),
    promotion: v.promotion?.reason ?? null,
    origin: v.origin ?? null,
    ...said(v),
    at: v.at,
  };
}

/** Why it has no score, by its last failed job; a further seed that failed takes nothing from a version that is kept. */
function failureOf({ jobs, decision }: VersionRecord): VersionReport["failure"] {
  if (decision?.decision === "keep" || decision?.decision === "base") return null;
  return jobs.findLast((j) => j.failure !== null)?.failure ?? null;
}

/** What people said of it: the last name counts, a tag until it is taken off. */
function said({ notes }: VersionRecord): Pick<VersionReport, "alias" | "tags" | "notes"> {
  const tags = new Set<string>();
  let alias = "";
  for (const { what, value } of notes)
    if (what === "name") alias = value;
    else if (what === "tag") tags.add(value);
    else if (what === "untag") tags.delete(value);
  return {
    alias: alias === "" ? null : alias,
    tags: [...tags].sort(),
    notes: notes.flatMap(({ what, at, by, value }) => {
      if (what === "text") return [{ at, by, text: value }];
      return what === "hint" ? [{ at, by, text: `Hint for proposers: ${value}` }] : [];
    }),
  };
}

function measured({
  evidence,
  decision,
}: VersionRecord): Pick<
  VersionReport,
  "score" | "low" | "high" | "measured" | "cleanScore" | "cleanBy" | "cleanBecause" | "labels"
> {
  const score = evidence.selection?.score ?? null;
  const deciding = decision === undefined ? [] : decidingLabels(decision);
  return {
    score: score?.value ?? null,
    low: score?.low ?? null,
    high: score?.high ?? null,
    measured: evidence.selection?.measured ?? null,
    ...cleaned(evidence.selection),
    labels: (evidence.selection?.labels ?? []).map((l) => ({
      name: l.name,
      ...shownShare(l),
      ...ofGroups(l),
      alert: l.alert,
      ...(deciding.includes(l.name) ? { decided: true as const } : {}),
      ...(l.under === undefined ? {} : { under: l.under }),
    })),
  };
}

/** That a job could reach what is not its own is told wherever the reason is. */
function withUnconfined<T extends { readonly reason: string }>(
  told: T,
  { evidence }: VersionRecord,
): T & Pick<VersionReport, "unconfined"> {
  const unconfined = evidence.selection?.measuredOn?.unconfined ?? evidence.audit?.measuredOn?.unconfined;
  return unconfined === undefined
    ? told
    : { ...told, reason: `${told.reason} Unconfined: ${unconfined}.`, unconfined };
}

function distrusted(version: VersionRecord): Pick<VersionReport, "distrust"> {
  const distrust = distrustOfRecord(version);
  return distrust === undefined ? {} : { distrust };
}

/** The score without the leak, and how it was made. */
function cleaned(
  evidence: VersionRecord["evidence"]["selection"],
): Pick<VersionReport, "cleanScore" | "cleanBy" | "cleanBecause"> {
  const { cleanScore = null, cleanBy, cleanBecause } = evidence ?? {};
  return {
    cleanScore: cleanScore?.value ?? null,
    ...(cleanBy === undefined ? {} : { cleanBy }),
    ...(cleanBecause === undefined ? {} : { cleanBecause }),
  };
}

/** What is only claimed is told wherever the reason is. */
function withClaims<T extends { readonly reason: string }>(told: T, { claims }: VersionRecord): T & Claims {
  return claims.length === 0
    ? told
    : { ...told, reason: [told.reason, ...claims].join(" "), claims: [...claims] };
}
type Claims = Pick<VersionReport, "claims">;

function decided(
  v: VersionRecord,
): Pick<
  VersionReport,
  | "decision"
  | "stage"
  | "reason"
  | "comparison"
  | "evidence"
  | "hypothesisResult"
  | "admission"
  | "wouldDiffer"
  | "newWays"
  | "inParentEnvironment"
> {
  if (v.decision === undefined)
    return { decision: "pending", stage: null, reason: pendingReason(v), comparison: null, evidence: [] };
  const { decision, reason, comparison, evidence, hypothesis, admission, wouldDiffer } = v.decision;
  const { newWays, inParentEnvironment } = v.decision;
  const labels = v.evidence.selection?.labels ?? [];
  return {
    decision,
    stage: stageOf(v),
    reason: reasonWithAlerts(saidReason(reason, labels), hypothesis, labels),
    comparison,
    evidence: evidence.map((e) => ({ rollout: e.rollout, turns: [...e.turns], label: e.label })),
    ...(hypothesis === undefined ? {} : { hypothesisResult: hypothesis }),
    ...(admission === undefined ? {} : { admission }),
    ...(wouldDiffer === undefined ? {} : { wouldDiffer }),
    ...(newWays === undefined ? {} : { newWays }),
    ...(inParentEnvironment === undefined ? {} : { inParentEnvironment }),
  };
}

function pendingReason(v: VersionRecord): string {
  if (v.origin !== undefined) return importedReason(v.origin);
  if (v.jobs.length > 0) return "Trained, not decided yet.";
  const answer = gateAnswer(v);
  if (answer?.answer === "approve")
    return "Approved. `evotrainer evolve` trains it once all of its generation have an answer and a slot is free.";
  if (answer?.answer !== "revise") return "Proposed, waiting for its gate.";
  return answer.hasNewText
    ? `Revised, waiting for its gate: ${answer.comment ?? ""}`
    : `Sent back to its proposer: ${answer.comment ?? ""}`;
}

/** Why an imported version has no decision: the source's own word, which may mean something to a reader. */
function importedReason({ format, status, note, missing }: NonNullable<VersionRecord["origin"]>): string {
  if (missing) return note;
  const said =
    status === null ? `Imported from ${format} without a decision.` : `"${status}" is not a known decision.`;
  return note === "" ? said : `${said} ${note}`;
}
