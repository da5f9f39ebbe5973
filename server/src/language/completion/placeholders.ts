import { basename, dirname } from "node:path";
import { z } from "zod";
import type { Path } from "../syntax/parseSpec.ts";
import { shapeOf, valuesOf } from "../syntax/schemaShape.ts";
import { projectFileName } from "../syntax/specKind.ts";
import type { CompletionContext } from "./item.ts";
import { sibling, type Offer } from "./names.ts";

type Schema = z.core.$ZodType;

const value = (label: string, detail: string): Offer => ({
  kind: "value",
  label,
  detail,
  documentation: undefined,
});
/** A text that is there to be overwritten. */
const placeholder = (text: string, detail: string): Offer => ({
  ...value(text, detail),
  text: `\${1:${text}}`,
  snippet: true,
  plain: text,
});

/**
 * What may stand where neither the schema nor the project names the values: a default, numbers that make sense, the name
 * that the file has, or a text to be overwritten. Whatever is offered is valid.
 */
export function placeholders(context: CompletionContext, path: Path, schema: Schema): readonly Offer[] {
  const { schema: inner, defaultValue } = shapeOf(schema);
  const closed = inner instanceof z.ZodUnion ? inner.def.options.flatMap((one) => valuesOf(one) ?? []) : [];
  const text = inner instanceof z.ZodUnion ? inner.def.options.find(isText) : inner;
  const offers = [
    ...(isScalar(defaultValue) ? [value(String(defaultValue), "the default")] : []),
    ...closed.map((word) => value(word, "")),
    ...(text instanceof z.ZodNumber ? numbers(context, path, text) : []),
    ...(text && isText(text) ? texts(context, path, text) : []),
  ];
  return offers.filter(({ label }, i) => offers.findIndex((other) => other.label === label) === i);
}

type Text = z.ZodString | z.ZodStringFormat;
const isText = (schema: Schema): schema is Text =>
  schema instanceof z.ZodString || schema instanceof z.ZodStringFormat;
const isScalar = (found: unknown): found is string | number | boolean =>
  ["string", "number", "boolean"].includes(typeof found);

/** Numbers by the last key, as examples and papers have them; the least that is allowed elsewhere. */
const usual: Readonly<Partial<Record<string, readonly number[]>>> = {
  weight: [1, 0, 0.1],
  above: [0.1],
  critical: [0.25],
  atLeast: [0.02],
  atMost: [0.05, 0],
  change: [0.02],
  low: [0.01],
  high: [0.03],
  seeds: [1, 2, 3],
};

function numbers(context: CompletionContext, path: Path, schema: z.ZodNumber): Offer[] {
  const least = schema.minValue ?? 0;
  const known = usual[lastKey(path)] ?? [1, 0, least];
  return [...known, ...measured(context, path)]
    .filter((n) => schema.safeParse(n).success)
    .map((n) => value(String(n), known.includes(n) ? "" : "in the archive"));
}

/** What the metric beside a limit comes to in the archive. */
function measured(context: CompletionContext, path: Path): number[] {
  const { facts } = context.project ?? {};
  const metric = lastKey(path) === "atMost" ? sibling(context, path, "metric") : undefined;
  if (!facts || metric === undefined) return [];
  const label = Object.hasOwn(facts.labels, metric) ? facts.labels[metric] : undefined;
  if (label && label.of > 0) return [Math.ceil((label.rollouts / label.of) * 100) / 100];
  const seen = Object.hasOwn(facts.metrics, metric) ? facts.metrics[metric] : undefined;
  return seen ? [Number(seen.max.toPrecision(3))] : [];
}

function texts(context: CompletionContext, path: Path, schema: Text): Offer[] {
  const fits = (text: string): boolean => schema.safeParse(text).success;
  const own = nameOf(context.file);
  if (path.join() === "name" && own !== undefined && fits(own)) return [value(own, "the file's name")];
  const key = lastKey(path);
  const free = `${key} in words`;
  if (fits(free))
    return [placeholder(known[key] ?? (context.spec.kind === "lineage" ? key : free), "your own text")];
  const named = [known[key], key.toLowerCase(), "name", "NAME", "http://localhost:8000/v1"];
  const fitting = named.find((text) => text !== undefined && fits(text));
  return fitting === undefined ? [] : [placeholder(fitting, "a name that you choose")];
}

/** Texts by the last key, where an example says more than the key itself. */
const known: Readonly<Partial<Record<string, string>>> = {
  command: "python",
  tokenVariable: "RAY_AUTH_TOKEN",
  domain: "math",
  domains: "math",
  match: "samples_*.jsonl",
  at: "results.rollouts",
  field: "score",
  url: "http://localhost:8000/v1",
  keyFrom: "API_KEY",
  partition: "gpu",
  gres: "gpu:1",
  memory: "64G",
  options: "--exclusive",
};

/** The nearest key of a path: `targets` for the first of the targets. */
export const lastKey = (path: Path): string =>
  path.findLast((step): step is string => typeof step === "string") ?? "";

/** The name that a spec has by its file: echo-trap for echo-trap.diagnostic.yaml, and for a project that of its folder. */
function nameOf(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const base = basename(file);
  const stem = base === projectFileName ? basename(dirname(file)) : base.replace(/\.[a-z]+\.ya?ml$/, "");
  const name = stem
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[-_]+/, "")
    .slice(0, 64);
  return name === "" ? undefined : name;
}

/** Keys of a mapping whose keys are names, where nothing that is known may be meant. */
const freeKeys: Readonly<Partial<Record<string, string>>> = {
  components: "correctness",
  params: "least",
  environment: "SEED",
  models: "judge",
  hosts: "gpu-box",
  words: "ok",
  files: "train.py",
};

export function keyPlaceholder(path: Path, schema: Schema): Offer | undefined {
  const inner = shapeOf(schema).schema;
  if (!(inner instanceof z.ZodRecord)) return undefined;
  const key = freeKeys[lastKey(path)] ?? "name";
  return { ...placeholder(key, "a name that you choose"), kind: "key" };
}
