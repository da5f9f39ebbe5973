import { age, count, percent } from "../archive/shown.ts";
import type { FeatureContext } from "../featureContext.ts";
import type { Effect } from "../live/effect.ts";
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
    ? `${count(found.rollouts)} rollouts${share} · ${age(facts.at, now)}`
    : "no rollout carries it yet";
  return [
    { span, title, action: undefined, subject: name },
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

/** One line about an effect: `412 of 20,000 newest, 3.1 % (was 2.8 %) · 2 s ago`. */
export function effectTitle(effect: Effect, now: number): string {
  const when = age(effect.at, now);
  if (effect.type === "none") return `${effect.because} · ${when}`;
  if (effect.type === "condition") {
    const { labelled, rollouts, done, before } = effect;
    if (rollouts === 0) return `no rollouts to try it on · ${when}`;
    const was = before === undefined ? "" : ` (was ${percent(before)})`;
    const of = `${count(labelled)} of ${count(rollouts)}${done ? "" : " newest"}`;
    return `${of}, ${percent(labelled / rollouts)}${was} · ${when}`;
  }
  const { groups, deadBefore, deadAfter, noOp, version } = effect;
  if (groups === 0) return `${version} has no groups to replay · ${when}`;
  const dead = `dead groups ${percent(deadBefore / groups)} → ${percent(deadAfter / groups)}`;
  return `${noOp ? "no effect: every advantage stays · " : ""}${dead} in ${version} · ${when}`;
}
