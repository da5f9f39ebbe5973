/** A piece of an expression; offsets count in its text. */
export type Token = {
  readonly type: "name" | "number" | "text" | "sign" | "word" | "comment";
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Of a text: whether its closing quote is there. */
  readonly closed?: boolean;
};

const words = new Set(["true", "false", "null", "in"]);
const pattern =
  /\/\/[^\n]*|[A-Za-z_][A-Za-z0-9_]*|0[xX][0-9a-fA-F]+[uU]?|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?[uU]?|&&|\|\||[<>=!]=|[-+*/%<>!?:.,()[\]{}=&|]/y;
const prefix = /[rRbB]{0,2}(?="|')/y;

/** Cuts an expression into tokens, whether or not it parses: what is no part of the language is passed over. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    const string = textAt(text, at);
    if (string) {
      tokens.push(string);
      at = string.end;
      continue;
    }
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    if (found === undefined) {
      at++;
      continue;
    }
    tokens.push({ type: typeOf(found), text: found, start: at, end: at + found.length });
    at += found.length;
  }
  return tokens;
}

function typeOf(found: string): Token["type"] {
  if (found.startsWith("//")) return "comment";
  if (/^[A-Za-z_]/.test(found)) return words.has(found) ? "word" : "name";
  return /^\.?\d/.test(found) ? "number" : "sign";
}

/** A string literal, raw and triple ones included; one without an end goes on to the end of the text. */
function textAt(text: string, at: number): Token | undefined {
  prefix.lastIndex = at;
  const found = prefix.exec(text);
  if (!found) return undefined;
  const raw = /r/i.test(found[0]);
  const open = at + found[0].length;
  const quote = text.startsWith(text.charAt(open).repeat(3), open)
    ? text.charAt(open).repeat(3)
    : text.charAt(open);
  for (let i = open + quote.length; i < text.length; i++) {
    if (!raw && text.charAt(i) === "\\") i++;
    else if (text.startsWith(quote, i)) {
      const end = i + quote.length;
      return { type: "text", text: text.slice(at, end), start: at, end, closed: true };
    }
  }
  return { type: "text", text: text.slice(at), start: at, end: text.length, closed: false };
}

/** What a string literal says, without its quotes; escapes stay as they are written. */
export function textOf({ text, closed }: Token): string {
  const inner = text.replace(/^[rRbB]{0,2}("""|'''|"|')/, "");
  const quote = /^[rRbB]{0,2}("""|'''|"|')/.exec(text)?.[1] ?? "";
  return closed === true ? inner.slice(0, inner.length - quote.length) : inner;
}

/** Where what a string literal says begins. */
export const textStart = ({ text, start }: Token): number =>
  start + (/^[rRbB]{0,2}("""|'''|"|')/.exec(text)?.[0].length ?? 0);

/** A call that is open at a place: `name(`, the index of the argument there, and whether it is a method. */
export type OpenCall = {
  readonly name: string;
  readonly method: boolean;
  readonly argument: number;
  /** The name's token in the list of tokens. */
  readonly at: number;
};

/** The innermost call whose arguments a place lies in. */
export function callAt(tokens: readonly Token[], offset: number): OpenCall | undefined {
  const open: { readonly sign: string; readonly index: number; commas: number }[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.start >= offset) break;
    if (token.type !== "sign") continue;
    if ("([{".includes(token.text)) open.push({ sign: token.text, index, commas: 0 });
    else if (")]}".includes(token.text)) {
      if (token.end <= offset) open.pop();
    } else if (token.text === ",") {
      const innermost = open.at(-1);
      if (innermost) innermost.commas++;
    }
  }
  for (const { sign, index, commas } of open.reverse()) {
    const name = tokens[index - 1];
    if (sign === "(" && name?.type === "name")
      return {
        name: name.text,
        method: tokens[index - 2]?.text === ".",
        argument: commas,
        at: index - 1,
      };
  }
  return undefined;
}

/** Names that stand for turns where a place is: those of the quantifiers around it. */
export function localsAt(tokens: readonly Token[], offset: number): string[] {
  const locals: { readonly name: string; readonly depth: number }[] = [];
  let depth = 0;
  for (const [i, token] of tokens.entries()) {
    if (token.start >= offset) break;
    if (token.text === "(" && token.type === "sign") {
      depth++;
      const [name, comma] = [tokens[i + 1], tokens[i + 2]];
      if (
        quantifiers.has(tokens[i - 1]?.text ?? "") &&
        tokens[i - 2]?.text === "." &&
        name?.type === "name" &&
        comma?.text === ","
      )
        locals.push({ name: name.text, depth });
    } else if (token.text === ")" && token.type === "sign" && token.end <= offset) {
      depth--;
      while ((locals.at(-1)?.depth ?? 0) > depth) locals.pop();
    }
  }
  return locals.map(({ name }) => name);
}

export const quantifiers: ReadonlySet<string> = new Set(["exists", "all", "filter"]);
