import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { admissionMatrix } from "../../backtest/admission.ts";
import { tryArchived } from "../../backtest/archivedExamples.ts";
import { labelHistory, questionOf } from "../../backtest/decidedVersions.ts";
import { backtestDiagnostic } from "../../backtest/diagnosticBacktest.ts";
import { letThrough } from "../../backtest/quarantine.ts";
import { conditionOf, isFor } from "../../changes/condition.ts";
import { admitHarness, type AdmissionVerdict } from "../../decision/admission/admitHarness.ts";
import { harmless, type DiagnosticChange } from "../../decision/admission/inForce.ts";
import type { DiagnosticFacts } from "../../decision/admission/judgeDiagnostic.ts";
import { humanLabelsPath, readHumanLabels } from "../../diagnosis/judge/humanLabels.ts";
import type { Store } from "../../evidence/archive/store.ts";
import type { Lineage } from "../../lineage/graph.ts";
import type { Repository } from "../../lineage/repository.ts";
import type { Project } from "../../project/project.ts";
import { isHarness } from "../../proposals/standing/harnessVersions.ts";
import { usableOf } from "../project/usableDiagnostics.ts";
import {
  admittedChanges,
  changesOfHarness,
  overlay,
  type HarnessProject,
} from "../project/harnessProject.ts";
import { labelFacts } from "./labelFacts.ts";

/** Where harness versions are measured. */
export interface HarnessGround {
  readonly store: Store;
  readonly repository: Repository;
  readonly engineFolder: string;
  readonly lineage: Lineage;
  /** As the evolution began, or as the user's branch has it, without any admitted harness version. */
  readonly project: Project;
}

export interface Assessed extends AdmissionVerdict {
  /** What is in force before it, and what would be after it. */
  readonly before: HarnessProject;
  readonly after: HarnessProject;
}

/** A change of how evidence is read, by the commits that it lies between. */
export interface HarnessChange {
  readonly version: string;
  readonly parent: string;
  readonly commit: string;
}

/** Measures on the archive what a harness version changes, and says whether it is fit to be in force. Stores nothing. */
export async function assessHarness(ground: HarnessGround, change: HarnessChange): Promise<Assessed> {
  const { repository, lineage, project } = ground;
  const admitted = await admittedChanges(repository, lineage);
  const before = overlay(project, admitted);
  const own = (await changesOfHarness(repository, change)).filter((c) =>
    [c.before, c.after].some((spec) => spec !== null && (spec.domains?.includes(lineage.domain) ?? true)),
  );
  const withOwn = (onTrial: boolean): HarnessProject =>
    overlay(project, [...admitted, ...own.map((c) => ({ ...c, version: change.version, onTrial }))]);
  const facts: DiagnosticFacts[] = [];
  for (const one of own) facts.push(await factsOf(ground, one, { before, after: withOwn(false) }));
  const verdict = admitHarness(facts);
  return { ...verdict, before, after: withOwn(verdict.admission.verdict === "on_trial") };
}

type Change = Pick<DiagnosticChange, "name" | "before" | "after">;

async function factsOf(
  ground: HarnessGround,
  change: Change,
  projects: { readonly before: HarnessProject; readonly after: HarnessProject },
): Promise<DiagnosticFacts> {
  const { name, before, after } = change;
  const spec = after ?? before;
  if (spec === null) throw new Error(`${name} is neither before nor after`);
  const problems = await refusals(ground, change, projects);
  const common = {
    name,
    change:
      after === null ? ("removed" as const) : before === null ? ("added" as const) : ("revised" as const),
    invalidates: after?.label.invalidates ?? false,
    question: questionOf(spec),
    refusals: problems,
  };
  const reason = isUsable(spec, ground.lineage.domain)
    ? unmeasuredText(spec)
    : `${name} cannot be used as it is.`;
  if (reason !== null) return { ...common, ...nothingMeasured(change, reason) };
  const others = projects.after.project.diagnostics
    .map((d) => d.spec)
    .filter((d) => d.name !== name && isFor(d, ground.lineage.domain) && unmeasuredText(d) === null);
  const old = before !== null && after !== null && unmeasuredText(before) === null ? before : null;
  const { overlapsBefore, ...counted } = await labelFacts(ground.store, { spec, before: old, others });
  const separation = await separationOf(ground, spec);
  const { revision } = conditionOf(spec);
  return {
    ...common,
    ...counted,
    overlaps: [...counted.overlaps],
    revision: after === null ? null : revision,
    versions: separation.versions,
    auc: separation.auc,
    p: separation.p,
    separation,
    unmeasured: null,
    agreement: await agreementOf(ground, spec),
    before:
      before === null
        ? null
        : {
            overlaps: [...overlapsBefore],
            invalidates: before.label.invalidates,
            isSameCondition: old !== null && conditionOf(old).revision === revision,
          },
  };
}

/** Whether its expressions compile; what a model answers has none. */
const isUsable = (spec: DiagnosticSpec, domain: string): boolean =>
  spec.label.judge !== undefined || usableOf([spec], domain).problems.length === 0;

/** Why its labels cannot be computed from rollouts; null where they can. */
function unmeasuredText({ name, over, label }: DiagnosticSpec): string | null {
  if (over !== "rollout")
    return `${name} is about ${over === "group" ? "groups" : "whole versions"} and labels no rollout, so the archive cannot say what it separates.`;
  if (label.when === undefined)
    return `${name} asks ${label.judge === undefined ? "a program" : "a model"}, which was not run over all earlier versions.`;
  return null;
}

function nothingMeasured(
  { before, after }: Change,
  reason: string,
): Omit<DiagnosticFacts, "name" | "change" | "invalidates" | "question" | "refusals"> {
  const nothing = { labelled: 0, of: 0 };
  return {
    ...{ revision: null, versions: 0, auc: null, p: null, labelled: 0, rollouts: 0, secondsPer10000: null },
    ...{ failures: nothing, passes: nothing, explains: { failures: 0, of: 0 }, overlaps: [] },
    separation: { verdict: "cannot_tell", because: reason },
    unmeasured: reason,
    agreement: { right: 0, wrong: 0 },
    before:
      before === null
        ? null
        : {
            overlaps: [],
            invalidates: before.label.invalidates,
            isSameCondition: JSON.stringify(before.label) === JSON.stringify(after?.label),
          },
  };
}

/** What stands against it whatever it labels, a sentence each. */
async function refusals(
  { store, lineage }: HarnessGround,
  { name, before, after }: Change,
  projects: { readonly before: HarnessProject; readonly after: HarnessProject },
): Promise<string[]> {
  const now = projects.before.project.diagnostics.find((d) => d.spec.name === name)?.spec ?? null;
  const isHere =
    JSON.stringify(now) === JSON.stringify(before) || JSON.stringify(now) === JSON.stringify(trial(before));
  if (!isHere)
    return [
      `${name} is not in force as this version found it: it was changed elsewhere in the meantime. Propose the change again, of what is in force now.`,
    ];
  if (after !== null && !isUsable(after, lineage.domain))
    return [...usableOf([after], lineage.domain).problems];
  const released = await letThrough(store, {
    versions: lineage.versions,
    diagnostics: projects.after.project.diagnostics.map((d) => d.spec),
    domain: lineage.domain,
  });
  return released
    .filter((l) => l.diagnostic === name && l.waived === null)
    .map(
      ({ message }) =>
        `${message} If that is right, accept it with \`evotrainer backtest <its file> --approve "<why>"\` and propose it again.`,
    );
}

/** As it is in force while it is on trial. */
const trial = (spec: DiagnosticSpec | null): DiagnosticSpec | null => (spec === null ? null : harmless(spec));

/** Whether its share tells the decided versions apart, as `backtest` says it. */
async function separationOf({ store, lineage }: HarnessGround, spec: DiagnosticSpec) {
  const { versions } = await backtestDiagnostic(store, {
    spec,
    before: { type: "nothing" },
    split: "selection",
  });
  const decisions = new Map(
    lineage.versions
      .filter((v) => !isHarness(v) && v.standing !== "claim")
      .map((v) => [v.name, v.decision?.decision ?? null]),
  );
  const history = labelHistory(spec.name, versions, decisions, questionOf(spec));
  const [row] = admissionMatrix([history]);
  const counted = [...history.good, ...history.bad].filter(({ value }) => value !== null).length;
  return {
    versions: counted,
    auc: row?.auc ?? null,
    p: row?.p ?? null,
    verdict: row?.verdict ?? "cannot_tell",
    because: row?.because ?? "No version is decided.",
  };
}

/** What people said of rollouts, beside what it says of them. */
async function agreementOf(
  { store, engineFolder }: HarnessGround,
  spec: DiagnosticSpec,
): Promise<DiagnosticFacts["agreement"]> {
  const said = await readHumanLabels(humanLabelsPath(engineFolder), spec.name);
  const { sql } = conditionOf(spec);
  const [verdicts = []] = await tryArchived(store, [
    { sql, rollouts: said.map(({ run, id }) => `${run}/${id}`) },
  ]);
  let [right, wrong] = [0, 0];
  for (const [i, { labelled }] of said.entries()) {
    const verdict = verdicts[i];
    if (verdict !== "labelled" && verdict !== "clear") continue;
    if ((verdict === "labelled") === labelled) right++;
    else wrong++;
  }
  return { right, wrong };
}
