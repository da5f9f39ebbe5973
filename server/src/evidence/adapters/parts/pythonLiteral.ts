/** Values nested deeper than this are refused: the reader calls itself. */
const maxDepth = 200;

class NoLiteral extends Error {}

/**
 * The value of a Python literal, as `repr` or `str` writes data: lists, tuples, dictionaries, texts, numbers, True,
 * False and None. Nothing is evaluated. Undefined when the text is anything else.
 */
export function readPythonLiteral(text: string): unknown {
  try {
    const reader = new Reader(text);
    const value = reader.value(0);
    return reader.atEnd() ? value : undefined;
  } catch (e) {
    if (e instanceof NoLiteral) return undefined;
    throw e;
  }
}

const closers: Readonly<Record<string, string>> = { "[": "]", "(": ")", "{": "}" };
const words: Readonly<Record<string, unknown>> = { True: true, False: false, None: null };
const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
  "\n": "",
};
const hexDigits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    this.#skipSpace();
    return this.#at === this.#text.length;
  }

  value(depth: number): unknown {
    if (depth > maxDepth) throw new NoLiteral();
    this.#skipSpace();
    const start = this.#text[this.#at] ?? "";
    if (start === "{") return this.#dictionary(depth);
    if (start === "[" || start === "(") return this.#list(start, depth);
    if (start === "'" || start === '"') return this.#string(start);
    return this.#word();
  }

  #list(open: string, depth: number): unknown[] {
    const items: unknown[] = [];
    this.#at++;
    while (!this.#ends(closers[open])) {
      items.push(this.value(depth + 1));
      this.#comma(closers[open]);
    }
    return items;
  }

  #dictionary(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    this.#at++;
    while (!this.#ends("}")) {
      const key = this.value(depth + 1);
      this.#skipSpace();
      if (typeof key !== "string" && typeof key !== "number") throw new NoLiteral();
      if (this.#text[this.#at] !== ":") throw new NoLiteral();
      this.#at++;
      entries.push([String(key), this.value(depth + 1)]);
      this.#comma("}");
    }
    // Own properties whatever the keys are called.
    return Object.fromEntries(entries);
  }

  /** Steps over the closing bracket. */
  #ends(close: string | undefined): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== close) return false;
    this.#at++;
    return true;
  }

  #comma(close: string | undefined): void {
    this.#skipSpace();
    if (this.#text[this.#at] === ",") this.#at++;
    else if (this.#text[this.#at] !== close) throw new NoLiteral();
  }

  #string(quote: string): string {
    const parts: string[] = [];
    for (let from = ++this.#at; ; from = this.#at) {
      while (this.#at < this.#text.length && this.#text[this.#at] !== quote && this.#text[this.#at] !== "\\")
        this.#at++;
      parts.push(this.#text.slice(from, this.#at));
      const stop = this.#text[this.#at++];
      if (stop === undefined) throw new NoLiteral();
      if (stop === quote) return parts.join("");
      parts.push(this.#escape());
    }
  }

  #escape(): string {
    const sign = this.#text[this.#at++] ?? "";
    if (Object.hasOwn(escapes, sign)) return escapes[sign] ?? "";
    const digits = Object.hasOwn(hexDigits, sign) ? hexDigits[sign] : undefined;
    if (digits === undefined) return `\\${sign}`;
    const hex = this.#text.slice(this.#at, this.#at + digits);
    const code = /^[0-9a-fA-F]+$/.test(hex) && hex.length === digits ? parseInt(hex, 16) : NaN;
    if (!(code <= 0x10ffff)) throw new NoLiteral();
    this.#at += digits;
    return String.fromCodePoint(code);
  }

  #word(): unknown {
    const word = /^[\w.+-]+/.exec(this.#text.slice(this.#at, this.#at + 64))?.[0] ?? "";
    this.#at += word.length;
    if (Object.hasOwn(words, word)) return words[word];
    if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(word)) throw new NoLiteral();
    return Number(word);
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#at] ?? "x")) this.#at++;
  }
}
