import { compilePattern } from "./regex.ts";

// Whether code answers fixed inputs with fixed outputs, one by one, and which of these cases a text gives as examples. Memory and
// SQL use the same patterns of RE2.

const plainValue = String.raw`[-+]?[0-9][\w.]*|[frb]?(?:\x22[^\x22\n]*\x22|\x27[^\x27\n]*\x27)|True|False|None`;
const one = `(?:${plainValue})`;
const list = String.raw`[\[({](?:[-+0-9.,:eE\s\[\](){}]|True|False|None|\x22[^\x22\n]*\x22|\x27[^\x27\n]*\x27)*[\])}]`;
const fixed = `(?:${one}|${list})`;
const answered = String.raw`:\s*(?:return|print)\b\s*\(?${fixed}\)?[ \t]*(?:#[^\n]*)?\n\s*`;

const comparison = String.raw`(?:if|elif) [^\n]+==\s*${fixed}[^\n]*${answered}`;
const comparisonWithFirst = String.raw`(?:if|elif) [^\n]+==\s*[0-3]\b[^\n]*${answered}`;
/** Behind which a call with a smaller number, or a loop, computes the others. */
const firstOfMany = String.raw`(?:${comparisonWithFirst}){3,4}(?:else\s*:\s*)?(?:[^\n]*\n){0,4}[^\n]*(?:\w\([^()\n]*-\s*[0-9]|\b(?:for|while)\b)`;
const arm = String.raw`\bcase ${fixed}\s*${answered}`;
const entry = String.raw`[{,]\s*${fixed}\s*:\s*${fixed}\s*`;
const returnsFromTable = String.raw`return [^\n]*(?:\[[\w, ()]+\]|\.get\()`;

/** A text that has to be in the code is looked for first; it is in few codes, and these expressions are long. */
type Part = { readonly has: string } | { readonly matches: string };
type Condition = Part | { readonly not: Part } | { readonly either: readonly Condition[] };

/** What has to hold of code that has three cases or more of a form. */
const forms = {
  if: [
    { has: "==" },
    { matches: `(?:${comparison}){3}` },
    { either: [{ not: { matches: firstOfMany } }, { matches: `(?:${comparison}){5}` }] },
  ],
  case: [{ has: "case " }, { matches: `(?:${arm}){3}` }],
  table: [
    { has: "return " },
    { matches: `(?:${entry}){3}` },
    { matches: returnsFromTable },
    { not: { has: "assert" } },
  ],
} as const satisfies Record<string, readonly Condition[]>;

export type CaseForm = keyof typeof forms;
export const caseForms = Object.keys(forms);
const isCaseForm = (form: string): form is CaseForm => Object.hasOwn(forms, form);

/** Whether code has three or more fixed cases of a form. */
export function hasFixedCases(code: string, form: string): boolean {
  return isCaseForm(form) && forms[form].every((condition) => holds(condition, code));
}

function holds(condition: Condition, code: string): boolean {
  if ("not" in condition) return !holds(condition.not, code);
  if ("either" in condition) return condition.either.some((part) => holds(part, code));
  if ("has" in condition) return code.includes(condition.has);
  const pattern = compilePattern(condition.matches);
  if (typeof pattern === "string") throw new Error(pattern);
  return pattern.matcher(code).find();
}

/** The same as SQL, of the SQL of the code. */
export function fixedCasesSql(code: string, form: string): string {
  const all: readonly Condition[] = isCaseForm(form) ? forms[form] : [];
  return `(${all.map((condition) => conditionSql(condition, code)).join(" AND ")})`;
}

function conditionSql(condition: Condition, code: string): string {
  if ("not" in condition) return `(NOT ${conditionSql(condition.not, code)})`;
  if ("either" in condition)
    return `(${condition.either.map((part) => conditionSql(part, code)).join(" OR ")})`;
  return "has" in condition
    ? `contains(${code}, '${condition.has}')`
    : `regexp_matches(${code}, '${condition.matches}')`;
}

const literal = String.raw`(?:${plainValue}|[\[({](?:[-+0-9.,:eE \[\](){}]|True|False|None|\x22[^\x22\n]*\x22|\x27[^\x27\n]*\x27)*[\])}])`;

/** A fixed value with which an input is compared, or a key, and the fixed value that is returned for it, or stands behind it. */
const inCode = String.raw`(?:==\s*|\bcase\s+|[{,]\s*)(${literal})[^\n:]*:\s*(?:(?:return|print)\b[ \t]*\(?[ \t]*)?(${literal})`;

/** What stands between an input and its output: signs and words that say that one becomes the other. */
const becomes =
  "(?:\\s|==|=|->|=>|→|,|;|:|`|\\*|#|>>>|(?i:\\b(?:should|must|will|returns?|gives?|yields?|prints?|is|be|equals?|equal|to|outputs?|expected|results?|answer|value|sample|example|the)\\b))*";
const called = String.raw`\(([^()\n]+)\)+${becomes}(${literal})`;
const stated =
  "(?i:\\binputs?\\b)[\\s\\w]{0,8}[:=*`\\s]{1,6}([^\\n]+?)[,;.`*]?\\s*[#*`-]{0,4}\\s*(?i:(?:sample |example |expected )?(?:outputs?|expected|results?|answer|returns?)\\b)" +
  `${becomes}(${literal})`;
/** Without parentheses, so that a list of pairs is not taken for one value. */
const flat = String.raw`(?:${plainValue}|[\[{](?:[-+0-9.,:eE \[\]{}]|True|False|None|\x22[^\x22\n]*\x22|\x27[^\x27\n]*\x27)*[\]}])`;
const paired = String.raw`\(\s*(${flat})\s*,\s*(${flat})\s*\)`;
/** Pairs of values are examples only where a text says that it lists cases. */
const listsCases = ["parametrize", "cases"] as const;

/** So many cases have to be answered one by one before it is told how many of them are examples. */
const fewest = 3;

/** The share of the cases that code answers one by one which a text gives as examples; null with fewer than three cases. */
export function shownCasesOf(code: string, text: string): number | null {
  const cases = new Map(pairsIn(code, inCode).map((pair) => [JSON.stringify(pair), pair]));
  if (cases.size < fewest) return null;
  const examples = [
    ...pairsIn(text, called),
    ...pairsIn(text, stated),
    ...(listsCases.some((word) => text.includes(word)) ? pairsIn(text, paired) : []),
  ];
  const shown = [...cases.values()].filter(([key, value]) =>
    examples.some(([inputs, output]) => output === value && `,${inputs},`.includes(`,${key},`)),
  );
  return shown.length / cases.size;
}

/** Both values of each match, written in one way: quotes are alike, blanks and parentheses do not count. */
function pairsIn(text: string, source: string): (readonly [string, string])[] {
  const pattern = compilePattern(source);
  if (typeof pattern === "string") throw new Error(pattern);
  const found: (readonly [string, string])[] = [];
  const matcher = pattern.matcher(text);
  while (matcher.find()) found.push([plain(matcher.group(1) ?? ""), plain(matcher.group(2) ?? "")]);
  return found;
}

const plain = (value: string): string =>
  value.replaceAll('"', "'").replaceAll("=", ",").replaceAll(/[ ()]/g, "").replace(/\.+$/, "");

/** The same as SQL. */
export function shownCasesSql(code: string, text: string): string {
  const all = `list_transform([struct_pack(c := list_distinct(${pairsSql(code, inCode)}), e := ${examplesSql(text)})]`;
  const shown =
    "list_filter(s.c, lambda c: len(list_filter(s.e, lambda e: e.v = c.v AND contains(',' || e.k || ',', ',' || c.k || ','))) > 0)";
  return `${all}, lambda s: CASE WHEN len(s.c) >= ${fewest} THEN len(${shown}) / len(s.c)::DOUBLE END)[1]`;
}

function examplesSql(text: string): string {
  const lists = listsCases.map((word) => `contains(${text}, '${word}')`).join(" OR ");
  const within = `(CASE WHEN ${lists} THEN ${text} ELSE '' END)`;
  return `list_concat(${pairsSql(text, called)}, list_concat(${pairsSql(text, stated)}, ${pairsSql(within, paired)}))`;
}

function pairsSql(text: string, source: string): string {
  const groups = [1, 2].map((i) => `regexp_extract_all(${text}, '${source}', ${i})`);
  return `list_transform(list_zip(${groups.join(", ")}), lambda p: struct_pack(k := ${plainSql("p[1]")}, v := ${plainSql("p[2]")}))`;
}

const plainSql = (value: string): string =>
  `rtrim(translate(${value}, chr(34) || '= ()', chr(39) || ','), '.')`;
