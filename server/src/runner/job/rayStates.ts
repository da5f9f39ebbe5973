import { lastWords } from "./failure.ts";

/** How Ray ends jobs of its own accord, or because somebody asked it to. */
export function stoppedByRay(state: string): "cancelled" | undefined {
  return state === "STOPPED" ? "cancelled" : undefined;
}

/** States after which nothing more happens to a job. */
export const isOverForRay = (state: string): boolean =>
  state === "SUCCEEDED" || state === "FAILED" || state === "STOPPED";

/** Ray's classes of failure that come before the keeper, or from its command. */
const neverBegan: readonly (readonly [type: string, message: RegExp])[] = [
  ["RUNTIME_ENV_SETUP_FAILURE", /^runtime_env setup failed/i],
  ["JOB_SUPERVISOR_ACTOR_START_TIMEOUT", /failed to start within [\d.]+ seconds/],
  ["JOB_SUPERVISOR_ACTOR_START_FAILURE", /^Failed to start/],
  ["JOB_SUPERVISOR_ACTOR_UNSCHEDULABLE", /could not be scheduled/],
  ["JOB_ENTRYPOINT_COMMAND_START_ERROR", /^Traceback[^]*_exec_entrypoint/],
  ["JOB_ENTRYPOINT_COMMAND_ERROR", /entrypoint command failed with exit code/],
];

/** The class of a failure, which releases of Ray before 2.40 tell by words only; "-" when it is none of these. */
export function failureOf(type: string | null | undefined, message: string): string {
  if (type != null && /^[A-Z_]{1,60}$/.test(type)) return type;
  return neverBegan.find(([, words]) => words.test(message))?.[0] ?? "-";
}

/** Ray gave up waiting for resources: the job may be handed over again. */
export const gaveUp = (failure: string): boolean => failure === "JOB_SUPERVISOR_ACTOR_START_TIMEOUT";

/** Whether Ray could start what was asked of it; `said` is "<class of the failure> <words>". */
export function couldStart(said: string): boolean {
  const failure = said.split(" ", 1)[0] ?? "";
  return !neverBegan.some(([type]) => type === failure);
}

/** Lines of Ray itself between those of a job; the first is buffered and so often the last. */
const chatter =
  /^(?:Running entrypoint for job |\d{4}-\d\d-\d\d [\d:,]+\s+INFO |.*last available logs \(truncated)/;

/** The last line of what Ray says that tells what happened; one line without control characters. */
export function wordsOf(message: string): string {
  const lines = message.slice(-16_384).split("\n");
  return lastWords(lines.filter((line) => !chatter.test(line)).join("\n")) || lastWords(lines[0] ?? "");
}

/** Why a job is lost, or could not be started, to which Ray gave this last state, as one clause. */
export function lostByRay(state: string, said: string): string {
  if (state === "GONE") return "Ray no longer knows it";
  if (state === "UNKNOWN") return "Ray no longer says how it ended";
  const words = wordsOf(said.replace(/^\S+ ?/, ""));
  return words === "" ? `Ray ended it as ${state}` : `Ray ended it as ${state}: ${words.replace(/\.$/, "")}`;
}

/** Why a job waits, from `ray.queue`; null when it does not. */
export function waitsInRay(line: string): string | null {
  const [, state = "", message = ""] = /^([A-Z_]+) ?(.*)$/s.exec(line) ?? [];
  if (state === "" || state === "RUNNING" || isOverForRay(state)) return null;
  const words = wordsOf(message)
    .replace(/^Job has not started yet\. /, "")
    .replace(/\.$/, "");
  return `Ray says ${state}${words === "" ? "" : ` (${words})`}`;
}
