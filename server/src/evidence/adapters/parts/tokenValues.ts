import { mostTokens, tokensLeftOut, type TokenField } from "../../../../../shared/model/tokenValues.ts";

/** Log-probabilities of a source have seven digits or more; a picture shows three. */
const rounded = (value: number): number => Number(value.toPrecision(4));

const isNumbers = (values: readonly unknown[]): values is readonly number[] =>
  values.every((value) => typeof value === "number" && Number.isFinite(value));

/**
 * The fields of `extra` for what a source has of each generated token. A list with anything but finite numbers is left
 * out, as is one of fewer than two values, and advantages that are the same for all tokens: they are one number.
 */
export function tokenValues(
  lists: Readonly<Partial<Record<TokenField, readonly unknown[] | undefined>>>,
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [field, values] of Object.entries(lists)) {
    if (values === undefined || values.length < 2 || !isNumbers(values)) continue;
    if (field === "token_advantages" && values.every((value) => value === values[0])) continue;
    if (values.length > mostTokens) found[tokensLeftOut] = values.length;
    else found[field] = values.map(rounded);
  }
  return found;
}

/** What the trainer's log-probability of each token is less the sampler's; undefined where one of them is not there. */
export function differences(
  trainer: readonly unknown[] | undefined,
  sampler: readonly unknown[] | undefined,
): unknown[] | undefined {
  if (trainer === undefined || sampler === undefined || trainer.length !== sampler.length) return undefined;
  return trainer.map((value, i) => {
    const other = sampler[i];
    return typeof value === "number" && typeof other === "number" ? value - other : null;
  });
}
