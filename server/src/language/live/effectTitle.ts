import { age, count, percent } from "../../../../shared/words/numbers.ts";
import type { Effect } from "./effect.ts";

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
