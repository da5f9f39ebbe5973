import type { Scalar } from "../../../../shared/spec/common.ts";
import { parseYaml } from "../../base/yaml.ts";
import { applyEdit } from "../../lineage/applyEdit.ts";
import { scalarsOf } from "./configValues.ts";
import { readValue } from "./values.ts";
import { launchScript } from "./launchScript.ts";
import { framework, setPlaced, type PlacedFormat } from "./placedValue.ts";
import { toml } from "./toml.ts";

/** Formats in which values are found by where they are written, by the endings of files. */
const placed: readonly (readonly [RegExp, PlacedFormat])[] = [
  [/\.(sh|bash)$/, launchScript],
  [/\.toml$/, toml],
];

/** The format of a file whose values are found by where they are written; undefined for YAML, JSON and all others. */
export const placedFormat = (file: string): PlacedFormat | undefined =>
  placed.find(([ending]) => ending.test(file))?.[1];

/** Whether a file has values that can be compared one by one. */
export const isConfig = (file: string): boolean =>
  /\.(ya?ml|json)$/.test(file) || placedFormat(file) !== undefined;

/** Every value of a config by its dotted path; undefined where the text cannot be read. */
export function configScalars(file: string, text: string): ReadonlyMap<string, Scalar> | undefined {
  const format = placedFormat(file);
  if (format !== undefined) return new Map(format.values(text).map(({ path, value }) => [path, value]));
  const document = parseYaml(text);
  return document.errors.length > 0 ? undefined : scalarsOf(document.toJS());
}

/** The same as a document, level by level, of a file whose values are found by where they are written. */
export function configTree(file: string, text: string): unknown {
  const root: Record<string, unknown> = {};
  for (const [path, value] of configScalars(file, text) ?? []) {
    const steps = path.split(".");
    const last = steps.pop() ?? "";
    let level: Record<string, unknown> | undefined = root;
    for (const step of steps) level = level === undefined ? undefined : below(level, step);
    // A value that stands where others are below stays out: both cannot be said in one document.
    if (level !== undefined && !Object.hasOwn(level, last)) define(level, last, value);
  }
  return root;
}

function below(level: Record<string, unknown>, step: string): Record<string, unknown> | undefined {
  if (!Object.hasOwn(level, step)) define(level, step, {});
  const next = level[step];
  return typeof next === "object" && next !== null ? (next as Record<string, unknown>) : undefined;
}

/** A key such as __proto__ is one like any other. */
const define = (level: Record<string, unknown>, key: string, value: unknown): unknown =>
  Object.defineProperty(level, key, { value, enumerable: true, configurable: true, writable: true });

/** What of a config is no value: two versions of it must have the same, or more than values differs. "" for YAML and JSON. */
export function configFramework(file: string, text: string): string {
  const format = placedFormat(file);
  return format === undefined ? "" : framework(format, text);
}

/** The value at a dotted path of a config; undefined where there is none. */
export function configValue(file: string, text: string, path: string): Scalar | undefined {
  return placedFormat(file) === undefined ? readValue(text, path) : configScalars(file, text)?.get(path);
}

/**
 * Sets one value of a config and leaves every other byte as it is.
 * @throws HarnessError specInvalid when the text cannot be read, badInput when the value is not as the edit says
 */
export function editConfig(
  file: string,
  text: string,
  edit: { readonly path: string; readonly from: Scalar; readonly to: Scalar },
): string {
  const format = placedFormat(file);
  return format === undefined
    ? applyEdit(text, edit.path, edit.from, edit.to)
    : setPlaced(format, text, edit);
}
