import { isChange, shiftsToShow } from "../../../shared/model/labelShifts.ts";
import type { LabelShifts } from "../../../shared/protocol/results/shift.ts";

type Shift = LabelShifts["shifts"][number];
export type LabelRow = {
  readonly shift: Shift;
  /** What the row is called: a label that decided gives its name to those that are on the same rollouts. */
  readonly name: string;
  readonly also: readonly string[];
  readonly decided: boolean;
};

/** The labels worth a row, and how many are on no rollout. What decided comes first, whatever it is folded under. */
export function labelRows(
  shifts: readonly Shift[],
  deciding: readonly string[],
): { readonly rows: readonly LabelRow[]; readonly never: number } {
  const { shown, also, never } = shiftsToShow(shifts);
  const rows = shown.map((shift): LabelRow => {
    const names = [shift.label, ...also(shift.label)];
    const name = names.find((one) => deciding.includes(one));
    return {
      shift,
      name: name ?? shift.label,
      also: names.filter((one) => one !== (name ?? shift.label)),
      decided: name !== undefined,
    };
  });
  return { rows: rows.sort((x, y) => Number(y.decided) - Number(x.decided)), never };
}

/**
 * What decided, then the labels that changed beyond the noise: those that became worse, which a list that is cut may not leave
 * out, then the others, the largest change of the rate first; one failure once.
 */
export function movedRows({ shifts }: Pick<LabelShifts, "shifts">, deciding: readonly string[]): LabelRow[] {
  return labelRows(shifts, deciding)
    .rows.filter(({ shift, decided }) => decided || isChange(shift))
    .sort(
      (x, y) =>
        Number(y.decided) - Number(x.decided) ||
        Number(isWorse(y)) - Number(isWorse(x)) ||
        Math.abs(y.shift.difference ?? 0) - Math.abs(x.shift.difference ?? 0),
    );
}

const isWorse = ({ shift }: LabelRow): boolean => shift.verdict === "regressed";
