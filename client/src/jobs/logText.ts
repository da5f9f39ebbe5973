import { replaceUnseen } from "../../../shared/words/unseen.ts";

/**
 * What a job prints, for a terminal: it may colour its text and do nothing else. No sequence moves the cursor, sets a
 * title, writes to the clipboard, asks the terminal, makes a link or hides text; what is taken out is shown as signs.
 */

/** Controls without a meaning for a log; the escape of a colour is cut out before. */
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
const colour = /\u001b\[([0-9;:]{0,64})m/g;
/** The beginning of a colour at the end of a piece. */
const begun = /\u001b(?:\[[0-9;:]{0,64})?$/;

const reset = "\u001b[0m";

/** Makes pieces of a log, in their order, into what a terminal is given. */
export class LogText {
  #held = "";
  #coloured = false;
  /** The last piece ended with a carriage return: a line feed that follows belongs to it. */
  #returned = false;

  push(piece: string): string {
    let text = this.#held + piece;
    this.#held = begun.exec(text)?.[0] ?? "";
    text = text.slice(0, text.length - this.#held.length);
    return this.#clean(text);
  }

  /** The rest, with the colours back as they were. */
  end(): string {
    const rest = this.#clean(this.#held);
    this.#held = "";
    const back = this.#coloured ? reset : "";
    this.#coloured = false;
    return rest + back;
  }

  #clean(text: string): string {
    let made = "";
    let from = 0;
    for (const match of text.matchAll(colour)) {
      made += this.#plain(text.slice(from, match.index));
      const kept = keptColours(match[1] ?? "");
      if (kept !== undefined) {
        made += `\u001b[${kept}m`;
        this.#coloured = kept !== "0";
      }
      from = match.index + match[0].length;
    }
    return made + this.#plain(text.slice(from));
  }

  #plain(text: string): string {
    if (text === "") return "";
    // A progress bar returns to the start of its line: here each state of it is a line of its own.
    const lines = (this.#returned && text.startsWith("\n") ? text.slice(1) : text).replace(
      /\r\n|\r|\n/g,
      "\r\n",
    );
    this.#returned = text.endsWith("\r");
    return replaceUnseen(lines.replace(controls, sign), (c) =>
      c === "\r" || c === "\n" || c === "\t" ? c : code(c),
    );
  }
}

const sign = (c: string): string => String.fromCodePoint(c === "\u007f" ? 0x2421 : 0x2400 + c.charCodeAt(0));
const code = (c: string): string =>
  `⟨U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** The parameters of a colour without those that hide text or blink; undefined when nothing is left. */
function keptColours(parameters: string): string | undefined {
  const given = parameters.split(/[;:]/).map((p) => (p === "" ? 0 : Number(p)));
  const kept: number[] = [];
  for (let i = 0; i < given.length; i++) {
    const p = given[i] ?? 0;
    if (p === 38 || p === 48) {
      const length = given[i + 1] === 5 ? 3 : given[i + 1] === 2 ? 5 : 0;
      const whole = given.slice(i, i + length);
      if (length === 0 || whole.length < length || whole.some((value) => value > 255)) return undefined;
      kept.push(...whole);
      i += length - 1;
    } else if (isPlainColour(p)) kept.push(p);
  }
  return kept.length === 0 ? undefined : kept.join(";");
}

/** Bold, faint, italic, underlined, reversed, struck, and colours of the theme. */
const isPlainColour = (p: number): boolean =>
  p <= 4 ||
  p === 7 ||
  p === 9 ||
  (p >= 21 && p <= 24) ||
  p === 27 ||
  p === 29 ||
  (p >= 30 && p <= 37) ||
  p === 39 ||
  (p >= 40 && p <= 47) ||
  p === 49 ||
  (p >= 90 && p <= 97) ||
  (p >= 100 && p <= 107);
