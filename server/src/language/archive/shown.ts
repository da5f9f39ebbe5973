import { count, figure, percent } from "../../../../shared/words/numbers.ts";
import type { ArchiveFacts } from "../../../../shared/protocol/views/archiveFacts.ts";

const number = (n: number): string => (Number.isInteger(n) ? count(n) : figure(n));

type Field = ArchiveFacts["fields"][string];
type Spread = NonNullable<Field["spread"]>;

export const spread = ({ min, median, max }: Spread): string =>
  `${number(min)} … ${number(median)} … ${number(max)}`;

/** One line about a variable in the archive, for a list. */
export function fieldLine({ present, values, spread: numbers }: Field): string {
  const rest = numbers
    ? spread(numbers)
    : values
        ?.slice(0, 3)
        .map(({ value }) => value)
        .join(", ");
  return `in ${percent(present)}${rest ? `: ${rest}` : ""}`;
}
