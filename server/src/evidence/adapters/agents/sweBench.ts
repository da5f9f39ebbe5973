import {
  fail,
  pass,
  unknown,
  verdictOf,
  type Companion,
  type ForeignFile,
  type Verdict,
} from "../parts/adapter.ts";
import { namesBeside } from "../parts/beside.ts";
import { at, booleanAt, fieldsAt, isFields, listAt } from "../parts/untrusted.ts";

/** What an evaluation with SWE-bench says of one instance. */
export interface Judgement {
  readonly verdict: Verdict;
  /** Counts of tests by kind and result. */
  readonly components: Readonly<Record<string, number>>;
  /** The file that says so, relative to the trajectory. */
  readonly from: string;
}

/**
 * The report of one instance, `{<instance>: {resolved, tests_status, …}}`, as SWE-bench writes it
 * (swebench/harness/grading.py get_eval_report); undefined when the document is about something else.
 */
export function reportOf(document: unknown, instance: string, from: string): Judgement | undefined {
  const report = fieldsAt(document, instance);
  const resolved = booleanAt(report, "resolved");
  if (report === undefined || resolved === undefined) return undefined;
  const components: Record<string, number> = { resolved: resolved ? 1 : 0 };
  for (const kind of ["FAIL_TO_PASS", "PASS_TO_PASS"])
    for (const result of ["success", "failure"]) {
      const tests = listAt(report, "tests_status", kind, result);
      if (tests !== undefined) components[`${kind}.${result}`] = tests.length;
    }
  return { verdict: verdictOf(resolved), components, from };
}

/**
 * The verdict of a report about a whole run, in the notation of the harness (`resolved_ids`, …) or of the
 * leaderboard (`resolved`, `no_generation`, `no_logs`). An instance that no list names was not evaluated.
 */
export function summaryVerdict(document: unknown, instance: string, from: string): Verdict | undefined {
  if (!isFields(document)) return undefined;
  const has = (...names: readonly string[]): boolean =>
    names.some((name) => listAt(document, name)?.includes(instance));
  if (has("error_ids", "no_logs"))
    return unknown(`${from} lists it under errors: its evaluation reached no verdict`);
  if (has("incomplete_ids")) return unknown(`${from} lists it as incomplete: it was not evaluated`);
  if (has("resolved_ids", "resolved")) return pass;
  // SWE-bench counts a missing or an empty patch as not resolved.
  if (has("unresolved_ids", "empty_patch_ids", "no_generation", "not_generated")) return fail;
  // The leaderboard names the resolved only: what has a patch and a log and is not among them is not resolved.
  const leaderboard = ["resolved", "no_generation", "no_logs"].every((name) =>
    Array.isArray(at(document, name)),
  );
  return leaderboard && (at(document, "generated") === undefined || has("generated")) ? fail : undefined;
}

/**
 * What reports beside a trajectory say of its instance. `root` is the folder of the run relative to the trajectory; only
 * files inside the run are asked, and each must name the instance. Reports that contradict each other give `unknown`.
 */
export async function judgementBeside(
  file: ForeignFile,
  instance: string,
  root: string,
): Promise<Judgement | undefined> {
  const found: Judgement[] = [];
  const single = [
    `${instance}.report.json`,
    "report.json",
    `${root}/reports/${instance}.report.json`,
    `${root}/reports/${instance}/report.json`,
    `${root}/logs/${instance}/report.json`,
    `${root}/report.json`,
  ];
  for (const path of new Set(single)) {
    const judgement = reportOf(await file.beside(path), instance, path);
    if (judgement !== undefined) found.push(judgement);
  }
  for (const path of await summariesOf(file, root)) {
    const verdict = summaryVerdict(await file.beside(path), instance, path);
    if (verdict !== undefined) found.push({ verdict, components: {}, from: path });
  }
  return agreed(found);
}

/** Reports of one run lie in its folder, under names that contain the run's: those that may be one, at most 50. */
async function summariesOf(file: ForeignFile, root: string): Promise<string[]> {
  const paths: string[] = [];
  for (const folder of [root, `${root}/results`, `${root}/reports`])
    for (const name of await namesBeside(file, folder))
      if (/(?<!preds?|\.traj|\.report)\.json$/.test(name)) paths.push(`${folder}/${name}`);
  return paths.slice(0, 50);
}

/** What an evaluation leaves in the folder of a run, `root` relative to a trajectory, and what it was given. */
export function evaluationFiles(root: string): Companion[] {
  const names = ["report.json", "patch.diff", "run_instance.log", "test_output.txt", "eval.sh"];
  return [
    ...["", "reports/", "*/"].map((folder) => `${root}/${folder}*.report.json`),
    ...["logs/*/", "reports/*/"].flatMap((folder) => names.map((name) => `${root}/${folder}${name}`)),
    ...["report.json", "*/report.json", "*preds.json"].map((name) => `${root}/${name}`),
    ...["", "results/", "reports/"].map((folder) => ({
      path: `${root}/${folder}*.json`,
      holds: async (file: ForeignFile) => isSummary(await file.document()),
    })),
  ];
}

const isSummary = (document: unknown): boolean =>
  [["resolved_ids"], ["resolved", "no_generation", "no_logs"]].some((names) =>
    names.every((name) => listAt(document, name) !== undefined),
  );

function agreed(found: readonly Judgement[]): Judgement | undefined {
  const [first, ...rest] = found;
  const other = rest.find((j) => j.verdict.outcome !== first?.verdict.outcome);
  if (first === undefined || other === undefined) return first;
  const words = `${first.from} says ${first.verdict.outcome}, ${other.from} says ${other.verdict.outcome}`;
  return { ...first, verdict: unknown(`the reports contradict each other: ${words}`) };
}

/**
 * The verdict of a trajectory from its report and the way it ended. A failure after the infrastructure broke is not
 * held against the policy; a solution that was verified stands.
 */
export function withExit(judged: Verdict | undefined, exit: Verdict): Verdict {
  if (judged === undefined) return exit;
  return judged.outcome === "fail" && exit.outcome === "unknown" ? exit : judged;
}
