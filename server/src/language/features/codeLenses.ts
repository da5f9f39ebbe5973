import { age, counted, percent } from "../../../../shared/words/numbers.ts";
import { peopleLinesOf } from "../../../../shared/words/people.ts";
import type { FeatureContext } from "../symbols/featureContext.ts";
import type { Effect } from "../live/effect.ts";
import { effectTitle } from "../live/effectTitle.ts";
import { occurrencesIn } from "../symbols/occurrencesIn.ts";
import { spanFor, type Span } from "../syntax/parseSpec.ts";

/** What a lens does when it is chosen; undefined for one that only tells. */
export type LensAction = "showRollouts" | "backtest";
export type CodeLens = {
  readonly span: Span;
  readonly title: string;
  readonly action: LensAction | undefined;
  /** The label or the file that the action is about. */
  readonly subject: string;
};

/**
 * Above the name of a diagnostic what it caught, and above its condition or the terms of a reward what the text as it
 * stands would do; each with what can be done about it.
 */
export function codeLenses(
  context: FeatureContext,
  effect: Effect | undefined,
  now = Date.now(),
): CodeLens[] {
  const { spec } = context;
  if (spec.kind === "diagnostic")
    return [...caught(context, now), ...typed(context, effect, ["label", "when"], now)];
  if (spec.kind === "reward") return typed(context, effect, ["components"], now);
  return [];
}

function caught({ spec, project, file }: FeatureContext, now: number): CodeLens[] {
  const facts = project?.facts;
  const label = occurrencesIn(spec).find(({ kind, role }) => kind === "label" && role === "definition");
  if (!facts || !label) return [];
  const { span, name } = label;
  const found = facts.labels[name];
  const share = found && found.of > 0 ? `, ${percent(found.rollouts / found.of)}` : "";
  const title = found
    ? `${counted(found.rollouts, "rollout")} of all versions${share} · ${age(facts.at, now)}`
    : facts.tried?.includes(name) === false
      ? "no rollout was labelled with it yet"
      : "no rollout carries it yet";
  return [
    ...[title, ...peopleLinesOf(facts.people ?? [], name)].map((told) => ({
      ...{ span, title: told, action: undefined, subject: name },
    })),
    { span, title: "backtest", action: "backtest", subject: file },
    ...(found ? [{ span, title: "show", action: "showRollouts" as const, subject: name }] : []),
  ];
}

function typed(
  { spec, file }: FeatureContext,
  effect: Effect | undefined,
  path: readonly string[],
  now: number,
): CodeLens[] {
  if (!effect) return [];
  const span = spanFor(spec, path, "key");
  const lens = { span, title: effectTitle(effect, now), action: "backtest" as const, subject: file };
  return [lens];
}
