import { expressionsOf, spanIn } from "../expressions/expressionsOf.ts";
import { localsAt, quantifiers, tokensOf, type Token } from "../expressions/tokens.ts";
import { variablesOf } from "../../predicate/variables.ts";
import type { ParsedSpec, Span } from "../syntax/parseSpec.ts";

/** Types of tokens in the order in which they are announced to the editor. */
export const tokenTypes = [
  "variable",
  "parameter",
  "property",
  "function",
  "method",
  "keyword",
  "string",
  "regexp",
  "number",
  "operator",
  "comment",
] as const;
export type TokenType = (typeof tokenTypes)[number];
export type SemanticToken = { readonly span: Span; readonly type: TokenType };

/** The tokens of all expressions of a spec, in the order of the text. */
export function semanticTokens(spec: ParsedSpec): SemanticToken[] {
  return expressionsOf(spec)
    .flatMap((expression) => {
      const tokens = tokensOf(expression.text);
      const { around } = expression;
      const names = new Set(
        around.language === "mapping"
          ? around.variables
          : [...variablesOf(around.scope).map(({ name }) => name), "parent"],
      );
      return tokens.flatMap((token, i) => {
        const span = spanIn(expression, token);
        const type = typeOf(token, i, tokens, names);
        return span && type ? [{ span, type }] : [];
      });
    })
    .sort((a, b) => a.span.start - b.span.start);
}

function typeOf(
  token: Token,
  i: number,
  tokens: readonly Token[],
  names: ReadonlySet<string>,
): TokenType | undefined {
  switch (token.type) {
    case "comment":
    case "number":
      return token.type;
    case "word":
      return "keyword";
    case "text":
      return tokens[i - 1]?.text === "(" && tokens[i - 2]?.text === "matches" ? "regexp" : "string";
    case "sign":
      return /^[-+*/%<>!?:=&|]/.test(token.text) ? "operator" : undefined;
    case "name":
      return nameType(token, i, tokens, names);
  }
}

function nameType(
  { text, start }: Token,
  i: number,
  tokens: readonly Token[],
  names: ReadonlySet<string>,
): TokenType {
  const [before, after] = [tokens[i - 1]?.text, tokens[i + 1]?.text];
  if (after === "(") return before === "." ? "method" : "function";
  if (before === ".") return tokens[i - 2]?.text === "params" ? "parameter" : "property";
  if (text === "params" || text === "turn" || localsAt(tokens, start).includes(text)) return "parameter";
  if (before === "(" && after === "," && quantifiers.has(tokens[i - 2]?.text ?? "")) return "parameter";
  return names.has(text) ? "variable" : "property";
}
