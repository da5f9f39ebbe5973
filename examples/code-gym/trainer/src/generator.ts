import { Random, seedOf } from "../../../gym/src/random.ts";
import type { Item, TestCase } from "./item.ts";
import { run, showValue, type Instruction, type Kind, type Program } from "./language.ts";
import { isFold, phrases, type Phrase } from "./phrases.ts";

/** How long the programs and their inputs are. */
export interface Setting {
  readonly instructions: readonly [number, number];
  readonly inputs: readonly [number, number];
  readonly largest: number;
}

/** What the policy is trained and selected on. */
export const usual: Setting = { instructions: [3, 5], inputs: [4, 7], largest: 20 };
/** The same tasks with longer programs over longer lists of larger numbers. */
export const shifted: Setting = { instructions: [5, 7], inputs: [7, 10], largest: 60 };

const counts = { visible: 3, hidden: 8 } as const;

interface Drawn {
  readonly phrase: Phrase;
  readonly number: number;
  readonly kind: Kind;
}

function drawPart(random: Random, isLast: boolean): Drawn {
  const fitting = phrases.filter(({ senses: [first] }) => isLast || !isFold(first));
  const phrase: Phrase = random.pick(fitting);
  const [usually, ...others] = phrase.senses;
  const kind = others.length > 0 && random.chance(0.45) ? random.pick(others) : usually;
  return { phrase, number: random.between(2, 6), kind };
}

function drawInput(random: Random, { inputs, largest }: Setting): number[] {
  return Array.from({ length: random.between(...inputs) }, () => random.between(1, largest));
}

/** Whether some other reading of the words gives the same on all inputs: then no test could tell them apart. */
function isDoubtful(
  drawn: readonly Drawn[],
  program: Program,
  inputs: readonly (readonly number[])[],
): boolean {
  return drawn.some(({ phrase }, at) =>
    phrase.senses.some((kind) => {
      const { instructions } = program;
      if (instructions[at]?.kind === kind) return false;
      const other = instructions.map((one, i) => (i === at ? { ...one, kind } : one));
      return inputs.every(
        (input) => outcomeOf({ cases: [], instructions: other }, input) === outcomeOf(program, input),
      );
    }),
  );
}

const outcomeOf = (program: Program, input: readonly number[]): string => {
  const outcome = run(program, input);
  return "value" in outcome ? showValue(outcome.value) : outcome.error;
};

function testsOf(program: Program, inputs: readonly (readonly number[])[]): TestCase[] {
  return inputs.flatMap((input) => {
    const outcome = run(program, input);
    if (!("value" in outcome)) return [];
    const { value } = outcome;
    return [{ input: [...input], output: typeof value === "number" ? value : [...value] }];
  });
}

const sentence = (parts: readonly string[]): string => {
  const text =
    parts.length === 1 ? parts.join("") : `${parts.slice(0, -1).join(", ")}, then ${parts.at(-1) ?? ""}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
};

/** The task of a seed. */
export function generateItem(seed: number, id: string, setting: Setting): Item {
  const random = new Random(seedOf("code", seed));
  for (;;) {
    const length = random.between(...setting.instructions);
    const drawn = Array.from({ length }, (_, i) => drawPart(random, i === length - 1));
    const instructions = drawn.map(({ kind, number }): Instruction => ({ kind, number }));
    const program: Program = { cases: [], instructions };
    const inputs = Array.from({ length: counts.visible + counts.hidden }, () => drawInput(random, setting));
    const tests = testsOf(program, inputs);
    const outputs = new Set(tests.map(({ output }) => showValue(output)));
    const visible = inputs.slice(0, counts.visible);
    if (tests.length < inputs.length || outputs.size < 4 || isDoubtful(drawn, program, visible)) continue;
    const [low, high] = setting.instructions;
    return {
      id,
      difficulty: (length - low) / (high - low),
      description: sentence(drawn.map(({ phrase, number }) => phrase.text.replace("N", `${number}`))),
      phrases: drawn.map(({ phrase, number }) => ({
        phrase: phrases.findIndex((p) => p === phrase),
        number,
      })),
      program: instructions,
      visible: tests.slice(0, counts.visible),
      hidden: tests.slice(counts.visible),
    };
  }
}
