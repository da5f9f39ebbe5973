import { valueOf } from "./expression.ts";
import type { Source, Working } from "./working.ts";

/** Something that may be written between the answer tags. */
export interface AnswerCandidate {
  readonly value: string;
  readonly source: Source;
  /** Of a neighbour: which of the four it is. */
  readonly slip?: number;
}

/** Numbers one and ten beside a number; lists with two neighbours exchanged. */
function neighboursOf(working: Working): string[] {
  const { state, item } = working;
  if (item.kind === "arithmetic") {
    const { expression } = state;
    if (typeof expression !== "number") return [];
    return [1, -1, 10, -10].map((by) => `${expression + by}`);
  }
  const list = [...state.taken, ...state.left];
  return [0, 1, 2, 3].flatMap((at) => {
    const [here, next] = [list[at], list[at + 1]];
    if (here === undefined || next === undefined) return [];
    return [list.map((n, i) => (i === at ? next : i === at + 1 ? here : n)).join(" ")];
  });
}

/** A number of the question, as somebody answers who does no working. */
function fromQuestion({ item, state }: Working): string {
  if (item.numbers !== undefined) return item.numbers.join(" ");
  const numbers = item.expression?.match(/\d+/g) ?? [];
  return numbers.at(-1) ?? `${valueOf(state.expression)}`;
}

/** What may be answered in this state: what the working came to comes first. */
export function answersOf(working: Working): readonly AnswerCandidate[] {
  const last = working.steps.at(-1)?.step;
  const latest = last?.kind === "compute" ? `${last.result.value}` : undefined;
  const outcome = working.isDone || working.item.kind === "sorting" ? working.outcome : latest;
  const candidates: AnswerCandidate[] = [
    ...(outcome === undefined ? [] : [{ value: outcome, source: "working" as const }]),
    { value: fromQuestion(working), source: "question" },
    ...neighboursOf(working).map((value, slip) => ({ value, source: "neighbour" as const, slip })),
    ...(working.settings.retrieval ? [{ value: working.item.answer, source: "example" as const }] : []),
  ];
  return candidates;
}
