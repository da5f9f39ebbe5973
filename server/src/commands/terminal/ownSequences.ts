import { randomBytes } from "node:crypto";
import { inBlock, inLine } from "../../base/plainText.ts";

/**
 * Colours and movements that the command line itself gives a terminal. Until it writes, they are marks in the text, and
 * a mark has a word that is drawn at each start: no text of others can hold it.
 */
const word = randomBytes(12).toString("hex");
const mark = new RegExp(`\ufdd0${word}:([0-9a-f]*)\ufdd1`, "g");

/** An escape sequence of our own, as a mark. */
export const ownSequence = (sequence: string): string =>
  `\ufdd0${word}:${Buffer.from(sequence).toString("hex")}\ufdd1`;

/** What a terminal, a file or a pipe is given of a text: our own sequences, and everything else as text. */
export const forTerminal = (text: string): string =>
  aroundMarks(text, inBlock, (hex) => Buffer.from(hex, "hex").toString());

/** The text in a line, with our own sequences kept as marks. */
export const cellText = (text: string): string =>
  aroundMarks(text, inLine, (hex) => ownSequence(Buffer.from(hex, "hex").toString()));

/** The text without our own sequences, for its width. */
export const withoutOwn = (text: string): string => text.replace(mark, "");

const aroundMarks = (text: string, theirs: (part: string) => string, ours: (hex: string) => string): string =>
  text
    .split(mark)
    .map((part, i) => (i % 2 === 0 ? theirs(part) : ours(part)))
    .join("");
