import { InvalidArgumentError, Option } from "commander";

export function positive(text: string): number {
  const n = Number(text);
  if (!Number.isInteger(n) || n < 1) throw new InvalidArgumentError("Give a whole number of at least 1.");
  return n;
}

export function stepChoice(text: string): "all" | "last" | "best" | number {
  if (text === "all" || text === "last" || text === "best") return text;
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("Give all, last, best, or a training step.");
  return Number(text);
}

/** For an option that may be given several times. */
export const collect = (text: string, before: readonly string[]): readonly string[] => [...before, text];

export function hostNames(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) throw new InvalidArgumentError("Give names separated by commas.");
  return names;
}

export function numbers(text: string): number[] {
  return text.split(",").map(positive);
}

export const splitOption = (): Option =>
  new Option("--split <split>", "which rollouts; by default selection if there are any, else train").choices([
    "train",
    "selection",
  ]);

export function seedNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("Give a whole number from 0 on.");
  return Number(text);
}
