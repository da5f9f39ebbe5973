import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { JobSpec } from "../jobSpec.ts";
import type { Ending } from "./testSoakEngine.ts";

/** What was done to a job, or to all that ran: what may explain its end. */
export type Deed = "cancel" | "job killed" | "keeper killed" | "restart" | "disk full" | "node lost";

/** A job of the soak, and what it does when nobody disturbs it. */
export interface SoakJob {
  readonly spec: JobSpec;
  readonly lines: number;
  /** The code it wants to end with; undefined when it runs until it is stopped. */
  readonly code: number | undefined;
  readonly ignoresTerm: boolean;
  readonly isCancelled: boolean;
  readonly deeds: Set<Deed>;
}

const pad = "0123456789abcdef".repeat(400);

/**
 * Appends lines of evidence that can be told from each other, and writes down on another disk when it began, was told to
 * end, and ended, and with which GPUs.
 */
const script = `t=$TRUTH/$EVO_RUN_ID
echo start >>"$t.starts"
case ,\${CUDA_VISIBLE_DEVICES-}, in *,0,*) exec 5>>"$TRUTH/gpu.0"; flock -n 5 || echo "$EVO_RUN_ID" >>"$TRUTH/clashes" ;; esac
case ,\${CUDA_VISIBLE_DEVICES-}, in *,1,*) exec 6>>"$TRUTH/gpu.1"; flock -n 6 || echo "$EVO_RUN_ID" >>"$TRUTH/clashes" ;; esac
end() { echo "$1" >>"$t.ends"; exit "$1"; }
trap 'echo term >>"$t.terms"; [ -n "$STUBBORN" ] || end 143' TERM
i=0
while [ "$COUNT" -eq 0 ] || [ "$i" -lt "$COUNT" ]; do
  i=$((i + 1))
  printf '{"job":"%s","n":%d,"pad":"%s"}\\n' "$EVO_RUN_ID" "$i" "$PAD" >>"$EVO_RUN_DIR/rollouts.jsonl" || end 28
  printf '{"step":%d}\\n' "$i" >>"$EVO_RUN_DIR/metrics.jsonl" || end 28
  echo "line $i"
  sleep 0.05
done
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
  const spec = JobSpec.parse({
    id,
    command: ["sh", "-c", script],
    cwd: place.cwd,
    environment: {
      TRUTH: place.truth,
      COUNT: String(lines),
      CODE: String(code ?? 0),
      STUBBORN: ignoresTerm ? "1" : "",
      PAD: pad,
    },
    gpus: place.hasGpus && random() < 0.4 ? 1 + Math.floor(random() * 2) : 0,
    budgetSeconds: overruns ? 2 : 300,
    graceSeconds: 1,
  });
  return { spec, lines, code, ignoresTerm, isCancelled, deeds: new Set() };
}

/** What a job wrote down of itself. */
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

/** What is wrong with the end that an engine tells, in the light of what happened. */
export function wrongIn(job: SoakJob, ending: Ending, truth: Truth): string[] {
  const { deeds } = job;
  const wrong: string[] = [];
  const must = (holds: boolean, what: string): void => {
    if (!holds) wrong.push(what);
  };
  const overruns = job.lines === 0 && !job.isCancelled;
  must(truth.starts <= 1, `it was started ${truth.starts} times`);
  must(truth.terms <= 1, `it got ${truth.terms} TERM signals`);
  must(truth.ends.length <= 1, `it ended ${truth.ends.length} times`);
  must(ending.seconds >= 0 && ending.seconds < 3600, `it ran ${ending.seconds} s`);
  must(!ending.oversize, "it was stopped for its size");
  must(!ending.cancelled || deeds.has("cancel"), "nobody cancelled it");
  must(!ending.timedOut || overruns, "its budget had not passed");
  const isKilled = ["job killed", "restart", "node lost"].some((deed) => deeds.has(deed as Deed));
  const told =
    ending.exitCode ?? (ending.signal === null ? undefined : 128 + (signalNumber(ending.signal) ?? 0));
  if (ending.state === "lost") {
    must(isKilled, "nobody killed it");
    if (/restarted/.test(ending.reason ?? "")) must(deeds.has("restart"), "the machine was not restarted");
    if (/node/.test(ending.reason ?? "")) must(deeds.has("node lost"), "no node was lost");
    return wrong;
  }
  must(ending.state === "exited", `its state is ${ending.state}`);
  if (told === undefined) {
    must(truth.starts === 0 && ending.cancelled, `it ended without a code: ${ending.reason ?? "no reason"}`);
    return wrong;
  }
  const [ended] = truth.ends;
  // A job that was killed may have said a moment before that it ends.
  const wasKilled = told === 137 && (isKilled || ((ending.cancelled || ending.timedOut) && job.ignoresTerm));
  must(wasKilled || truth.starts === 1, "it has a code and was never started");
  must(wasKilled || told === ended, `it ended with ${String(ended)}, and ${told} is told`);
  if (!wasKilled && ended !== undefined) {
    const isPlanned = ended === job.code;
    const isStopped = ended === 143 && (ending.cancelled || ending.timedOut || isKilled);
    must(isPlanned || isStopped || (ended === 28 && deeds.has("disk full")), `nothing explains ${ended}`);
  }
  if (ended === undefined && !wasKilled) must(false, "it never said that it ended");
  return wrong;
}

const signalNumber = (name: string): number | undefined =>
  Object.entries(constants.signals).find(([known]) => known === name)?.[1];

/** What is wrong with the evidence: on the host with what the job writes, here with what is on the host. */
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
    expected += `{"job":"${job.spec.id}","n":${++count},"pad":"${pad}"}\n`;
  const isWhole = expected === text;
  // A full disk takes a part of a line, a kill may.
  if (!isWhole && !(expected.startsWith(text) && job.deeds.size > 0))
    wrong.push("its lines are not what it wrote");
  return wrong;
}
