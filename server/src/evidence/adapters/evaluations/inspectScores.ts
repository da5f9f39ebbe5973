import { noVerdict, Refusal, unknown, verdictOf, type Verdict } from "../parts/adapter.ts";
import { at, fieldsAt, isFields, type Fields } from "../parts/untrusted.ts";

export interface InspectScores {
  /** Every value that Inspect turns into a number, by the name of its scorer; parts of a value as `scorer.part`. */
  readonly components: Readonly<Record<string, number>>;
  /** The value of the only scorer when it is one number. */
  readonly reward: number | null;
  readonly verdict: Verdict;
}

interface Leaf {
  readonly name: string;
  readonly value: unknown;
  /** Whether it is all that its scorer said, rather than a part of a dictionary or a list. */
  readonly whole: boolean;
}

/**
 * What the scorers of a sample say. Inspect reports every scorer on its own and has no verdict of a sample, so it is one
 * only where every value is correct or incorrect and all agree. @throws Refusal
 */
export function readScores(scores: Fields): InspectScores {
  const leaves = Object.entries(scores).flatMap(([name, score]) => leavesOf(name, score));
  const components: Record<string, number> = {};
  for (const { name, value } of leaves) {
    const number = numberOf(value);
    if (number !== undefined) components[name] = number;
  }
  const [only] = leaves;
  const reward = leaves.length === 1 && only?.whole === true ? (numberOf(only.value) ?? null) : null;
  return { components, reward, verdict: verdictOfLeaves(leaves) };
}

function leavesOf(name: string, score: unknown): Leaf[] {
  if (!isFields(score)) throw new Refusal(`scores.${name} must be an object`);
  const value = score["value"];
  if (Array.isArray(value))
    return value.map((part: unknown, i) => ({ name: `${name}.${i}`, value: part, whole: false }));
  if (isFields(value))
    return Object.entries(value).map(([key, part]) => ({
      name: `${name}.${key}`,
      value: part,
      whole: false,
    }));
  return [{ name, value, whole: true }];
}

function verdictOfLeaves(leaves: readonly Leaf[]): Verdict {
  if (leaves.length === 0) return noVerdict("the log has no score for this sample");
  // NaN is how Inspect writes that a scorer gave up on a sample.
  const unscored = leaves.find(({ value, whole }) => whole && (value === null || value === undefined));
  if (unscored !== undefined) return unknown(`the scorer ${unscored.name} left the sample unscored`);
  const verdicts = leaves.map(({ value }) => judged(value));
  const open = leaves[verdicts.indexOf(undefined)];
  if (open !== undefined)
    return noVerdict(
      `the score ${open.name} is ${JSON.stringify(open.value).slice(0, 80)}, neither correct nor incorrect`,
    );
  const passed = verdicts[0] === true;
  if (verdicts.every((verdict) => verdict === passed)) return verdictOf(passed);
  const said = leaves.map(({ name, value }) => `${name} ${String(value)}`).join(", ");
  return noVerdict(`the scores disagree (${said.slice(0, 200)}), and Inspect reports each separately`);
}

/** Correct or incorrect; partial credit, no answer and measured numbers are neither. */
function judged(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  return value === "C" ? true : value === "I" ? false : undefined;
}

const floats: Readonly<Record<string, number>> = { C: 1, P: 0.5, I: 0, N: 0 };
const words: Readonly<Record<string, number>> = { yes: 1, true: 1, no: 0, false: 0 };

/** As value_to_float of inspect_ai, src/inspect_ai/scorer/_metric.py. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") return undefined;
  return own(floats, value) ?? own(words, value.toLowerCase());
}

const own = (table: Readonly<Record<string, number>>, key: string): number | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** The scores of a sample, also in logs that had one without its scorer's name. */
export function scoresOf(sample: Fields, log: Fields): Fields {
  const scores = sample["scores"] ?? undefined;
  if (scores !== undefined) {
    if (isFields(scores)) return scores;
    throw new Refusal("scores must be an object");
  }
  const single = sample["score"] ?? undefined;
  if (single === undefined) return {};
  const name = at(fieldsAt(log, "results"), "scores", 0, "name");
  return { [typeof name === "string" && name !== "" ? name : "score"]: single };
}
