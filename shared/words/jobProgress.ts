import { duration } from "./numbers.ts";

/** `20/80`, or `20` where nobody knows how many there are; "" before the first step, and of an evaluation, which has none. */
export const stepsText = (step: number | null, total: number | null): string =>
  step === null || (step === 0 && total === null) ? "" : `${step}${total === null ? "" : `/${total}`}`;

/** `3 min 10 s left`; "" where that is not known, or no time is left that anybody would wait for. */
export const leftText = (seconds: number | null): string =>
  seconds === null || seconds < 1 ? "" : `${duration(seconds)} left`;
