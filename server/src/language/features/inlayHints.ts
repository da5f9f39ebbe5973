import { stringify } from "yaml";
import { z } from "zod";
import { count, counted, percent } from "../../../../shared/words/numbers.ts";
import { peopleLinesOf } from "../../../../shared/words/people.ts";
import { Scalar } from "../../../../shared/spec/common.ts";
import type { FeatureContext } from "../symbols/featureContext.ts";
import type { Effect } from "../live/effect.ts";
import { effectTitle } from "../live/effectTitle.ts";
import { occurrencesIn } from "../symbols/occurrencesIn.ts";
import { locate, spanFor, type Span } from "../syntax/parseSpec.ts";
import { valueAtPath } from "../syntax/valuePath.ts";

/** A few words behind a place of the text. */
export type InlayHint = { readonly at: number; readonly text: string; readonly tooltip: string };

/**
 * What a reader would otherwise look up: the value that an edited path has now, how often a label is set, and at the end of
 * the line that was edited what the text as it stands does to the archive.
 */
export function inlayHints(
  context: FeatureContext,
  { start, end }: Span,
  effect?: Effect,
  now = Date.now(),
): InlayHint[] {
  return [...currentValues(context), ...rates(context), ...effects(context, effect, now)]
    .filter(({ at }) => start <= at && at <= end)
    .sort((a, b) => a.at - b.at);
}

function effects({ spec }: FeatureContext, effect: Effect | undefined, now: number): InlayHint[] {
  if (!effect || (spec.kind !== "diagnostic" && spec.kind !== "reward")) return [];
  const changed = effect.type === "reward" ? effect.changed : undefined;
  const path = spec.kind === "diagnostic" ? ["label", "when"] : (changed?.split(".") ?? ["components"]);
  const line = spec.text.indexOf("\n", spanFor(spec, path, "key").start);
  const tooltip = "What this text does to the archive, compared with how it was opened.";
  return [{ at: line < 0 ? spec.text.length : line, text: effectTitle(effect, now), tooltip }];
}

const Edits = z
  .looseObject({
    edit: z.array(z.looseObject({ file: z.string(), path: z.string() }).nullable().catch(null)),
  })
  .catch({ edit: [] });

function currentValues({ spec, project }: FeatureContext): InlayHint[] {
  if (spec.kind !== "intervention" || !project) return [];
  return Edits.parse(spec.value).edit.flatMap((edit, i) => {
    const place = locate(spec, ["edit", i, "path"]).value;
    const target = edit ? project.read(edit.file) : undefined;
    const found = edit && target ? valueAtPath(target.value, edit.path) : undefined;
    const scalar = Scalar.safeParse(found?.value);
    if (!place || found?.found !== true || !scalar.success) return [];
    if (!edit) return [];
    const text = stringify(scalar.data).trim().slice(0, 40);
    return [{ at: place.end, text: `= ${text}`, tooltip: `What ${edit.file} has at ${edit.path} now.` }];
  });
}

function rates({ spec, project }: FeatureContext): InlayHint[] {
  const labels = project?.facts?.labels ?? {};
  if (spec.kind === "diagnostic") return [];
  const seen = new Set<number>();
  return occurrencesIn(spec).flatMap(({ kind, name, span }) => {
    const found = kind === "label" && Object.hasOwn(labels, name) ? labels[name] : undefined;
    if (!found || found.of === 0 || seen.has(span.end)) return [];
    seen.add(span.end);
    return [
      {
        at: span.end,
        text: percent(found.rollouts / found.of),
        tooltip: [
          `${name} is set on ${count(found.rollouts)} of ${counted(found.of, "rollout")}.`,
          ...peopleLinesOf(project?.facts?.people ?? [], name),
        ].join("\n\n"),
      },
    ];
  });
}
