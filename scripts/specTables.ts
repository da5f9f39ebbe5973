import { z } from "zod";
import type { Generated } from "./diagnosticTables.ts";
import { DiagnosticSpec } from "../shared/spec/diagnostic.ts";
import { EvidenceMapping } from "../shared/spec/evidenceMapping.ts";
import { InterventionSpec } from "../shared/spec/intervention.ts";
import { LineageMapping } from "../shared/spec/lineageMapping.ts";
import { ProjectSpec } from "../shared/spec/project.ts";
import { RewardSpec } from "../shared/spec/reward.ts";
import { SkillSpec } from "../shared/spec/skill.ts";

/** The part of JSON Schema that the specs use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** One key of a spec, as its table shows it. */
export interface SpecKey {
  readonly key: string;
  readonly type: string;
  /** What holds without the key: a value, `required`, or nothing in particular. */
  readonly without: string;
  readonly meaning: string;
}

const code = (value: unknown): string => `\`${JSON.stringify(value)}\``;

/** The limits of a number in words. */
function limits({ type, minimum, exclusiveMinimum, maximum, exclusiveMaximum }: Schema): string {
  const isBound = (limit: number | undefined): limit is number =>
    limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
  const parts = [
    ...(isBound(minimum) ? [`${minimum} or more`] : []),
    ...(isBound(exclusiveMinimum) ? [`above ${exclusiveMinimum}`] : []),
    ...(isBound(maximum) ? [`at most ${maximum}`] : []),
    ...(isBound(exclusiveMaximum) ? [`below ${exclusiveMaximum}`] : []),
  ];
  const name = type === "integer" ? "whole number" : "number";
  return parts.length === 0 ? name : `${name}, ${parts.join(", ")}`;
}

const variantsOf = ({ anyOf, oneOf }: Schema): readonly Schema[] | undefined => anyOf ?? oneOf;

/** What a value may be, in words. */
function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(", ");
  const variants = variantsOf(schema);
  if (variants !== undefined) return [...new Set(variants.map(typeOf))].join(", or ");
  if (Array.isArray(schema.type))
    return schema.type.map((type: string) => typeOf({ ...schema, type })).join(", or ");
  switch (schema.type) {
    case "integer":
    case "number":
      return limits(schema);
    case "boolean":
      return "`true` or `false`";
    case "null":
      return "`null`";
    case "array":
      return objectsOf(schema.items ?? {}).length > 0
        ? "list of entries with the keys below"
        : `list, each ${typeOf(schema.items ?? {})}`;
    case "object":
      if (schema.properties !== undefined) return "the keys below";
      return typeof schema.additionalProperties === "object"
        ? `for each name: ${typeOf(schema.additionalProperties)}`
        : "any keys";
    case "string":
      return schema.pattern === namePattern ? "name" : "text";
    case undefined:
    default:
      return "any value";
  }
}
const namePattern = "^[a-z0-9][a-z0-9_-]{0,63}$";

function withoutOf(schema: Schema, isRequired: boolean): string {
  if (schema.default !== undefined) {
    const isLong = typeof schema.default === "object" && Object.keys(schema.default ?? {}).length > 1;
    if (schema.properties !== undefined || isLong) return "";
    return code(schema.default);
  }
  return isRequired ? "required" : "";
}

/** The variants of a schema that have keys: itself, or those of its alternatives. */
const objectsOf = (schema: Schema): readonly Schema[] =>
  variantsOf(schema)?.flatMap(objectsOf) ?? (schema.properties === undefined ? [] : [schema]);

/** The schemas with keys that stand below a key, each with how its keys are reached. */
function below(schema: Schema, key: string): readonly (readonly [string, Schema])[] {
  const variants = variantsOf(schema);
  if (variants !== undefined) return variants.flatMap((variant) => below(variant, key));
  if (schema.properties !== undefined) return [[`${key}.`, schema]];
  if (schema.type === "array") return objectsOf(schema.items ?? {}).map((item) => [`${key}[].`, item]);
  if (typeof schema.additionalProperties !== "object") return [];
  const values = schema.additionalProperties;
  return below(values, `${key}.<name>`);
}

/** What a key is for. @throws Error for a key whose schema does not say it */
function meaningOf(key: string, { description }: Schema): string {
  if (description !== undefined) return description;
  if (key === "kind") return "Which kind of spec this is.";
  throw new Error(`${key} has no description in shared/spec; say there with .describe() what it is for.`);
}

/** Keys whose own keys another page lists. */
const listedElsewhere: Readonly<Record<string, string>> = {
  "examples[].rollout": "fields of [a rollout](evidence.md#a-rollout-rolloutsjsonl), or text",
  "examples[].group": "list of entries with fields of [a rollout](evidence.md#a-rollout-rolloutsjsonl)",
};

/** The keys of the forms that an entry may have; a key is required if every form requires it. */
function* keysBelow(forms: readonly Schema[], prefix: string): Generator<SpecKey> {
  for (const form of forms)
    for (const [name, field] of Object.entries(form.properties ?? {})) {
      const key = `${prefix}${name}`;
      const isRequired = forms.every(({ required }) => required?.includes(name));
      yield {
        key,
        type: listedElsewhere[key] ?? typeOf(field),
        without: withoutOf(field, isRequired),
        meaning: meaningOf(key, field),
      };
      if (listedElsewhere[key] !== undefined) continue;
      const inner = new Map<string, Schema[]>();
      for (const [path, schema] of below(field, key)) inner.set(path, [...(inner.get(path) ?? []), schema]);
      for (const [path, schemas] of inner) yield* keysBelow(schemas, path);
    }
}

/** Every key of a spec in order, each once, with the keys of what it holds: `a.b`, `list[].b`, `map.<name>.b`. */
export function keysOf(spec: z.ZodType): readonly SpecKey[] {
  const schema = z.toJSONSchema(spec, { io: "input", reused: "inline" }) as Schema;
  const keys = new Map<string, SpecKey[]>();
  for (const key of keysBelow([schema], "")) keys.set(key.key, [...(keys.get(key.key) ?? []), key]);
  return [...keys.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const all = (part: "type" | "meaning" | "without"): string[] => [
      ...new Set(same.map((key) => key[part])),
    ];
    // A key that stands in several variants of an entry, or not in all of them.
    const [without = "", ...others] = all("without");
    const meaning = all("meaning").join(" Or: ");
    return [
      { key: first.key, type: all("type").join(", or "), without: others.length > 0 ? "" : without, meaning },
    ];
  });
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function table(keys: readonly SpecKey[]): string[] {
  return [
    "| key | what it may be | by default | what it is for |",
    "|---|---|---|---|",
    ...keys.map(
      ({ key, type, without, meaning }) =>
        `| \`${key}\` | ${cell(type)} | ${without === "required" ? "**required**" : cell(without)} | ${cell(meaning)} |`,
    ),
  ];
}

/** The keys of every spec that the editor and `check` know, by the heading of its section. */
const specKinds: Readonly<Record<string, readonly [file: string, spec: z.ZodType, about: string]>> = {
  Project: [
    "evotrainer.yaml",
    ProjectSpec,
    "What EvoTrainer may change, and how it measures every version: [project-file.md](project-file.md).",
  ],
  Diagnostic: [
    "*.diagnostic.yaml",
    DiagnosticSpec,
    "A label on rollouts, and when it is a finding: [diagnostics.md](diagnostics.md).",
  ],
  Intervention: [
    "*.intervention.yaml",
    InterventionSpec,
    "One change that can be proved wrong: [interventions.md](interventions.md).",
  ],
  Reward: [
    "*.reward.yaml",
    RewardSpec,
    "How the reward is composed, and which groups are trained on: [backtest.md](backtest.md).",
  ],
  Skill: [
    "*.skill.yaml",
    SkillSpec,
    "A change that helped, with what came of each use: [skills.md](skills.md).",
  ],
  Evidence: [
    "*.evidence.yaml",
    EvidenceMapping,
    "How the records of a file become rollouts: [mapping.md](mapping.md).",
  ],
  Lineage: [
    "*.evidence.yaml",
    LineageMapping,
    "How the rows of a ledger become versions: [lineage-import.md](lineage-import.md).",
  ],
};

function referenceRows(): string[] {
  return Object.entries(specKinds).flatMap(([kind, [file, spec, about]]) => [
    `## ${kind}`,
    "",
    `\`${file}\`. ${about}`,
    "",
    ...(kind === "Project" ? ["[project-file.md](project-file.md) lists its keys."] : table(keysOf(spec))),
    "",
  ]);
}

/** A section for each key at the top of evotrainer.yaml that holds others, and one for those that do not. */
function projectRows(): string[] {
  const keys = keysOf(ProjectSpec);
  const top = (key: string): string => /^\w+/.exec(key)?.[0] ?? key;
  const sections = new Map<string, SpecKey[]>();
  for (const key of keys) sections.set(top(key.key), [...(sections.get(top(key.key)) ?? []), key]);
  const single = [...sections.values()].filter(({ length }) => length === 1).flat();
  return [
    "### Single keys",
    "",
    ...table(single),
    ...[...sections]
      .filter(([, { length }]) => length > 1)
      .flatMap(([name, rows]) => ["", `### ${name}`, "", ...table(rows)]),
  ];
}

export const specTables: readonly Generated[] = [
  { file: "spec-reference.md", mark: "specs", rows: referenceRows },
  { file: "project-file.md", mark: "keys", rows: projectRows },
];
