import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { compileVersion } from "../server/src/diagnosis/compileVersion.ts";
import { canFire, metricsOfCondition } from "../server/src/diagnosis/curves.ts";
import { diagnose, type Diagnosis } from "../server/src/diagnosis/diagnose.ts";
import { signalScope, versionValues } from "../server/src/diagnosis/versionFacts.ts";
import { versionFacts } from "../server/src/diagnosis/versionRules.ts";
import { bareDomain } from "../server/src/engine/project/bareProject.ts";
import type { Facts } from "../server/src/predicate/facts.ts";
import { splitOrDefault } from "../server/src/engine/workspace/openSplit.ts";
import type { Store } from "../server/src/evidence/archive/store.ts";
import { stringOf } from "../server/src/evidence/store/rows.ts";
import { wilson } from "../server/src/statistics/intervals/proportions.ts";
import { requiredFields } from "../server/src/diagnosis/label/requires.ts";
import { labelCarriers } from "../server/src/diagnosis/labelCarriers.ts";
import { DiagnosticSpec } from "../shared/spec/diagnostic.ts";

/** What a person who read the files says of each finding in them (test/stored/fixtureFindings.yaml). */
const Golden = z.object({
  reasons: z.record(z.string(), z.string()),
  sets: z.record(z.string(), z.record(z.string(), z.record(z.string(), z.string()))),
});
const { reasons, sets: told } = Golden.parse(
  parse(readFileSync(join(import.meta.dirname, "../test/stored/fixtureFindings.yaml"), "utf8")),
);
const wrong = "Not right yet";

/** The sets that thresholds may be set on. All others are for validation only; of training metrics `isTuning` says which. */
const tuningSets = new Set([
  "agent_dgm_initial",
  "agent_mini_swe_agent",
  "agent_openhands",
  "rl_tinker_rewardhack_rollouts",
  "rl_verifiers_vf_eval",
  "rl_verl_rollout_dump",
]);
/** Single runs of four projects; the eleven others are of a fifth one, recipe/async_reward_agent of verl. */
const tuningRuns = /^(Titan|DAPO|trtllm|qwen3-0\.6b)/;

export const alarmSets = Object.keys(told);

const isTuning = (set: string, version: string): boolean =>
  set === "metrics_verl_grpo" ? tuningRuns.test(version) : tuningSets.has(set);

/** What one diagnostic said of one version about which it could have said something. */
export interface Said {
  readonly version: string;
  readonly diagnostic: string;
  readonly split: "tuning" | "validation";
  readonly verdict: "quiet" | "right" | "wrong";
  /** Of a diagnostic over rollouts: those that it could label, and those that it does. */
  readonly rollouts?: Labelled;
}

export interface Labelled {
  readonly labelled: number;
  readonly asked: number;
}

/** A version as `diagnose` sees it, and whether anything was trained on its rollouts. */
interface Seen {
  readonly diagnosis: Diagnosis;
  readonly facts: Facts;
  readonly hasRollouts: boolean;
  readonly isTrained: boolean;
  /** Which of its rollouts do each of `doings`. */
  readonly does: ReadonlyMap<string, readonly number[]>;
}

const doing = (name: string, when: string): DiagnosticSpec =>
  DiagnosticSpec.parse({ apiVersion: "evotrainer/v1", kind: "Diagnostic", name, label: { when } });

/** What rollouts have to do before a condition that reads it can hold. */
const doings = [
  doing("calls", "turns.exists(t, t.tool != null)"),
  doing("commands", 'action_count("terminal") + action_count("test") + action_count("search") > 0'),
  doing("edits", 'action_count("edit") > 0'),
];

/** An edit that a condition finds, or what it finds in one. */
const findsEdits =
  /edits_file\(|\.written\b|action == "edit"|first_action\("edit"\) >= |action_count\("edit"\) > 0/;

/** What a condition waits for: where no rollout edits anything, say, one that looks at edited files cannot be false. */
function doingsOf(spec: DiagnosticSpec): string[] {
  const when = spec.label.when ?? "";
  if (findsEdits.test(when)) return ["edits"];
  if (/\.command\b/.test(when)) return ["commands"];
  return requiredFields(spec).some((field) => field === "turns.tool" || field === "turns.ok")
    ? ["calls"]
    : [];
}

/**
 * Whether a diagnostic could say something of a version at all. Without a training, what is about its signal raises no alarm; those
 * that only inform are heard there, too.
 */
function canSpeak(spec: DiagnosticSpec, { diagnosis, facts, hasRollouts, isTrained, does }: Seen): boolean {
  const { name, over, layer, label, domains, alert } = spec;
  if (domains !== undefined || (layer === "signal" && !isTrained && label.severity !== "info")) return false;
  if (over === "version")
    return metricsOfCondition(spec).length > 0
      ? canFire(spec, facts.version?.metric ?? (() => null))
      : // Of no rollouts "too few" is certain, which is no case in which it was right to be quiet.
        hasRollouts && compileVersion(spec, "when").test(facts) !== null;
  const count = diagnosis.labels.find((l) => l.name === name);
  return (
    alert !== undefined &&
    count !== undefined &&
    count.rollouts > (count.undecided ?? 0) &&
    doingsOf(spec).every((one) => does.has(one))
  );
}

/** How many rollouts a diagnostic labels, of those that do what it waits for. */
function labelledOf(spec: DiagnosticSpec, { diagnosis, does }: Seen): Labelled {
  const {
    rollouts = 0,
    undecided = 0,
    labelled = 0,
  } = diagnosis.labels.find((l) => l.name === spec.name) ?? {};
  const sizes = doingsOf(spec).map((one) => does.get(one)?.length ?? 0);
  return { labelled, asked: Math.max(labelled, Math.min(rollouts - undecided, ...sizes)) };
}

/**
 * Of a diagnostic that can alarm, its information does not count.
 * @throws Error where the diagnostic says something and nobody has said yet whether that is right
 */
function verdictOf(
  { name, label }: DiagnosticSpec,
  { findings, version }: Diagnosis,
  set: string,
): Said["verdict"] {
  const found = findings.find((f) => f.name === name && (f.severity !== "info" || label.severity === "info"));
  if (found === undefined) return "quiet";
  // What is named with another finding has the reason of that one.
  const lead = found.under === undefined ? found : findings.find((f) => f.name === found.under);
  const key = `${lead?.severity} ${lead?.name}`;
  const own = told[set]?.[version]?.[key];
  const reason = own === "" ? reasons[key] : own;
  if (reason === undefined)
    throw new Error(
      `Nobody has said yet whether ${name} is right about ${version} of ${set}: test/stored/fixtureFindings.yaml.`,
    );
  return reason.startsWith(wrong) ? "wrong" : "right";
}

/** Diagnoses every version of a set, and compares each finding with what a reader said of it. */
export async function saidOf(
  store: Store,
  set: string,
  diagnostics: readonly DiagnosticSpec[],
): Promise<Said[]> {
  const rows = await store.query({
    sql: "SELECT version FROM rollouts UNION SELECT version FROM metrics ORDER BY version",
    params: [],
  });
  const said: Said[] = [];
  for (const row of rows) {
    const version = stringOf(row, "version");
    const scope = { split: await splitOrDefault(store, version, undefined) };
    const asked = { version, scope, aggregator: "macro" } as const;
    const diagnosis = await diagnose(store, { ...asked, domain: bareDomain, diagnostics });
    const values = await versionValues(store, asked);
    const { labels, training } = diagnosis;
    const facts = await versionFacts(store, { version, values, labels, parent: undefined, diagnostics });
    const isTrained =
      training.all.length > 0 || (await signalScope(store, { version, scope })).split === "train";
    const does = await labelCarriers(store, { ...scope, version }, doings);
    const hasRollouts = Number(values["rollouts"]) > 0;
    const seen = { diagnosis, facts, hasRollouts, isTrained, does };
    const split = isTuning(set, version) ? "tuning" : "validation";
    for (const spec of diagnostics.filter((d) => canSpeak(d, seen)))
      said.push({
        version: `${set} ${version}`,
        diagnostic: spec.name,
        split,
        verdict: verdictOf(spec, diagnosis, set),
        ...(spec.over === "rollout" ? { rollouts: labelledOf(spec, seen) } : {}),
      });
  }
  return said;
}

/** How often a diagnostic said something that a reader calls wrong. */
export interface FalseAlarms {
  readonly right: number;
  readonly wrong: number;
  /** Versions of which a reader says nothing of the kind. */
  readonly negatives: number;
}

export function falseAlarmsOf(said: readonly Said[], name: string, split: Said["split"]): FalseAlarms {
  const own = said.filter((s) => s.diagnostic === name && s.split === split);
  const count = (verdict: Said["verdict"]): number => own.filter((s) => s.verdict === verdict).length;
  return { right: count("right"), wrong: count("wrong"), negatives: count("wrong") + count("quiet") };
}

/** The rate above which a diagnostic says at most information. */
export const mostFalseAlarms = 0.1;

/** Fewer versions show nothing. */
export const fewestNegatives = 5;

/** Whether files show that a diagnostic is seldom false. */
export const isShown = ({ wrong: n, negatives }: FalseAlarms): boolean =>
  negatives >= fewestNegatives && n / negatives <= mostFalseAlarms;

export function falseAlarmCells({ right, wrong: n, negatives }: FalseAlarms): string {
  if (negatives === 0) return right === 0 ? "none" : `no negative, ${right} right`;
  const { low, high } = wilson({ share: n / negatives, size: negatives });
  const ends = `[${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`;
  return `${((100 * n) / negatives).toFixed(1)} % ${ends} (${n}/${negatives})${right === 0 ? "" : `, ${right} right`}`;
}

/** How many rollouts of a split a diagnostic labels; undefined for one that is not over rollouts. */
export function labelledIn(said: readonly Said[], name: string, split: Said["split"]): Labelled | undefined {
  const own = said.flatMap((s) =>
    s.diagnostic === name && s.split === split && s.rollouts !== undefined ? [s.rollouts] : [],
  );
  const sum = (key: keyof Labelled): number => own.reduce((n, one) => n + one[key], 0);
  return own.length === 0 ? undefined : { labelled: sum("labelled"), asked: sum("asked") };
}

/** No more of the rollouts can be labelled wrongly than are labelled at all. */
export function labelledCell(of: Labelled | undefined): string {
  if (of === undefined || of.asked === 0) return "–";
  const { high } = wilson({ share: of.labelled / of.asked, size: of.asked });
  return `${of.labelled} of ${of.asked}${of.labelled === 0 ? `, at most ${(100 * high).toFixed(1)} %` : ""}`;
}
