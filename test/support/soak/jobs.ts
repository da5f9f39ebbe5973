import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { JobSpec } from "../../../server/src/runner/job/jobSpec.ts";
import type { Ending } from "./engine.ts";

/** What the test did to one job or to all running jobs, which may explain how a job ended. */
export type Deed = "cancel" | "job killed" | "keeper killed" | "restart" | "disk full" | "node lost";

/** A job of the soak test, and what it does when nothing disturbs it. */
export interface SoakJob {
  readonly spec: JobSpec;
  readonly lines: number;
  /** The code it should end with; undefined if it runs until it is stopped. */
  readonly code: number | undefined;
  readonly ignoresTerm: boolean;
  readonly isCancelled: boolean;
  /** The job trains a commit that is sent for it, from a policy that is sent, and its policy is fetched. */
  readonly isVersion: boolean;
  readonly deeds: Set<Deed>;
}

const pad = "0123456789abcdef".repeat(400);

/**
 * Appends lines of evidence that all differ, and records on another disk when the job began, got TERM and ended, and
 * with which GPUs.
 */
export const soakScript = `t=$TRUTH/$EVO_RUN_ID
echo start >>"$t.starts"
case ,\${CUDA_VISIBLE_DEVICES-}, in *,0,*) exec 5>>"$TRUTH/gpu.0"; flock -n 5 || echo "$EVO_RUN_ID" >>"$TRUTH/clashes" ;; esac
case ,\${CUDA_VISIBLE_DEVICES-}, in *,1,*) exec 6>>"$TRUTH/gpu.1"; flock -n 6 || echo "$EVO_RUN_ID" >>"$TRUTH/clashes" ;; esac
end() { echo "$1" >>"$t.ends"; exit "$1"; }
trap 'echo term >>"$t.terms"; [ -n "$STUBBORN" ] || end 143' TERM
[ -z "\${EVO_POLICY_IN-}" ] || cksum <"$EVO_POLICY_IN/weights" >"$t.given"
i=0
while [ "$COUNT" -eq 0 ] || [ "$i" -lt "$COUNT" ]; do
  i=$((i + 1))
  printf '{"job":"%s","n":%d,"split":"train","item":"t1","pad":"%s"}\\n' "$EVO_RUN_ID" "$i" "$PAD" >>"$EVO_RUN_DIR/rollouts.jsonl" || end 28
  printf '{"step":%d}\\n' "$i" >>"$EVO_RUN_DIR/metrics.jsonl" || end 28
  echo "line $i"
  sleep 0.05
done
[ -z "\${EVO_POLICY_OUT-}" ] || { mkdir -p "$EVO_POLICY_OUT" && head -c 300000 /dev/urandom >"$EVO_POLICY_OUT/weights" || end 28; }
[ -z "\${EVO_POLICY_OUT-}" ] || cksum <"$EVO_POLICY_OUT/weights" >"$t.policy"
end "$CODE"
`;

/** Draws a job: most end with a code, some are cancelled, some pass their budget, some want GPUs. */
export function drawJob(
  id: string,
  random: () => number,
  place: { cwd: string; truth: string; hasGpus: boolean },
): SoakJob {
  const kind = random();
  const isCancelled = kind < 0.15;
  const overruns = kind >= 0.15 && kind < 0.25;
  const ignoresTerm = (isCancelled || overruns) && random() < 0.3;
  const lines = isCancelled || overruns ? 0 : 30 + Math.floor(random() * 40);
  const code = lines === 0 ? undefined : random() < 0.6 ? 0 : 1 + Math.floor(random() * 20);
  const isVersion = random() < 0.35;
  const spec = JobSpec.parse({
    id,
    command: ["sh", "-c", soakScript],
    cwd: place.cwd,
    environment: {
      TRUTH: place.truth,
      COUNT: String(lines),
      CODE: String(code ?? 0),
      STUBBORN: ignoresTerm ? "1" : "",
      PAD: pad,
    },
    gpus: place.hasGpus && !isVersion && random() < 0.4 ? 1 + Math.floor(random() * 2) : 0,
    budgetSeconds: overruns ? 2 : 300,
    graceSeconds: 1,
  });
  return { spec, lines, code, ignoresTerm, isCancelled, isVersion, deeds: new Set() };
}

/** What a job recorded about itself. */
interface Truth {
  readonly starts: number;
  readonly terms: number;
  readonly ends: readonly number[];
}

export function truthOf(folder: string, id: string): Truth {
  const lines = (name: string): string[] => {
    const path = join(folder, `${id}.${name}`);
    return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
  };
  return { starts: lines("starts").length, terms: lines("terms").length, ends: lines("ends").map(Number) };
}

/** What is wrong with the reported end of a job, considering what the test did. */
export function wrongIn(job: SoakJob, ending: Ending, truth: Truth): string[] {
  const { deeds } = job;
  const overruns = job.lines === 0 && !job.isCancelled;
  const isLost = ending.state === "lost";
  const reason = ending.reason ?? "";
  return unmet([
    [truth.starts <= 1, `it was started ${truth.starts} times`],
    [truth.terms <= 1, `it got ${truth.terms} TERM signals`],
    [truth.ends.length <= 1, `it ended ${truth.ends.length} times`],
    [ending.seconds >= 0 && ending.seconds < 600, `it ran ${ending.seconds} s`],
    [!ending.oversize, "it was stopped for its size"],
    [!ending.cancelled || deeds.has("cancel"), "nobody cancelled it"],
    [!ending.timedOut || overruns, "its budget had not passed"],
    [isLost || ending.state === "exited", `its state is ${ending.state}`],
    [!isLost || isKilled(job), "nobody killed it"],
    [!/restarted/.test(reason) || deeds.has("restart"), "the machine was not restarted"],
    [!/its node/.test(reason) || deeds.has("node lost"), "no node was lost"],
    [!job.isVersion || ending.failure === failureOf(ending), `its verdict is ${String(ending.failure)}`],
    ...(isLost ? [] : codeConditions(job, ending, truth)),
  ]);
}

/** The verdict that a version must get after such an end; the job may or may not have left evidence. */
function failureOf(ending: Ending): string | null {
  if (ending.state === "lost" || ending.cancelled) return "harness_abort";
  if (ending.timedOut) return "train_budget_overrun";
  if (ending.exitCode === 0) return null;
  return ending.failure === "preflight_crash" ? "preflight_crash" : "crash";
}

/** What is wrong with the policies that were sent and fetched; `given` is the initial policy. */
export function wrongPolicies(
  job: SoakJob,
  ending: Ending,
  place: { truth: string; given: string; copy: string },
): string[] {
  const said = (name: string): string | undefined => {
    const path = join(place.truth, `${job.spec.id}.${name}`);
    return existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
  };
  const sum = (path: string): string =>
    execFileSync("sh", ["-c", 'cksum <"$1"', "sh", path], { encoding: "utf8" }).trim();
  const wrong: string[] = [];
  const given = said("given");
  if (given !== undefined && given !== sum(join(place.given, "weights"))) wrong.push("it got another policy");
  const fetched = join(place.copy, "policy/weights");
  if (ending.exitCode === 0 && (!existsSync(fetched) || sum(fetched) !== said("policy")))
    wrong.push("its policy is not the one that it left");
  return wrong;
}

type Condition = readonly [holds: boolean, otherwise: string];
const unmet = (conditions: readonly Condition[]): string[] =>
  conditions.flatMap(([holds, otherwise]) => (holds ? [] : [otherwise]));

const isKilled = ({ deeds }: SoakJob): boolean =>
  deeds.has("job killed") || deeds.has("restart") || deeds.has("node lost");

/** What must be true of a job that ended with a code or by a signal. */
function codeConditions(job: SoakJob, ending: Ending, truth: Truth): Condition[] {
  const told =
    ending.exitCode ?? (ending.signal === null ? undefined : 128 + (signalNumber(ending.signal) ?? 0));
  if (told === undefined) {
    const neverBegan = truth.starts === 0 && ending.cancelled;
    return [[neverBegan, `it ended without a code: ${ending.reason ?? "no reason"}`]];
  }
  const isStopped = ending.cancelled || ending.timedOut;
  // A job that was killed may have recorded its end a moment before.
  if (told === 137 && (isKilled(job) || (isStopped && job.ignoresTerm))) return [];
  const [ended] = truth.ends;
  const isExplained =
    ended === job.code ||
    (ended === 143 && (isStopped || isKilled(job))) ||
    (ended === 28 && job.deeds.has("disk full"));
  return [
    [truth.starts === 1, "it has a code and was never started"],
    [told === ended, `it ended with ${String(ended)}, and ${told} is told`],
    [isExplained, `nothing explains ${String(ended)}`],
  ];
}

const signalNumber = (name: string): number | undefined =>
  Object.entries(constants.signals).find(([known]) => known === name)?.[1];

/** What is wrong with the evidence: compares the host with what the job wrote, and the local copy with the host. */
export function wrongEvidence(job: SoakJob, there: string, copies: readonly string[]): string[] {
  const wrong: string[] = [];
  const hash = (path: string): string =>
    existsSync(path) ? createHash("sha256").update(readFileSync(path)).digest("hex") : "nothing";
  for (const copy of copies)
    for (const name of ["rollouts.jsonl", "metrics.jsonl", "gpu.jsonl", "stdout.log", "stderr.log"]) {
      // An empty file is not copied.
      const original = join(there, name);
      const isEmpty = existsSync(original) && readFileSync(original).length === 0;
      const [mine, theirs] = [hash(join(copy, name)), hash(original)];
      if (mine !== theirs && !(isEmpty && mine === "nothing"))
        wrong.push(`${name} is not what is on the host`);
    }
  if (!existsSync(there)) return [...wrong, "it has no folder on the host"];
  const names = readdirSync(there);
  if (!names.includes("exit")) wrong.push("it has no exit");
  if (names.filter((name) => name.startsWith("code.") && name !== "code.pending").length > 1)
    wrong.push("it has several codes");
  if (names.filter((name) => name.startsWith("stop.") && name !== "stop.pending").length > 1)
    wrong.push("it was stopped for several reasons");
  const rollouts = join(there, "rollouts.jsonl");
  const text = existsSync(rollouts) ? readFileSync(rollouts, "utf8") : "";
  let expected = "";
  let count = 0;
  for (; expected.length < text.length;)
    expected += `{"job":"${job.spec.id}","n":${++count},"split":"train","item":"t1","pad":"${pad}"}\n`;
  const isWhole = expected === text;
  // A full disk may cut off part of a line, and so may a kill.
  if (!isWhole && !(expected.startsWith(text) && job.deeds.size > 0))
    wrong.push("its lines are not what it wrote");
  return wrong;
}
