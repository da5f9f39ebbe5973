import { constants } from "./language.ts";

/** One way to change one token of a line. */
export interface Rewrite {
  readonly at: number;
  readonly from: string;
  readonly to: string;
}

/** Kinds of mistake, each a set of tokens that are easily confused. */
export const families = [
  "boundary",
  "direction",
  "sign",
  "scale",
  "extreme",
  "case",
  "end",
  "transform",
  "constant",
  "variable",
] as const;
export type Family = (typeof families)[number];

/** Confusable tokens; each pair is a bug in one direction and its repair in the other. */
const pairs: readonly (readonly [Family, string, string])[] = [
  ["boundary", "<", "<="],
  ["boundary", ">", ">="],
  ["direction", "<", ">"],
  ["direction", "<=", ">="],
  ["sign", "+", "-"],
  ["scale", "*", "/"],
  ["extreme", "max", "min"],
  ["case", "upper", "lower"],
  ["end", "first", "last"],
  ["end", "take", "drop"],
  ["transform", "abs", "neg"],
  ["constant", "0", "1"],
  ["constant", "1", "2"],
  ["constant", "10", "100"],
];

const alternatives = new Map<string, { to: string; family: Family }[]>();
for (const [family, a, b] of pairs) {
  alternatives.set(a, [...(alternatives.get(a) ?? []), { to: b, family }]);
  alternatives.set(b, [...(alternatives.get(b) ?? []), { to: a, family }]);
}

const constantSet: ReadonlySet<string> = new Set(constants);

/** Whether the token is a name that the function binds (and not a keyword, an operator or a literal). */
export function isVariable(token: string): boolean {
  return (
    /^[a-z_]\w*$/.test(token) && !alternatives.has(token) && !["let", "if", "return", "len"].includes(token)
  );
}

export function familyOf(rewrite: Rewrite): Family {
  return alternatives.get(rewrite.from)?.find((a) => a.to === rewrite.to)?.family ?? "variable";
}

/** The names next to one in the order of binding: those that are mixed up most easily. Being neighbours is mutual. */
function neighbours(scope: readonly string[], name: string): string[] {
  const at = scope.indexOf(name);
  if (at < 0) return [];
  const around = [scope[(at + 1) % scope.length], scope[(at + scope.length - 1) % scope.length]];
  return [...new Set(around)].filter((n) => n !== undefined && n !== name).map(String);
}

/** Every single-token rewrite of a statement, given the names in scope, in reading order. */
export function rewritesOf(tokens: readonly string[], scope: readonly string[]): Rewrite[] {
  const list: Rewrite[] = [];
  tokens.forEach((from, at) => {
    if (tokens[0] === "let" && at === 1) return;
    for (const { to } of alternatives.get(from) ?? []) list.push({ at, from, to });
    if (!isVariable(from) || constantSet.has(from)) return;
    for (const to of neighbours(scope, from)) list.push({ at, from, to });
  });
  return list;
}

export function applyRewrite(tokens: readonly string[], rewrite: Rewrite): string[] {
  return tokens.map((t, i) => (i === rewrite.at ? rewrite.to : t));
}
