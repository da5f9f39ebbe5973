import { derivedSignals } from "../../../../shared/spec/reward.ts";
import type { YamlTree } from "../../base/yamlTree.ts";
import { versionVariables } from "../../predicate/variables.ts";
import { expressionsOf, spanIn, type SpecExpression } from "../expressions/expressionsOf.ts";
import { textOf, textStart, tokensOf, type Token } from "../expressions/tokens.ts";
import { callables } from "../expressions/vocabulary.ts";
import type { ParsedSpec, Path, Span } from "../syntax/parseSpec.ts";
import type { Occurrence, SymbolKind } from "./occurrence.ts";

type Role = Occurrence["role"];
/** Where names stand: `*` is any key or index; a last `#` means the keys there, not the values. */
type Pattern = readonly [path: string, role: Role, kinds: readonly SymbolKind[]];

/** A measure is a metric or, under a label's name, its rate. */
const measure = ["metric", "label"] as const;

const patterns: Readonly<Partial<Record<string, readonly Pattern[]>>> = {
  diagnostic: [
    ["name", "definition", ["label"]],
    ["params.#", "definition", ["param"]],
    ["domainParams.*.#", "use", ["param"]],
    ["examples.*.version.rates.#", "use", ["label"]],
    ["examples.*.version.parentRates.#", "use", ["label"]],
    ["examples.*.version.metrics.#", "use", ["metric"]],
    ["examples.*.rollout.components.#", "use", ["component"]],
  ],
  intervention: [
    ["name", "definition", ["intervention"]],
    ["targets.*", "use", ["label"]],
    ["edit.*.file", "use", ["file"]],
    ["predicts.fixes.*", "use", ["label"]],
    ["predicts.risks.*", "use", ["label"]],
    ["factor", "use", ["factor"]],
    ["hypothesis.metric", "use", measure],
    ["success.metric", "use", measure],
    ["guardrails.*.metric", "use", measure],
  ],
  project: [
    ["name", "definition", ["project"]],
    ["surfaces.*.factor", "definition", ["factor"]],
    ["surfaces.*.file", "use", ["file"]],
    ["frozen.*.file", "use", ["file"]],
    ["reward", "use", ["file"]],
    ["library.use.*", "use", ["label"]],
    ["library.params.#", "use", ["label"]],
    ["library.domains.*.#", "use", ["label"]],
  ],
  reward: [
    ["name", "definition", ["reward"]],
    ["components.#", "definition", ["component"]],
    ["components.*.signal", "use", ["component"]],
  ],
  skill: [
    ["name", "definition", ["skill"]],
    ["when.targets.*", "use", ["label"]],
    ["intervention", "use", ["intervention"]],
    ["factor", "use", ["factor"]],
    ["expects.metric", "use", measure],
    ["guardrails.*.metric", "use", measure],
    ["validations.*.metric", "use", measure],
  ],
};

const places = Object.fromEntries(
  Object.entries(patterns).map(([kind, list = []]) => [
    kind,
    list.map(([path, role, kinds]) => [path.split("."), role, kinds] as const),
  ]),
);

/** Measures that are no label whatever the project says. */
const builtinMeasures: ReadonlySet<string> = new Set([
  "solve_rate",
  ...versionVariables.map(({ name }) => name),
]);
export const isBuiltinMeasure = (name: string): boolean => builtinMeasures.has(name);

const known = new WeakMap<YamlTree, readonly Occurrence[]>();

/** Every name of a spec that other specs may speak of. A text that was looked at before costs nothing. */
export function occurrencesIn(spec: ParsedSpec): readonly Occurrence[] {
  if (!spec.tree) return [];
  const found = known.get(spec.tree) ?? [...inValues(spec), ...inEdits(spec), ...inExpressions(spec)];
  known.set(spec.tree, found);
  return found;
}

function inValues(spec: ParsedSpec): Occurrence[] {
  const found: Occurrence[] = [];
  for (const [steps, role, kinds] of places[spec.kind] ?? [])
    for (const { name, span, at } of matches(spec.tree, steps))
      for (const kind of kinds) {
        if (kinds.length > 1 && kind !== "metric" && isBuiltinMeasure(name)) continue;
        if (kind === "component" && derivedSignals.some((signal) => signal === name)) continue;
        found.push({ kind, name, role, span, path: at });
      }
  return found;
}

type Match = { readonly name: string; readonly span: Span; readonly at: Path };

/** The texts at the places of a pattern, in their order. */
function matches(tree: YamlTree | undefined, steps: readonly string[]): readonly Match[] {
  const found: Match[] = [];
  const add = (node: YamlTree | undefined, at: Path): void => {
    const match = scalarMatch(node, at);
    if (match) found.push(match);
  };
  const visit = (node: YamlTree | undefined, depth: number, at: Path): void => {
    const step = steps[depth];
    if (step === undefined) add(node, at);
    else if (node?.type === "map") {
      for (const { key, value } of node.pairs) {
        if (key?.type !== "scalar") continue;
        const name = String(key.value);
        if (step === "#") add(key, [...at, name]);
        else if (step === "*" || step === name) visit(value, depth + 1, [...at, name]);
      }
    } else if (node?.type === "list" && step === "*")
      for (const [i, item] of node.items.entries()) visit(item, depth + 1, [...at, i]);
  };
  visit(tree, 0, []);
  return found;
}

function scalarMatch(node: YamlTree | undefined, at: Path): Match | undefined {
  if (node?.type !== "scalar" || typeof node.value !== "string" || node.value === "") return undefined;
  const { value: name, start, end, quoted } = node;
  const quote = quoted && !/^["']/.test(name) ? 1 : 0;
  return { name, span: { start: start + quote, end: end - quote }, at };
}

/** The component in paths such as components.correctness.shape. */
function inEdits(spec: ParsedSpec): Occurrence[] {
  if (spec.kind !== "intervention") return [];
  return ["edit.*.path", "hypothesis.change"].flatMap((pattern) =>
    matches(spec.tree, pattern.split(".")).flatMap(({ name, span, at }) => {
      const component = /^components\.([^.]+)/.exec(name)?.[1];
      if (component === undefined) return [];
      const start = span.start + "components.".length;
      return [
        {
          kind: "component" as const,
          name: component,
          role: "use" as const,
          span: { start, end: start + component.length },
          path: at,
        },
      ];
    }),
  );
}

function inExpressions(spec: ParsedSpec): Occurrence[] {
  return expressionsOf(spec).flatMap((expression) => [...inExpression(expression)]);
}

const namingFunctions: ReadonlyMap<string, SymbolKind> = new Map(
  (["version", "rollout"] as const)
    .flatMap((scope) => callables(scope))
    .flatMap(({ name, names }) => (names === "label" || names === "metric" ? [[name, names] as const] : [])),
);

function* inExpression(expression: SpecExpression): Generator<Occurrence> {
  if (expression.around.language !== "predicate") return;
  const tokens = tokensOf(expression.text);
  for (const [i, token] of tokens.entries()) {
    const kind = kindOf(token, tokens[i - 1]?.text, tokens[i - 2]?.text);
    const name = token.type === "text" ? textOf(token) : token.text;
    const start = token.type === "text" ? textStart(token) : token.start;
    const span = kind && name !== "" ? spanIn(expression, { start, end: start + name.length }) : undefined;
    if (kind && span) yield { kind, name, role: "use", span, path: expression.path };
  }
}

/** What a token names by the two tokens before it. */
function kindOf(token: Token, before = "", further = ""): SymbolKind | undefined {
  if (token.type === "text") {
    if (before === "(") return namingFunctions.get(further);
    return before === "[" && further === "components" ? "component" : undefined;
  }
  if (token.type !== "name" || before !== ".") return undefined;
  return further === "params" ? "param" : further === "components" ? "component" : undefined;
}
