import { labelShare } from "../../../../shared/model/labelShare.ts";
import { age, count, percent } from "../../../../shared/words/numbers.ts";
import type { Effect } from "./effect.ts";

/** One line about an effect: `412 of 20,000 newest, 3.1 % (was 2.8 %) · 2 s ago`. */
export function effectTitle(effect: Effect, now: number): string {
  const when = age(effect.at, now);
  if (effect.type === "none") return `${effect.because} · ${when}`;
  if (effect.type === "condition") {
    const { labelled, undecided, rollouts, done, before } = effect;
    if (rollouts === 0) return `no rollouts to try it on · ${when}`;
    const was = before === undefined ? "" : ` (was ${percent(before)})`;
    const all = `${count(rollouts)}${done ? "" : " newest"}`;
    const { rate, decided } = labelShare({ labelled, undecided, rollouts });
    if (rate === null) return `none of ${all} can be decided${was} · ${when}`;
    const of = undecided === 0 ? all : `${count(decided)} decided of ${all}`;
    return `${count(labelled)} of ${of}, ${percent(rate)}${was} · ${when}`;
  }
  const { groups, deadBefore, deadAfter, noOp, version } = effect;
  if (groups === 0) return `${version} has no groups to replay · ${when}`;
  const dead = `dead groups ${percent(deadBefore / groups)} → ${percent(deadAfter / groups)}`;
  return `${noOp ? "no effect: every advantage stays · " : ""}${dead} in ${version} · ${when}`;
}
