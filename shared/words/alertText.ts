import { percent } from "./numbers.ts";

/** A label of a version that is over a threshold of its alert; `rate` is null where it is not known. */
export interface FoundAlert {
  readonly name: string;
  readonly rate: number | null;
  readonly alert: "warning" | "critical";
  readonly over?: "group" | undefined;
}

/** `dead-group 62.5 % of groups`. */
export const alertText = ({ name, rate, over }: FoundAlert): string =>
  `${name}${rate === null ? "" : ` ${percent(rate)} of ${over === "group" ? "groups" : "rollouts"}`}`;
