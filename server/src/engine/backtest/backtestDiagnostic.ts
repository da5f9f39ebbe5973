import { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { HarnessError } from "../../base/errors.ts";
import {
  backtestDiagnostic as backtestOver,
  labelledRollouts,
  storedRevision,
  type Before,
  type DiagnosticBacktest,
} from "../../backtest/diagnosticBacktest.ts";
import { admissionMatrix } from "../../backtest/admission.ts";
import { labelHistory, otherHistories, questionOf } from "../../backtest/decidedVersions.ts";
import { describeWithoutLabelled, withoutLabelled } from "../../backtest/withoutLabelled.ts";
import { groupColumns } from "../../evidence/queries/groupColumns.ts";
import { trainedSplit } from "./backtestReward.ts";
import { letThrough } from "../../backtest/quarantine.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { conditionOf } from "../../changes/condition.ts";
import { describeProblems } from "../../project/project.ts";
import { readSpec } from "../../project/readSpec.ts";
import { projectOrBare } from "../project/bareProject.ts";
import { committedDiagnostic, knownLineage } from "../project/knownLineage.ts";
import { cleanEvidence } from "../workspace/runs.ts";
import { defineService } from "../workspace/service.ts";

type BeforeFrom = "committed" | "work_tree" | "stored" | "nothing";

/**
 * Runs a revision of a diagnostic over the archived versions: what it would label, whether it separates the kept from
 * the rejected ones, and which quarantined version it would let through. Stores nothing; the text need not be saved.
 */
export const backtestDiagnostic = defineService("backtest.diagnostic", {
  repeatable: true,
  async run({ store, root }, { path, text, ...options }, { signal }) {
    const read = readSpec(path, text, DiagnosticSpec);
    if (!read.ok) throw new HarnessError("specInvalid", describeProblems(read.problems));
    const spec = read.value;
    const project = await projectOrBare(root);
    const { own, byName, repository } = await knownLineage(root, project.domain);
    const inForce = project.diagnostics.map((d) => d.spec);
    const committed = repository === undefined ? undefined : await committedDiagnostic(repository, spec.name);
    const { before, from } = await beforeOf(store, spec, { committed, inForce });
    const tried = await backtestOver(store, { spec, before, ...options });
    const result = { ...tried, versions: asInLineage(tried.versions, [...byName().keys()]) };
    const decisions = new Map([...byName()].map(([name, v]) => [name, v.decision?.decision ?? null]));
    const question = questionOf(spec);
    const [admission] = admissionMatrix([labelHistory(spec.name, result.versions, decisions, question)]);
    const released = await letThrough(store, {
      versions: own,
      diagnostics: [...inForce.filter((d) => d.name !== spec.name), spec],
      domain: project.domain,
    });
    return {
      ...result,
      beforeFrom: from,
      versions: result.versions.map((v) => ({ ...v, decision: decisions.get(v.version) ?? null })),
      question,
      admission: admission ?? null,
      others: admissionMatrix(otherHistories(spec.name, own, question)),
      letThrough: released.filter((l) => l.diagnostic === spec.name),
      advantages: await advantagesWithout(store, spec, { result, split: options.split, signal }),
      notes: notesOf(result, spec, project.domain),
    };
  },
});

/** What each version's training would have seen without the rollouts that are labelled; in sentences. */
async function advantagesWithout(
  store: Store,
  spec: DiagnosticSpec,
  {
    result,
    split,
    signal,
  }: {
    readonly result: DiagnosticBacktest;
    readonly split: "train" | "selection" | undefined;
    readonly signal: AbortSignal;
  },
): Promise<string[]> {
  const told: string[] = [];
  for (const { version } of result.versions) {
    const scope = { version, split: split ?? (await trainedSplit(store, version)) };
    const labelled = await labelledRollouts(store, spec, scope);
    if (labelled.size === 0) continue;
    const columns = await groupColumns(store, scope, { signals: [], signal });
    told.push(...describeWithoutLabelled(version, withoutLabelled(columns, labelled)));
  }
  return told;
}

/** In the order of the lineage, imported versions last, and without what a leak was closed for: that is no version. */
function asInLineage<T extends { readonly version: string }>(
  versions: readonly T[],
  lineage: readonly string[],
): T[] {
  const [place, clean] = [
    new Map(lineage.map((name, at) => [name, at])),
    new Set(lineage.map(cleanEvidence)),
  ];
  const at = ({ version }: T): number => place.get(version) ?? lineage.length;
  return versions.filter(({ version }) => !clean.has(version)).sort((a, b) => at(a) - at(b));
}

/** What to compare with: the first revision that differs, of the commit, the work tree and the stored labels. */
async function beforeOf(
  store: Store,
  spec: DiagnosticSpec,
  {
    committed,
    inForce,
  }: { readonly committed: DiagnosticSpec | undefined; readonly inForce: readonly DiagnosticSpec[] },
): Promise<{ before: Before; from: BeforeFrom }> {
  const { revision } = conditionOf(spec);
  const saved = inForce.find((d) => d.name === spec.name);
  for (const [other, from] of [
    [committed, "committed"],
    [saved, "work_tree"],
  ] as const)
    if (other !== undefined && revisionOf(other) !== null && revisionOf(other) !== revision)
      return { before: { type: "spec", spec: other }, from };
  const stored = await storedRevision(store, spec.name);
  if (stored !== null && stored !== revision)
    return { before: { type: "stored", revision: stored }, from: "stored" };
  // Nothing differs: the revision is compared with itself, unless nobody has it yet.
  if (committed !== undefined) return { before: { type: "spec", spec }, from: "committed" };
  if (saved !== undefined) return { before: { type: "spec", spec }, from: "work_tree" };
  return { before: { type: "nothing" }, from: "nothing" };
}

/** Null for a revision that never worked: there is nothing to compare with. */
function revisionOf(spec: DiagnosticSpec): string | null {
  try {
    return conditionOf(spec).revision;
  } catch (e) {
    if (HarnessError.is(e, "specInvalid")) return null;
    throw e;
  }
}

function notesOf(result: DiagnosticBacktest, spec: DiagnosticSpec, domain: string): string[] {
  const notes: string[] = [];
  if (result.versions.length === 0) notes.push("There are no rollouts of these versions in the archive.");
  if (spec.domains !== undefined && !spec.domains.includes(domain))
    notes.push(`It is made for ${spec.domains.join(", ")}, so it is not used in ${domain}.`);
  const undecided = result.versions.filter((v) => v.after.undecided > 0);
  if (undecided.length > 0)
    notes.push(
      `Its condition has no value for some rollouts of ${undecided.map((v) => v.version).join(", ")}; rates leave those out.`,
    );
  return notes;
}
