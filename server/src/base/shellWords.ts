/** A word or an operator of a POSIX shell command, and where it stands in the text. */
export interface ShellToken {
  readonly type: "word" | "operator";
  /** Of a word what the program gets, as far as the text tells: quotes and backslashes are taken out. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether the shell puts something in that the text does not tell: a variable, a command. */
  readonly expands: boolean;
}

const isBlank = (char: string): boolean => char === " " || char === "\t" || char === "\r";
const isOperator = (char: string): boolean => ";&|()<>\n".includes(char);

/**
 * Cuts shell text into words and operators (a line end is one). Comments and continued line ends are passed over. It never
 * throws: a quote that is not closed ends with the text. Here documents are read as words, which no launch script minds.
 */
export function shellWords(text: string): ShellToken[] {
  const tokens: ShellToken[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (isBlank(char)) at++;
    else if (char === "\\" && /^\\\r?\n/.test(text.slice(at, at + 3))) at = text.indexOf("\n", at) + 1;
    else if (char === "#") at = endOfLine(text, at);
    else if (isOperator(char)) {
      tokens.push({ type: "operator", text: char, start: at, end: at + 1, expands: false });
      at++;
    } else {
      const word = wordAt(text, at);
      tokens.push(word);
      at = word.end;
    }
  }
  return tokens;
}

const endOfLine = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
};

function wordAt(text: string, start: number): ShellToken {
  let [at, said, expands] = [start, "", false];
  let quote = "";
  for (; at < text.length; at++) {
    const char = text.charAt(at);
    if (quote === "'") {
      if (char === "'") quote = "";
      else said += char;
    } else if (char === "\\") {
      const next = text.charAt(at + 1);
      // Between double quotes a backslash stays before what it does not protect; the end of a line goes with it.
      if (quote === '"' && !'$`"\\\n'.includes(next)) said += char;
      if (next === "\n" && quote === "") break;
      if (next !== "\n") said += next;
      at++;
    } else if (char === '"') quote = quote === '"' ? "" : '"';
    else if (char === "'" && quote === "") quote = "'";
    else if (quote === "" && (isBlank(char) || isOperator(char))) break;
    else {
      expands ||= char === "$" || char === "`";
      const inside = char === "$" ? substitution(text, at) : char;
      said += inside;
      at += inside.length - 1;
    }
  }
  return { type: "word", text: said, start, end: at, expands };
}

/** `$(…)` and `${…}` as a whole, so that blanks in them end no word; otherwise the `$` alone. */
function substitution(text: string, at: number): string {
  const open = text.charAt(at + 1);
  const close = open === "(" ? ")" : open === "{" ? "}" : undefined;
  if (close === undefined) return "$";
  let depth = 0;
  for (let end = at + 1; end < text.length; end++) {
    if (text.charAt(end) === open) depth++;
    if (text.charAt(end) === close && --depth === 0) return text.slice(at, end + 1);
  }
  return text.slice(at);
}
