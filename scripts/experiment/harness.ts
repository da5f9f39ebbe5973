import { parseDocument } from "yaml";
import type { Scalar } from "../../shared/spec/common.ts";
import { domains } from "./domains.ts";
import type { DomainName } from "./plan.ts";

/** The files that a trainer reads besides items, by their names in harness/: what a version is. */
export const harnessFiles = ["main.reward", "train", "environment", "curriculum", "evaluation"] as const;
export type Harness = Readonly<Record<(typeof harnessFiles)[number], string>>;

/** One value that differs from the baseline. */
export interface Setting {
  readonly file: string;
  readonly path: string;
  readonly to: Scalar;
}

const isScalar = (value: unknown): value is Scalar =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

/** A YAML text with other values at dotted paths; comments stay. */
export function withValues(text: string, values: Readonly<Record<string, unknown>>): string {
  const document = parseDocument(text);
  for (const [path, value] of Object.entries(values)) document.setIn(path.split("."), value);
  return document.toString();
}

/** A harness with other values; the names of files are those of `harnessFiles`. */
export function withSettings(harness: Harness, settings: readonly Setting[]): Harness {
  const changed: Record<string, string> = { ...harness };
  for (const { file, path, to } of settings) changed[file] = withValues(changed[file] ?? "", { [path]: to });
  return { ...harness, ...changed };
}

/** All values of a harness that differ from the baseline's, in the order of the files. */
export function settingsOf(harness: Harness, baseline: Harness): Setting[] {
  return harnessFiles.flatMap((file) => {
    const [own, before] = [scalarsOf(harness[file]), scalarsOf(baseline[file])];
    return [...own].flatMap(([path, to]) => (Object.is(before.get(path), to) ? [] : [{ file, path, to }]));
  });
}

function scalarsOf(text: string): Map<string, Scalar> {
  const found = new Map<string, Scalar>();
  const walk = (value: unknown, path: string): void => {
    if (typeof value === "object" && value !== null)
      for (const [key, inner] of Object.entries(value)) walk(inner, path === "" ? key : `${path}.${key}`);
    else if (isScalar(value)) found.set(path, value);
  };
  walk(parseDocument(text).toJS(), "");
  return found;
}

/** The leaks that a harness opens, by their paths. */
export function leaksOf(domain: DomainName, { environment }: Harness): string[] {
  const values = scalarsOf(environment);
  return domains[domain].leaks
    .filter(({ path, closed }) => !Object.is(values.get(path), closed))
    .map(({ path }) => path);
}

/** The harness with every leak closed: what its policy is worth. */
export const withoutLeaks = (domain: DomainName, harness: Harness): Harness =>
  withSettings(
    harness,
    domains[domain].leaks.map(({ path, closed }) => ({ file: "environment", path, to: closed })),
  );
