import type { Kind } from "./language.ts";

/** A way to ask for an instruction. What it may mean stands first to last as often as it is meant. */
export interface Phrase {
  /** N stands for the number. */
  readonly text: string;
  readonly senses: readonly [Kind, ...Kind[]];
}

const phrase = (text: string, ...senses: readonly [Kind, ...Kind[]]): Phrase => ({ text, senses });

/** Some say one thing only; most could mean several, and only a test tells which. */
export const phrases = [
  phrase("raise every number by N", "add"),
  phrase("shift every number by N", "add", "subtract", "times"),
  phrase("correct every number by N", "subtract", "add"),
  phrase("scale every number by N", "times"),
  phrase("change every number by N", "times", "add", "subtract"),
  phrase("turn every number around", "negate", "reverse"),
  phrase("leave out the odd numbers", "keep even"),
  phrase("leave out every other kind of number, even or odd", "keep odd", "keep even"),
  phrase("keep the numbers on the far side of N", "keep above", "keep below"),
  phrase("limit the numbers by N", "keep below", "keep above", "take"),
  phrase("put the numbers in order", "sort", "reverse"),
  phrase("turn the list around", "reverse"),
  phrase("use N numbers of the list", "take", "drop"),
  phrase("start after N", "drop", "keep above"),
  phrase("make the numbers small", "halve", "negate"),
  phrase("give the total", "sum"),
  phrase("give the top number", "largest", "first"),
  phrase("give the end of the range", "smallest", "largest", "first"),
  phrase("give how many there are", "count"),
] as const satisfies readonly Phrase[];

/** Phrases that end in a number come last. */
const folds: ReadonlySet<Kind> = new Set(["sum", "largest", "smallest", "count", "first"]);
export const isFold = (kind: Kind): boolean => folds.has(kind);
