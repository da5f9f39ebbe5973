import { plural } from "../../../../shared/words/numbers.ts";
import { inLine } from "../../base/plainText.ts";
import type { ResultOf } from "../../engine/services/services.ts";

type Training = Pick<ResultOf<"versions.diagnose">["training"], "lacking"> & {
  readonly key: readonly { readonly name: string }[];
  readonly all: readonly { readonly name: string }[];
};

/** What nearly every trainer logs, so that it probably has another name where it seems to be missing. */
const usual: ReadonlySet<string> = new Set([
  "score",
  "reward",
  "entropy",
  "kl",
  "grad_norm",
  "response_length",
]);
const ofTime =
  /^(timing|timer?|time|perf|performance|throughput|system|progress)([_/]|$)|(^|[/_])(lr|learning_rate|epoch|step)$|runtime|per_second/;

/** Which diagnostics could not read the training metrics, so that their silence says nothing. */
export function notTried({ key, all, lacking }: Training): string[] {
  if (lacking.length === 0) return [];
  const diagnostics = new Set(lacking.flatMap((one) => one.diagnostics));
  const names = lacking.map((one) => `${one.metric} (${one.diagnostics.join(", ")})`).join("; ");
  const why =
    key.length === 0
      ? "No training metric has a known name"
      : "Some metrics are missing, or have no known name";
  const count = `${diagnostics.size} ${plural(diagnostics.size, "diagnostic was", "diagnostics were")}`;
  const known = new Set(key.map(({ name }) => name));
  const unknown = all.map(({ name }) => name).filter((name) => !known.has(name) && !ofTime.test(name));
  return ["", `${why}, so ${count} not tried: ${names}.`, ...whatToSay(key.length === 0, unknown, lacking)];
}

function whatToSay(
  isNothingKnown: boolean,
  unknown: readonly string[],
  lacking: Training["lacking"],
): string[] {
  const shown = unknown.slice(0, 5).map((name) => inLine(name));
  const own = unknown.length > shown.length ? `${shown.join(", ")}, …` : shown.join(", ");
  const where = "under metricNames, in evotrainer.yaml or a *.evidence.yaml here.";
  if (isNothingKnown) return [`Say what these are (${own}) ${where}`];
  if (own === "" || !lacking.some(({ metric }) => usual.has(metric))) return [];
  return [`These have no known name: ${own}. If they are what is missing, say so ${where}`];
}

/** Which diagnostics have too few training steps for a verdict, so that their silence says nothing. */
export function tooShort({ short }: Pick<ResultOf<"versions.diagnose">["training"], "short">): string[] {
  if (short === null) return [];
  const { steps, diagnostics } = short;
  const needs = [...new Set(diagnostics.map((d) => d.steps))].map(
    (needed) =>
      `${diagnostics.flatMap((d) => (d.steps === needed ? [d.name] : [])).join(", ")} from ${needed} steps on`,
  );
  const count = `${diagnostics.length} ${plural(diagnostics.length, "diagnostic")}`;
  return [
    "",
    `${steps} training ${plural(steps, "step is", "steps are")} too few for a verdict of ${count}: ${needs.join("; ")}.`,
  ];
}
