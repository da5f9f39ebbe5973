import type { Rollout } from "./rollout.ts";

/** What is read of a turn here. */
interface ReadTurn {
  readonly role: string;
  readonly text: string;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
}

/** How many turns of a rollout a reader is sent to. */
export const mostNamed = 3;

/**
 * The turns of a rollout that a reader should look at first, at most three, in the order of the rollout: of each label the first
 * turn that shows it, then of each the last, then of each the one in the middle. Labels are given the most severe first.
 */
export function namedTurns(labels: readonly { readonly turns: readonly number[] }[]): number[] {
  const found = new Set<number>();
  const places = [0, -1, 0.5];
  for (const place of places)
    for (const { turns } of labels) {
      const at = place < 0 ? turns.length - 1 : Math.floor(place * turns.length);
      const turn = turns[at];
      if (turn !== undefined && found.size < mostNamed) found.add(turn);
    }
  return [...found].sort((a, b) => a - b);
}

/**
 * The turns of the policy, at most three, in the order of the rollout, that bring in the most numbers that no turn before them
 * held; of two that bring as many, the earlier. A mistake that decides a failure is often a value that nobody looked up.
 * docs/diagnostics.md says how often people's decisive step is among them, beside chance.
 */
export function turnsWithNewNumbers(turns: readonly ReadTurn[]): number[] {
  const seen = new Set<string>();
  const brought = turns.map(({ role, text, args }, index) => {
    const before = seen.size;
    const whole = args === undefined ? text : `${text} ${JSON.stringify(args)}`;
    for (const [fromNumber, letters = ""] of whole.toLowerCase().matchAll(numbered))
      seen.add(letters + fromNumber);
    return { index, role, numbers: seen.size - before };
  });
  return brought
    .filter(({ role }) => role === "assistant")
    .sort((a, b) => b.numbers - a.numbers || a.index - b.index)
    .slice(0, mostNamed)
    .map(({ index }) => index)
    .sort((a, b) => a - b);
}

/**
 * Where a reader of a rollout should begin: at the turns that show its labels (the most severe label first), or else, in a failure
 * of which no label names a turn, at those that bring in the most numbers, unless that would be all of the policy's turns.
 */
export function turnsToRead(
  { outcome, turns }: Pick<Rollout, "outcome"> & { readonly turns: readonly ReadTurn[] },
  labels: readonly { readonly turns: readonly number[] }[],
): { readonly shownBy: "labels" | "numbers"; readonly turns: number[] } {
  const named = namedTurns(labels);
  const ofPolicy = turns.filter(({ role }) => role === "assistant").length;
  return named.length > 0 || outcome !== "fail" || ofPolicy <= mostNamed
    ? { shownBy: "labels", turns: named }
    : { shownBy: "numbers", turns: turnsWithNewNumbers(turns) };
}

/** A word that holds a number, from the number on, and the letters before it: text has fewer numbers to look at than words. */
const numbered = /\p{N}(?<=(\p{L}*)\p{N})[\p{L}\p{N}]*/gu;

const severities: readonly string[] = ["critical", "warning", "info"];

/** Labels, the most severe first; those that are no longer a diagnostic of the project come last. */
export function mostSevereFirst<T extends { readonly label: string }>(
  labels: readonly T[],
  diagnostics: readonly { readonly name: string; readonly severity: string }[],
): T[] {
  const found = new Map(diagnostics.map(({ name, severity }) => [name, severities.indexOf(severity)]));
  const rank = ({ label }: T): number => found.get(label) ?? severities.length;
  return labels.toSorted((a, b) => rank(a) - rank(b));
}

export interface ReadFirst {
  readonly turns: readonly number[];
  readonly because: string;
}

/** Where a reader of a shown rollout should begin, and the reason in words; undefined where nothing tells one turn from another. */
export function readFirst(shown: {
  readonly rollout: Parameters<typeof turnsToRead>[0];
  readonly labels: readonly { readonly label: string; readonly turns: readonly number[] }[];
  readonly diagnostics: readonly { readonly name: string; readonly severity: string }[];
}): ReadFirst | undefined {
  const { turns, shownBy } = turnsToRead(shown.rollout, mostSevereFirst(shown.labels, shown.diagnostics));
  return turns.length === 0 ? undefined : { turns, because: reasons[shownBy](turns.length) };
}

/** How a turn is marked for who reads on: only one can be first. Undefined of a turn that is none of those to read. */
export function readMark({ turns }: Pick<ReadFirst, "turns">, turn: number): string | undefined {
  const place = turns.indexOf(turn);
  return place < 0 ? undefined : place === 0 ? "read this turn first" : "then this one";
}

const reasons = {
  labels: (turns: number) => (turns === 1 ? "it shows a label" : "they show its labels"),
  numbers: (turns: number) =>
    `no label names a turn; ${turns === 1 ? "this one has" : "these have"} the most numbers that no earlier turn has`,
};
