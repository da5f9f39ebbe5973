import { duration } from "./numbers.ts";

/** `20/80`, or `20` where nobody knows how many there are; "" before the first step, and of an evaluation, which has none. */
export const stepsText = (step: number | null, total: number | null): string =>
  step === null || (step === 0 && total === null) ? "" : `${step}${total === null ? "" : `/${total}`}`;

/** The same where there is room for a few words, in its largest unit: `3 min left`. */
export function roughlyLeft(seconds: number | null): string {
  if (seconds === null || seconds < 59.5) return leftText(seconds);
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min left` : `${Math.round(minutes / 60)} h left`;
}

/** `3 min 10 s left`; "" where that is not known, or no time is left that anybody would wait for. */
export const leftText = (seconds: number | null): string =>
  seconds === null || seconds < 1 ? "" : `${duration(seconds)} left`;
