import { Remembered } from "../base/remembered.ts";

/**
 * The longest text that every match of an RE2 expression holds, or "" where that is not certain. It reads the top level of
 * the expression only: groups, classes and what may be missing end a text, and an alternation leaves nothing certain.
 */
export function requiredLiteral(pattern: string): string {
  let best = "";
  let run = "";
  const end = (): void => {
    if (run.length > best.length) best = run;
    run = "";
  };
  for (let i = 0; i < pattern.length;) {
    const atom = atomAt(pattern, i);
    if (atom === undefined) return "";
    const { text, next } = atom;
    const repeat = /^(?:[*+?]|\{\d+(?:,\d*)?\})[?+]?/.exec(pattern.slice(next))?.[0] ?? "";
    if (text === undefined) end();
    else if (repeat === "") run += text;
    else {
      // Repeated at least once: it is there, but what stands before and behind it need not touch it twice.
      end();
      if (repeat.startsWith("+")) run = text;
      end();
    }
    i = next + repeat.length;
  }
  end();
  return best;
}

/**
 * Texts of which every match of an RE2 expression holds at least one: one per alternative at its top level; none where that
 * is not certain of all of them. Where the expression takes capital and small letters for the same, only texts without
 * letters are certain.
 */
export function requiredLiterals(pattern: string): readonly string[] {
  return literals.of(pattern, () => literalsIn(pattern));
}

/** The patterns of all diagnostics are asked for again with each version that is labelled. */
const literals = new Remembered<readonly string[]>(1000);

function literalsIn(pattern: string): readonly string[] {
  const anyCase = pattern.startsWith("(?i)");
  const found = alternatives(anyCase ? pattern.slice(4) : pattern).map(requiredLiteral);
  const isCertain = (text: string): boolean => text !== "" && !(anyCase && /[^ -@[-`{-~]/.test(text));
  return found.every(isCertain) ? found : [];
}

/** Whether every match of an RE2 expression holds a character beyond ASCII, as far as the beginnings of its alternatives tell. */
export function needsBeyondAscii(pattern: string): boolean {
  const all = alternatives(pattern);
  return all.length > 0 && all.every((alternative) => beyondAscii.test(alternative));
}

/** A class of nothing but scripts without ASCII, which has to be there at least once. */
const beyondAscii =
  /^\[(?:\\p\{(?:Han|Hiragana|Katakana|Hangul|Cyrillic|Arabic|Hebrew|Greek|Thai|Devanagari)\})+\](?:\+|\{[1-9]\d*(?:,\d*)?\}|(?![*?{]))/;

/**
 * An expression that is found wherever another one is, and is shorter: the beginnings of its alternatives, up to a repetition that
 * is counted or a class of Unicode, which can be too large together with others. Undefined where nothing is certain.
 */
export function beginningOf(pattern: string, most: number): string | undefined {
  const flags = /^\(\?[ims]+\)/.exec(pattern)?.[0] ?? "";
  const rest = pattern.slice(flags.length);
  const inner = rest.startsWith("(") && groupAt(rest, 0)?.next === rest.length ? insideOf(rest) : undefined;
  const all = alternatives(inner ?? rest);
  const begun = all.map((alternative) => beginningOfOne(alternative, most));
  return all.length === 0 || begun.includes("") ? undefined : `${flags}(?:${begun.join("|")})`;
}

/** What stands in a group that takes no flags and has no name. */
function insideOf(group: string): string | undefined {
  if (!group.startsWith("(?")) return group.slice(1, -1);
  return group.startsWith("(?:") ? group.slice(3, -1) : undefined;
}

/** At least three characters that stand for themselves, or nothing. */
function beginningOfOne(alternative: string, most: number): string {
  let [end, certain] = [0, 0];
  for (let i = 0; i < alternative.length && i < most;) {
    const atom = atomAt(alternative, i);
    if (atom === undefined) break;
    const repeat = /^[*+?]\??/.exec(alternative.slice(atom.next))?.[0] ?? "";
    const next = atom.next + repeat.length;
    if (alternative[next] === "{" || /\{\d|\\[pP]/.test(alternative.slice(i, next))) break;
    if (atom.text !== undefined && !/^[*?]/.test(repeat)) certain++;
    [i, end] = [next, next];
  }
  return certain < 3 ? "" : alternative.slice(0, end);
}

/** The alternatives at the top level; none where they cannot be told apart. */
function alternatives(pattern: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  for (let i = 0; i < pattern.length;) {
    if (pattern[i] === "|") {
      parts.push(pattern.slice(start, i));
      start = ++i;
      continue;
    }
    const repeat = /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(pattern.slice(i))?.[0] ?? "";
    const next = repeat === "" ? atomAt(pattern, i)?.next : i + repeat.length;
    if (next === undefined) return [];
    i = next;
  }
  return [...parts, pattern.slice(start)];
}

interface Atom {
  /** The text that it stands for; undefined when it stands for several. */
  readonly text: string | undefined;
  readonly next: number;
}

/** One piece of an expression, or undefined where its meaning is not certain here. */
function atomAt(pattern: string, at: number): Atom | undefined {
  const code = pattern.codePointAt(at);
  if (code === undefined) return undefined;
  const character = String.fromCodePoint(code);
  const next = at + character.length;
  switch (character) {
    case "|":
    case ")":
    case "*":
    case "+":
    case "?":
      return undefined;
    case "^":
    case "$":
    case ".":
      return { text: undefined, next };
    case "[":
      return classAt(pattern, at);
    case "(":
      return groupAt(pattern, at);
    case "\\":
      return escapeAt(pattern, next);
    default:
      return { text: character, next };
  }
}

/** A punctuation character stands for itself; letters and digits name classes, anchors and characters by number. */
function escapeAt(pattern: string, at: number): Atom | undefined {
  const character = pattern[at];
  if (character === undefined || character === "Q") return undefined;
  if (/[dDwWsSbBAzC]/.test(character)) return { text: undefined, next: at + 1 };
  return /[!-/:-@[-`{-~]/.test(character) ? { text: character, next: at + 1 } : undefined;
}

/** A class ends at the first bracket that is not its first character, escaped, or of a named class. */
function classAt(pattern: string, at: number): Atom | undefined {
  const found = /^\[\^?\]?(?:\[:\^?\w+:\]|\\[^Q]|[^\]\\])*\]/s.exec(pattern.slice(at));
  return found === null ? undefined : { text: undefined, next: at + found[0].length };
}

/** A group whose inside has no flags; groups and classes may stand in it. */
function groupAt(pattern: string, at: number): Atom | undefined {
  const head = /^\((?:\?:|\?P?<\w+>|(?!\?))/.exec(pattern.slice(at));
  if (head === null) return undefined;
  for (let i = at + head[0].length; i < pattern.length;) {
    const character = pattern[i];
    if (character === ")") return { text: undefined, next: i + 1 };
    if (character === "(" || character === "[") {
      const next = (character === "(" ? groupAt : classAt)(pattern, i)?.next;
      if (next === undefined) return undefined;
      i = next;
    } else if (character === "\\") {
      if (pattern[i + 1] === "Q") return undefined;
      i += 2;
    } else i++;
  }
  return undefined;
}
