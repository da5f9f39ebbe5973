import { isScalar, Schema, type ScalarTag } from "yaml";
import type { YamlList, YamlMap, YamlPair, YamlScalar, YamlTree } from "./yamlTree.ts";

/** Plain YAML with the places of its values, and the value that it stands for. */
export type PlainYaml = { readonly tree: YamlTree; readonly value: unknown };

/**
 * Reads the YAML that specs are written in: mappings and lists in lines or in brackets, and texts of one line. Undefined
 * for everything else, also for whatever is wrong: that is for the YAML library to say, which takes ten times as long.
 * Values and places are those that the library gives.
 */
export function parsePlainYaml(text: string): PlainYaml | undefined {
  if (beyond.test(text)) return undefined;
  try {
    return new Reader(text).all();
  } catch (error) {
    if (error === notPlain) return undefined;
    throw error;
  }
}

/** Control characters, tabs, other line ends, directives, and markers of documents. */
const beyond = /[\0-\t\v-\x1f\x7f\x85\u2028\u2029\ufeff]|^(?:---|\.\.\.|%)/m;
/** Thrown where something is not plain. */
const notPlain = new Error("not plain YAML");
const maxDepth = 50;
/** The library refuses keys that are longer than 1024. */
const maxKey = 1000;

const [space, newline, hash, colon, dash, comma, question] = [32, 10, 35, 58, 45, 44, 63];
const [openList, closeList, openMap, closeMap, quote, apostrophe] = [91, 93, 123, 125, 34, 39];
/** What begins no plain text: tags, anchors, aliases, block texts, reserved characters, and what ends something. */
const starts = new Set(Array.from("!&*|>%@`#,]}[{\"'", (char) => char.charCodeAt(0)));
/** Plain texts that begin otherwise are texts whatever they are. */
const maybeOther = /^[-+.0-9~nNtTfF]/;
const schema = new Schema({ schema: "core", merge: false });
const scalarTags = schema.tags.filter(
  (tag): tag is ScalarTag => tag.collection === undefined && tag.default === true && tag.test !== undefined,
);

type Read<T extends YamlTree = YamlTree> = { readonly tree: T; readonly value: unknown };
/** The next line with something on it. */
type Line = { readonly at: number; readonly indent: number };

class Reader {
  readonly #text: string;
  /** Where reading goes on; after a value of lines, at the start of a line. */
  #at = 0;
  #next: Line | undefined;
  /** Where a collection of lines would end: with the line of its last value. */
  #end = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  all(): PlainYaml {
    const first = this.#line();
    if (first?.indent !== 0) throw notPlain;
    const read = this.#block(first);
    if (this.#line()) throw notPlain;
    return read;
  }

  /** The next line that holds more than a comment, from the start of a line; undefined at the end. */
  #line(): Line | undefined {
    if (this.#next) return this.#next;
    const text = this.#text;
    let comment = -1;
    for (let at = this.#at; at < text.length; at++) {
      const start = at;
      while (text.charCodeAt(at) === space) at++;
      const code = text.charCodeAt(at);
      if (at >= text.length || code === newline) continue;
      if (code === hash) {
        // Which value a comment belongs to is plain when it stands just above the next one, and none is open.
        if (comment >= 0 && comment !== at - start) throw notPlain;
        comment = at - start;
        at = this.#endOfLine(at);
        continue;
      }
      if (comment >= 0 && comment !== at - start) throw notPlain;
      return (this.#next = { at, indent: at - start });
    }
    if (comment > 0) throw notPlain;
    return undefined;
  }

  #endOfLine(from: number): number {
    const end = this.#text.indexOf("\n", from);
    return end < 0 ? this.#text.length : end;
  }

  /** A mapping, a list or a text that begins a line, or comes after dashes. */
  #block(line: Line): Read {
    if (this.#depth++ > maxDepth) throw notPlain;
    const read = this.#isDash(line.at)
      ? this.#list(line)
      : this.#isKey(line.at)
        ? this.#map(line)
        : undefined;
    this.#depth--;
    if (!read) throw notPlain;
    return read;
  }

  /** A dash with white space behind it. */
  #isDash(at: number): boolean {
    return this.#text.charCodeAt(at) === dash && this.#isBlank(at + 1);
  }

  #isBlank(at: number): boolean {
    const code = this.#text.charCodeAt(at);
    return code === space || code === newline || at >= this.#text.length;
  }

  #isKey(at: number): boolean {
    const code = this.#text.charCodeAt(at);
    const end = code === quote || code === apostrophe ? this.#endOfQuoted(at) : this.#endOfPlain(at, false);
    return this.#text.charCodeAt(this.#spaces(end)) === colon;
  }

  #spaces(at: number): number {
    while (this.#text.charCodeAt(at) === space) at++;
    return at;
  }

  #map({ at: start, indent }: Line): Read<YamlMap> {
    const pairs: YamlPair[] = [];
    const value: Values = {};
    this.#at = start;
    this.#next = undefined;
    for (;;) {
      const keyStart = this.#at;
      const key = this.#scalar(false);
      const at = this.#spaces(this.#at);
      if (this.#text.charCodeAt(at) !== colon || !this.#isBlank(at + 1)) throw notPlain;
      if (at - keyStart > maxKey) throw notPlain;
      const child = this.#valueAfter(at + 1, indent, true);
      add(pairs, value, key, child);
      const next = this.#line();
      if (!next || next.indent < indent) break;
      if (next.indent > indent || this.#isDash(next.at)) throw notPlain;
      this.#at = next.at;
      this.#next = undefined;
    }
    return { tree: { type: "map", pairs, start, end: this.#end }, value };
  }

  #list({ at: start, indent }: Line): Read<YamlList> {
    const items: YamlTree[] = [];
    const value: unknown[] = [];
    let dashAt = start;
    for (;;) {
      this.#next = undefined;
      const child = this.#valueAfter(dashAt + 1, indent, false);
      items.push(child.tree);
      value.push(child.value);
      const next = this.#line();
      if (!next || next.indent < indent || (next.indent === indent && !this.#isDash(next.at))) break;
      if (next.indent > indent) throw notPlain;
      dashAt = next.at;
    }
    return { tree: { type: "list", items, start, end: this.#end }, value };
  }

  /** The value behind a colon or a dash, whose collection stands at a column; the rest of its last line is read. */
  #valueAfter(after: number, indent: number, isMap: boolean): Read {
    const at = this.#spaces(after);
    const code = this.#text.charCodeAt(at);
    if (at >= this.#text.length || code === newline || code === hash) {
      if (code === hash && at === after) throw notPlain;
      this.#at = Math.min(this.#endOfLine(at) + 1, this.#text.length);
      const next = this.#line();
      if (next && (next.indent > indent || (isMap && next.indent === indent && this.#isDash(next.at))))
        return this.#nested(next, indent);
      // Of what is empty the library says where it is by what stands around it.
      const isApart = (next ? next.at - next.indent : this.#text.length) !== this.#at;
      if (code === hash || isApart) throw notPlain;
      this.#end = at;
      return scalar(null, false, at, at);
    }
    const lineStart = this.#text.lastIndexOf("\n", at) + 1;
    if (!isMap && (this.#isDash(at) || (code !== openList && code !== openMap && this.#isKey(at))))
      return this.#block({ at, indent: at - lineStart });
    return this.#inline(at, indent);
  }

  /** What begins on a line of its own. */
  #nested(line: Line, indent: number): Read {
    const code = this.#text.charCodeAt(line.at);
    const isBlock = this.#isDash(line.at) || (code !== openList && code !== openMap && this.#isKey(line.at));
    if (isBlock) return this.#block(line);
    this.#next = undefined;
    return this.#inline(line.at, indent);
  }

  /** A text or something in brackets, and the rest of its line. */
  #inline(at: number, indent: number): Read {
    this.#at = at;
    const read = this.#flow(indent, false);
    const end = this.#spaces(this.#at);
    const code = this.#text.charCodeAt(end);
    const isComment = code === hash && end > this.#at;
    if (end < this.#text.length && code !== newline && !isComment) throw notPlain;
    this.#at = Math.min(this.#endOfLine(end) + 1, this.#text.length);
    this.#end = this.#at;
    const next = this.#line();
    if (next && next.indent > indent) throw notPlain;
    return read;
  }

  /** A text or something in brackets, at the place. */
  #flow(indent: number, inFlow: boolean): Read {
    const code = this.#text.charCodeAt(this.#at);
    if (code !== openList && code !== openMap) return this.#scalar(inFlow);
    if (this.#depth++ > maxDepth) throw notPlain;
    const read = code === openList ? this.#flowList(indent) : this.#flowMap(indent);
    this.#depth--;
    return read;
  }

  #flowList(indent: number): Read<YamlList> {
    const items: YamlTree[] = [];
    const value: unknown[] = [];
    const start = this.#at++;
    for (let code = this.#gap(indent); code !== closeList; code = this.#separator(indent, closeList)) {
      const child = this.#flow(indent, true);
      items.push(child.tree);
      value.push(child.value);
    }
    return { tree: { type: "list", items, start, end: ++this.#at }, value };
  }

  #flowMap(indent: number): Read<YamlMap> {
    const pairs: YamlPair[] = [];
    const value: Values = {};
    const start = this.#at++;
    for (let code = this.#gap(indent); code !== closeMap; code = this.#separator(indent, closeMap)) {
      const isQuoted = code === quote || code === apostrophe;
      const keyStart = this.#at;
      const key = this.#scalar(true);
      const at = this.#spaces(this.#at);
      if (this.#text.charCodeAt(at) !== colon || !(isQuoted || this.#isBlank(at + 1))) throw notPlain;
      if (at - keyStart > maxKey) throw notPlain;
      this.#at = at + 1;
      this.#gap(indent);
      add(pairs, value, key, this.#flow(indent, true));
    }
    return { tree: { type: "map", pairs, start, end: ++this.#at }, value };
  }

  /** Passes over white space between brackets and gives the character behind it. Lines are further in than what is around. */
  #gap(indent: number): number {
    const text = this.#text;
    for (;;) {
      this.#at = this.#spaces(this.#at);
      if (text.charCodeAt(this.#at) !== newline) break;
      const start = ++this.#at;
      const end = this.#spaces(start);
      if (text.charCodeAt(end) !== newline && end - start <= indent) throw notPlain;
    }
    const code = text.charCodeAt(this.#at);
    if (this.#at >= text.length || code === hash) throw notPlain;
    return code;
  }

  /** What comes behind a comma, or the bracket that ends the list. */
  #separator(indent: number, close: number): number {
    const code = this.#gap(indent);
    if (code === close) return code;
    if (code !== comma) throw notPlain;
    this.#at++;
    return this.#gap(indent);
  }

  #scalar(inFlow: boolean): Read<YamlScalar> {
    const [text, start] = [this.#text, this.#at];
    const code = text.charCodeAt(start);
    if (code !== apostrophe && code !== quote) {
      this.#at = this.#endOfPlain(start, inFlow);
      return scalar(plainValue(text.slice(start, this.#at)), false, start, this.#at);
    }
    this.#at = this.#endOfQuoted(start);
    const inside = text.slice(start + 1, this.#at - 1);
    const value = code === quote ? unescaped(inside) : inside.replaceAll("''", "'");
    return scalar(value, true, start, this.#at);
  }

  /** Behind the closing quote, which is on the same line. */
  #endOfQuoted(start: number): number {
    const text = this.#text;
    const mark = text.charCodeAt(start);
    for (let at = start + 1; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === newline) break;
      if (mark === quote && code === 92) at++;
      else if (code === mark) {
        if (mark === quote || text.charCodeAt(at + 1) !== mark) return at + 1;
        at++;
      }
    }
    throw notPlain;
  }

  /** Whether a plain text can begin here. */
  #isStart(at: number): boolean {
    const code = this.#text.charCodeAt(at);
    if (code !== dash && code !== question && code !== colon) return !starts.has(code);
    return !this.#isBlank(at + 1) && !isBracket(this.#text.charCodeAt(at + 1));
  }

  /** Behind the last character of a plain text, which is on one line. */
  #endOfPlain(start: number, inFlow: boolean): number {
    const text = this.#text;
    if (!this.#isStart(start)) throw notPlain;
    let end = start;
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === newline) break;
      if (code === space) {
        if (text.charCodeAt(at + 1) === hash) break;
        continue;
      }
      if (code === colon && (this.#isBlank(at + 1) || (inFlow && isBracket(text.charCodeAt(at + 1))))) break;
      if (inFlow && isBracket(code)) break;
      end = at + 1;
    }
    if (end === start) throw notPlain;
    return end;
  }
}

/** A bracket or a comma. */
const isBracket = (code: number): boolean =>
  code === comma || code === openList || code === closeList || code === openMap || code === closeMap;

const scalar = (value: unknown, quoted: boolean, start: number, end: number): Read<YamlScalar> => ({
  tree: { type: "scalar", value, quoted, start, end },
  value,
});

/** Numbers, booleans and nulls are recognised by the library's own tests. */
function plainValue(source: string): unknown {
  if (!maybeOther.test(source)) return source;
  const made: unknown = scalarTags
    .find(({ test }) => test?.test(source))
    ?.resolve(source, () => undefined, {});
  return made === undefined ? source : isScalar(made) ? made.value : made;
}

/** Of the escapes only those that are common; the others are the library's. */
function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  if (/\\[^"\\nt]/.test(text.replaceAll("\\\\", ""))) throw notPlain;
  return text.replace(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char === "t" ? "\t" : char));
}

/** Keys are texts, numbers, booleans or nothing. */
const nameOf = (key: unknown): string =>
  typeof key === "string" || typeof key === "number" || typeof key === "boolean" ? String(key) : "";

type Values = Record<string, unknown>;

/** Adds a pair to a mapping; a key that is there already, or that every object has, is for the library to tell. */
function add(
  pairs: YamlPair[],
  values: Values,
  { tree: key }: Read<YamlScalar>,
  { tree, value }: Read,
): void {
  const name = nameOf(key.value);
  if (name === "<<" || name in values) throw notPlain;
  pairs.push({ key, value: tree });
  values[name] = value;
}
