import { subjects, type DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { expressionKeys, scopeOf } from "../../diagnosis/label/labelExpressions.ts";
import {
  mappingExpressions,
  messageVariables,
  recordVariables,
} from "../../evidence/mapping/mappingExpressions.ts";
import type { Scope } from "../../predicate/types.ts";
import { treeAt, type ParsedSpec, type Path, type Span } from "../syntax/parseSpec.ts";
import { keysOf, schemaAt, typeName } from "../syntax/schemaShape.ts";
import { specSchemas } from "../syntax/specKind.ts";
import { sourceOffsets } from "../syntax/scalarOffsets.ts";

/** What the names of an expression can be. */
export type Surroundings =
  | {
      readonly language: "predicate";
      readonly scope: Scope;
      readonly params: Readonly<Record<string, number>>;
    }
  | { readonly language: "mapping"; readonly variables: readonly string[] };

/** A CEL expression of a spec: its text, and where each of its characters stands in the file. */
export type SpecExpression = {
  readonly path: Path;
  readonly text: string;
  /** Undefined when escapes make the text differ from the file. */
  readonly offsets: readonly number[] | undefined;
  readonly span: Span;
  readonly around: Surroundings;
};

/** What the expressions of a diagnostic are over and read, as far as the rest of it is valid. */
export function diagnosticAround(value: unknown): {
  readonly over: DiagnosticSpec["over"];
  readonly params: Readonly<Record<string, number>>;
} {
  const of = (at: unknown, key: string): unknown =>
    typeof at === "object" && at !== null && !Array.isArray(at) && Object.hasOwn(at, key)
      ? Reflect.get(at, key)
      : undefined;
  const [over, params] = [of(value, "over"), of(value, "params")];
  const numbers = Object.entries(typeof params === "object" && !Array.isArray(params) ? (params ?? {}) : {});
  return {
    over: subjects.find((subject) => subject === over) ?? "rollout",
    params: Object.fromEntries(numbers.filter((e): e is [string, number] => typeof e[1] === "number")),
  };
}

/** What the names at a path of a diagnostic can be; undefined where no expression stands. */
export function surroundingsAt(
  spec: Pick<ParsedSpec, "kind" | "value">,
  path: Path,
): Surroundings | undefined {
  if (spec.kind === "diagnostic" && path.length === 2 && path[0] === "label") {
    const key = expressionKeys.find((name) => name === path[1]);
    if (key === undefined) return undefined;
    const { over, params } = diagnosticAround(spec.value);
    return { language: "predicate", scope: scopeOf(key, over), params };
  }
  if (spec.kind === "evidence" && path[0] === "fields" && path.length > 1) {
    const schema = schemaAt(specSchemas.evidence, path);
    if (!schema || keysOf(schema) || typeName(schema) === "mapping") return undefined;
    const perMessage = path[1] === "turns" && path[2] !== "from";
    return { language: "mapping", variables: perMessage ? messageVariables : recordVariables };
  }
  return undefined;
}

/** Parts of a sentence that are expressions: `{expression}` and `{expression%}`. */
function embeddedParts(sentence: string): Span[] {
  return [...sentence.matchAll(/\{([^{}]*)\}/g)].map((found) => {
    const inside = found[1] ?? "";
    const start = found.index + 1;
    return { start, end: start + inside.length - (inside.endsWith("%") ? 1 : 0) };
  });
}

/** Every CEL expression of a spec, in the order of the schema; what is no text is passed over. */
export function expressionsOf(spec: ParsedSpec): SpecExpression[] {
  const paths: Path[] =
    spec.kind === "diagnostic"
      ? expressionKeys.map((key) => ["label", key])
      : spec.kind === "evidence"
        ? mappingExpressions(spec.value).map(({ path }) => path)
        : [];
  return paths.flatMap((path) => {
    const node = treeAt(spec, path);
    const around = node && surroundingsAt(spec, path);
    if (node?.type !== "scalar" || typeof node.value !== "string" || !around) return [];
    const span = { start: node.start, end: node.end };
    const relative = sourceOffsets(spec.text.slice(span.start, span.end), node.value);
    const whole = {
      path,
      text: node.value,
      offsets: relative?.map((offset) => offset + span.start),
      span,
      around,
    };
    return path[1] === "message" && spec.kind === "diagnostic"
      ? embeddedParts(node.value).map(({ start, end }) => ({
          ...whole,
          text: whole.text.slice(start, end),
          offsets: whole.offsets?.slice(start, end),
        }))
      : [whole];
  });
}

/** Where a range of an expression stands in the file; undefined when that cannot be told. */
export function spanIn({ offsets }: SpecExpression, { start, end }: Span): Span | undefined {
  const first = offsets?.[start];
  const last = offsets?.[end - 1];
  return first === undefined || last === undefined ? undefined : { start: first, end: last + 1 };
}

/** The expression at a place in the file, and the place in its text. */
export function expressionAt(
  spec: ParsedSpec,
  offset: number,
): { readonly expression: SpecExpression; readonly at: number } | undefined {
  for (const expression of expressionsOf(spec)) {
    const { offsets, text } = expression;
    const [first, last] = [offsets?.[0], offsets?.at(-1)];
    if (!offsets || first === undefined || last === undefined) continue;
    if (offset < first || offset > last + 1) continue;
    const at = offsets.findIndex((place) => place >= offset);
    return { expression, at: at < 0 ? text.length : at };
  }
  return undefined;
}
