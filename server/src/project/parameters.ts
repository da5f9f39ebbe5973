import type { Scalar } from "../../../shared/spec/common.ts";
import {
  isParameter,
  type Edit,
  type GivenEdit,
  type ParameterEdit,
  type ValueEdit,
} from "../../../shared/spec/edit.ts";
import { HarnessError } from "../base/errors.ts";
import type { FileSource } from "./source.ts";
import { configValue } from "./configs/configText.ts";

/** The values that a parameter may have. */
export type Domain = Pick<ParameterEdit, "range" | "choices" | "scale" | "whole">;

/**
 * Up to `count` values of a domain other than the current one, spread evenly over it, in its order. One is the middle of
 * what is left. The same question always has the same answer.
 */
export function valuesOf(domain: Domain, current: Scalar | undefined, count: number): Scalar[] {
  if (count < 1) return [];
  if (domain.choices !== undefined) {
    const others = [...new Set(domain.choices)].filter((choice) => !Object.is(choice, current));
    return count >= others.length ? others : evenly(count).map((at) => pick(others, at));
  }
  const spread = (n: number): number[] => inRange(domain, n).filter((value) => !isNear(value, current));
  const values = spread(count);
  // The current value takes the place of one: what is between the others is tried instead.
  return (values.length >= count ? values : spread(count + 1)).slice(0, count);
}

/** n places between 0 and 1: the middle, both ends, or the ends and what lies evenly between them. */
const evenly = (n: number): number[] => (n === 1 ? [0.5] : Array.from({ length: n }, (_, i) => i / (n - 1)));

function pick(values: readonly Scalar[], at: number): Scalar {
  return values[Math.round(at * (values.length - 1))] ?? null;
}

function inRange({ range = [], scale, whole }: Domain, n: number): number[] {
  const [low = 0, high = 0] = range;
  const values = evenly(n).map((at) => {
    const value = scale === "log" ? low * (high / low) ** at : low + (high - low) * at;
    if (whole === true) return Math.min(Math.floor(high), Math.max(Math.ceil(low), Math.round(value)));
    // A few digits are easier to read, and no trainer tells more of them apart.
    return Math.min(high, Math.max(low, Number(value.toPrecision(3))));
  });
  return [...new Set(values)];
}

function isNear(value: number, current: Scalar | undefined): boolean {
  return typeof current === "number" && Math.abs(value - current) <= 1e-9 * Math.abs(current);
}

/** A parameter whose value is chosen is an edit of the value that stands there. */
function chosen({ file, path }: ParameterEdit, from: Scalar, to: Scalar): ValueEdit {
  return { file, path, from, to };
}

/**
 * Edits whose parameters have their values: where nobody has chosen one, the middle one of those that differ from the
 * parent's. @throws HarnessError specInvalid, badInput when the parent has no such value, or nothing else may be tried
 */
export async function withValues(
  edits: readonly Edit[],
  parent: Pick<FileSource, "read">,
): Promise<GivenEdit[]> {
  const done: GivenEdit[] = [];
  for (const edit of edits) done.push(isParameter(edit) ? await middleOf(edit, parent) : edit);
  return done;
}

async function middleOf(edit: ParameterEdit, parent: Pick<FileSource, "read">): Promise<ValueEdit> {
  const { file, path, range } = edit;
  const text = await parent.read(file);
  if (text === undefined)
    throw new HarnessError("specInvalid", `The intervention edits ${file}, which the parent does not have.`);
  const current = configValue(file, text, path);
  if (current === undefined)
    throw new HarnessError("badInput", `There is no value at ${path} in ${file}; check the path.`);
  if (range !== undefined && typeof current !== "number")
    throw new HarnessError(
      "badInput",
      `${path} is ${JSON.stringify(current)}, and a range is for numbers; give choices instead.`,
    );
  const [to] = valuesOf(edit, current, 1);
  if (to === undefined)
    throw new HarnessError(
      "badInput",
      `${path} is ${JSON.stringify(current)} already, and nothing else may be tried.`,
    );
  return chosen(edit, current, to);
}
