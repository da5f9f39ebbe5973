import { plural } from "../../../../shared/words/numbers.ts";
import { inLine } from "../../base/plainText.ts";
import type { ResultOf } from "../../engine/services/services.ts";

type Training = Pick<ResultOf<"versions.diagnose">["training"], "lacking"> & {
  readonly key: readonly unknown[];
  readonly all: readonly { readonly name: string }[];
};

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
  const shown = all.slice(0, 5).map(({ name }) => inLine(name));
  const own = all.length > shown.length ? `${shown.join(", ")}, …` : shown.join(", ");
  return [
    "",
    `${why}, so ${count} not tried: ${names}.`,
    ...(key.length === 0
      ? [`Say what these are (${own}) under metricNames, in evotrainer.yaml or a *.evidence.yaml here.`]
      : []),
  ];
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
