import { needsBeyondAscii, requiredLiterals } from "../expression/regexLiteral.ts";
import { compilePattern, patternProblem } from "../expression/regex.ts";
import {
  caseForms,
  fixedCasesSql,
  hasFixedCases,
  shownCasesOf,
  shownCasesSql,
} from "../expression/fixedCases.ts";
import {
  pieceRepetitionOf,
  pieceRepetitionSql,
  repetitionOf,
  repetitionSql,
  wordsSql,
} from "./repetition.ts";
import type { FunctionDefinition } from "./functionDefinition.ts";

const text = { name: "text", type: "string" } as const;
const part = { name: "part", type: "string" } as const;

/**
 * Looking for a text that every match holds is several times as fast as matching, and so is telling that a text is nothing
 * but ASCII; both have no value where the text is missing.
 */
function matchesSql(text: string, pattern: string): string {
  const source = pattern.slice(1, -1).replaceAll("''", "'");
  const literals = requiredLiterals(source);
  const found = literals.map((literal) => `contains(${text}, '${literal.replaceAll("'", "''")}')`);
  const matches = `regexp_matches(${text}, ${pattern})`;
  if (found.length === 0 && needsBeyondAscii(source))
    return `(strlen(${text}) <> length(${text}) AND ${matches})`;
  return found.length === 0 ? matches : `((${found.join(" OR ")}) AND ${matches})`;
}

/** Words are what stands between blanks, tabs and line ends. */
const words = (value: string): string[] => value.match(/[^ \t\n\f\r]+/g) ?? [];
const mostWordsInGram = 10;
const mostInPiece = 100;

/** Functions of text. Positions and lengths count code points; patterns are RE2's and match anywhere. */
export const textFunctions: readonly FunctionDefinition[] = [
  {
    name: "contains",
    method: true,
    parameters: [text, part],
    returns: "bool",
    doc: "Whether the text contains the part.",
    sql: ([a = "", b = ""]) => `contains(${a}, ${b})`,
    run: ([a, b]) => String(a).includes(String(b)),
  },
  {
    name: "startsWith",
    method: true,
    parameters: [text, part],
    returns: "bool",
    doc: "Whether the text begins with the part.",
    sql: ([a = "", b = ""]) => `starts_with(${a}, ${b})`,
    run: ([a, b]) => String(a).startsWith(String(b)),
  },
  {
    name: "endsWith",
    method: true,
    parameters: [text, part],
    returns: "bool",
    doc: "Whether the text ends with the part.",
    sql: ([a = "", b = ""]) => `ends_with(${a}, ${b})`,
    run: ([a, b]) => String(a).endsWith(String(b)),
  },
  {
    name: "matches",
    dear: true,
    method: true,
    parameters: [text, { name: "pattern", type: "string", constant: true }],
    returns: "bool",
    doc: "Whether the RE2 pattern matches anywhere in the text.",
    check: ([, pattern]) => patternProblem(pattern),
    sql: ([a = "", b = ""]) => matchesSql(a, b),
    run: ([a, b]) => {
      const pattern = compilePattern(String(b));
      return typeof pattern === "string" ? null : pattern.matcher(String(a)).find();
    },
  },
  {
    name: "lowerAscii",
    method: true,
    parameters: [text],
    returns: "string",
    doc: "The text with A to Z in lower case.",
    // The engine's translate() makes its table anew for every text; its lower() would also turn what is beyond ASCII.
    sql: ([a = ""]) =>
      `(CASE WHEN strlen(${a}) = length(${a}) THEN lower(${a}) ELSE translate(${a}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') END)`,
    run: ([a]) => String(a).replaceAll(/[A-Z]/g, (c) => c.toLowerCase()),
  },
  {
    name: "repetition",
    dear: true,
    parameters: [text, { name: "n", type: "int", constant: true }],
    returns: "double",
    doc: `Share of the n-grams of words that occurred earlier in the text, in [0, 1]; missing if the text has fewer than n words. n is 1 to ${mostWordsInGram}.`,
    check: ([, n]) =>
      typeof n === "bigint" && n >= 1n && n <= BigInt(mostWordsInGram)
        ? undefined
        : `The length of an n-gram is 1 to ${mostWordsInGram}.`,
    sql: ([a = "", n = "1"]) => repetitionSql(wordsSql(a), n),
    run: ([a, n]) => repetitionOf(words(String(a)), Number(n)),
  },
  {
    name: "piece_repetition",
    dear: true,
    parameters: [text, { name: "n", type: "int", constant: true }],
    returns: "double",
    doc: `Share of the pieces of n characters, cut one after the other, that occurred earlier in the text, in [0, 1]; missing if the text is shorter than n. It needs no blanks between words. n is 1 to ${mostInPiece}.`,
    check: ([, n]) =>
      typeof n === "bigint" && n >= 1n && n <= BigInt(mostInPiece)
        ? undefined
        : `The length of a piece is 1 to ${mostInPiece}.`,
    sql: ([a = "", n = "1"]) => pieceRepetitionSql(a, n),
    run: ([a, n]) => pieceRepetitionOf(String(a), Number(n)),
  },
  {
    name: "fixed_cases",
    dear: true,
    parameters: [
      { name: "code", type: "string" },
      { name: "form", type: "string", constant: true },
    ],
    returns: "bool",
    doc: 'Whether code answers three or more fixed inputs with fixed outputs, one by one. The form "if" means comparisons in a row, each of which returns or prints a fixed value, unless these are the first values of a recursion or of a loop; "case" means such arms of a match, and "table" a table of fixed values from which code without an assert returns.',
    check: ([, form]) =>
      typeof form === "string" && caseForms.includes(form)
        ? undefined
        : `The form of fixed cases is ${caseForms.slice(0, -1).join(", ")} or ${caseForms.at(-1)}.`,
    sql: ([a = "", b = ""]) => fixedCasesSql(a, b.slice(1, -1)),
    run: ([a, b]) => hasFixedCases(String(a), String(b)),
  },
  {
    name: "shown_cases",
    dear: true,
    parameters: [{ name: "code", type: "string" }, text],
    returns: "double",
    doc: "Of the cases that code answers one by one, by comparing with a fixed value or by a table: the share that the text gives as examples, an input with its output; missing if the code has fewer than three cases.",
    sql: ([a = "", b = ""]) => shownCasesSql(a, b),
    run: ([a, b]) => shownCasesOf(String(a), String(b)),
  },
];
