import { z } from "zod";
import { meantIssues } from "../../base/unionIssues.ts";
import { errorBy } from "../syntax/typedSpec.ts";
import { defineRule, type Finding } from "../rule/rule.ts";
import { locate, spanFor, type ParsedSpec, type Path } from "../syntax/parseSpec.ts";
import { keysOf, schemaAt, typeName, valuesOf } from "../syntax/schemaShape.ts";
import { listed, similar } from "../../base/similar.ts";
import { kindWords, specSchemas, type SpecKind } from "../syntax/specKind.ts";

const kindTitles: Readonly<Record<SpecKind, string>> = {
  project: "a project",
  diagnostic: "a diagnostic",
  intervention: "an intervention",
  reward: "a reward",
  evidence: "an evidence mapping",
  lineage: "a lineage mapping",
  skill: "a skill",
  config: "a config",
};

const Data = z.object({
  place: z.enum(["key", "value"]),
  path: z.array(z.union([z.string(), z.number()])),
  near: z.array(z.string()),
});
type Data = z.infer<typeof Data>;

const toPath = (path: readonly PropertyKey[]): Path =>
  path.map((step) => (typeof step === "number" ? step : String(step)));

const nameOf = (path: Path): string => {
  const named = path.filter((step) => typeof step === "string").at(-1);
  return named === undefined ? "this file" : `"${named}"`;
};

const shownValue = (value: unknown): string => {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 37)}…` : text;
};

function valueAt(spec: ParsedSpec, path: Path): unknown {
  let value = spec.value;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

type Issue = z.core.$ZodIssue;
type Place = {
  readonly spec: ParsedSpec;
  readonly path: Path;
  readonly value: unknown;
  readonly schema: z.core.$ZodType | undefined;
};

/** What has the problem, as the start of a sentence. */
const subject = (spec: ParsedSpec, path: Path) =>
  path.length > 0 ? nameOf(path) : capital(kindTitles[spec.kind]);

const finding = ({ spec, path }: Place, message: string, near: readonly string[] = []): Finding<Data> => ({
  span: spanFor(spec, path),
  message,
  data: { place: "value", path: [...path], near: [...near] },
});

/** Shown at the mapping that lacks the key. */
function missingKey(place: Place): Finding<Data> {
  const type = place.schema ? ` (${typeName(place.schema)})` : "";
  const { spec, path } = place;
  return finding(place, `${subject(spec, path.slice(0, -1))} needs the key ${nameOf(path)}${type}.`);
}

function* unknownKeys({ spec, path, schema }: Place, keys: readonly string[]): Generator<Finding<Data>> {
  const known = [...(schema ? (keysOf(schema)?.keys() ?? []) : [])];
  for (const key of keys) {
    const near = similar(key, known);
    const hint =
      near.length > 0 ? `Did you mean ${listed(near.map(quoted))}?` : `Known keys: ${listed(known, "and")}.`;
    yield {
      span: spanFor(spec, [...path, key], "key"),
      message: `${subject(spec, path)} has no key "${key}". ${hint}`,
      data: { place: "key", path: [...path, key], near },
    };
  }
}

function wrongValue(place: Place, values: readonly unknown[]): Finding<Data> {
  const { spec, path, value, schema } = place;
  const words = path.join() === "kind" ? kindWords(spec.kind) : undefined;
  const allowed = words ?? (schema && valuesOf(schema)) ?? values.map(String);
  const near = typeof value === "string" ? similar(value, allowed) : [];
  const fixes = near.length === 0 && allowed.length === 1 ? allowed : near;
  return finding(
    place,
    `${capital(nameOf(path))} must be ${listed(allowed)}, not ${shownValue(value)}.`,
    fixes,
  );
}

function wrongType(place: Place): Finding<Data> {
  const { spec, path, value, schema } = place;
  // What UTF-16 comes to when it is read as UTF-8.
  if (path.length === 0 && typeof value === "string" && value.includes("\0"))
    return finding(place, "This file is not text in UTF-8; save it as UTF-8.");
  const wanted = schema ? `of type ${typeName(schema)}` : "of another type";
  return finding(
    place,
    path.length === 0
      ? `This file must contain ${kindTitles[spec.kind]} as a mapping, not ${shownValue(value)}.`
      : `${capital(nameOf(path))} must be ${wanted}, not ${shownValue(value)}.`,
  );
}

function wrongKey(place: Place, issues: readonly { readonly message: string }[]): Finding<Data> {
  const key = String(place.path.at(-1));
  const detail = issues[0] ? ` ${issues[0].message}` : "";
  return {
    ...finding(place, `"${key}" cannot be a key here.${detail}`),
    span: spanFor(place.spec, place.path, "key"),
  };
}

function findingsOf(spec: ParsedSpec, issue: Issue): Iterable<Finding<Data>> {
  const path = toPath(issue.path);
  const place = { spec, path, value: valueAt(spec, path), schema: schemaAt(specSchemas[spec.kind], path) };
  const isMissing = place.value === undefined && !locate(spec, path).key;
  if (isMissing && typeof path.at(-1) === "string") return [missingKey(place)];
  if (issue.code === "unrecognized_keys") return unknownKeys(place, issue.keys);
  if (issue.code === "invalid_value") return [wrongValue(place, issue.values)];
  const meant = issue.code === "invalid_union" && isMapping(place.value) ? meantIssues(issue) : undefined;
  if (meant)
    return meant.flatMap((inner) => [...findingsOf(spec, { ...inner, path: [...path, ...inner.path] })]);
  if (issue.code === "invalid_union" && place.schema && valuesOf(place.schema))
    return [wrongValue(place, [])];
  if (issue.code === "invalid_type" || issue.code === "invalid_union") return [wrongType(place)];
  if (issue.code === "invalid_key") return [wrongKey(place, issue.issues)];
  return [
    finding(place, `${capital(nameOf(path))}: ${issue.message}${issue.message.endsWith(".") ? "" : "."}`),
  ];
}

const isMapping = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

const quoted = (word: string) => `"${word}"`;
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export const schema = defineRule<Data>({
  meta: {
    id: "schema",
    severity: "error",
    kinds: "all",
    docs: "Keys, types and values match the schema of the spec's kind.",
    example: {
      wrong: `label: { when: reward > 0.5, severty: info }`,
      right: `label: { when: reward > 0.5, severity: info }`,
    },
  },
  data: Data,
  *check({ spec }) {
    if (!spec.tree) return;
    const error = errorBy(specSchemas[spec.kind], spec);
    for (const issue of error?.issues ?? []) yield* findingsOf(spec, issue);
  },
  fix({ spec }, { place, path, near }) {
    const span = locate(spec, path)[place];
    if (!span) return [];
    return near.map((word) => ({ title: `Change to "${word}"`, edits: [{ span, text: word }] }));
  },
});
