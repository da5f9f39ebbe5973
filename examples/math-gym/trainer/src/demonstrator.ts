import { elementOf } from "../../../gym/src/matrix.ts";
import { demonstration } from "../../../gym/src/demonstration.ts";
import type { Chosen, Decision } from "../../../gym/src/policy.ts";
import type { Random } from "../../../gym/src/random.ts";
import { answersOf } from "./answers.ts";
import { compute } from "./expression.ts";
import type { Item } from "./item.ts";
import { headOf } from "./policy.ts";
import { Solving } from "./solving.ts";
import { toolNames, type Tool, type Working } from "./working.ts";

/** How often the demonstrator does the sensible thing. Low on purpose: the rest is for reinforcement learning to find. */
const habits = {
  answersAtOnce: 0.06,
  thinks: 0.12,
  findsResult: 0.7,
  findsSmallest: 0.75,
  forgetsTag: 0.08,
  answersWorking: 0.85,
  answersAgain: 0.1,
  usesExample: 0.4,
  isCareful: 0.04,
  checks: { careful: 0.85, hasty: 0.03 },
  takesBack: 0.8,
} as const;

/** What to write once there is an answer. */
function afterAnswer({ lines }: Working, random: Random): Tool {
  const isWrong = lines.at(-1)?.reply === "The answer is wrong.";
  return random.chance(isWrong ? 0.5 : habits.answersAgain / 2) ? "open" : "stop";
}

/** What to write while the problem is worked on. */
function work(working: Working, random: Random, isCareful: boolean): Tool {
  const last = working.lines.at(-1);
  if (last === undefined && random.chance(habits.answersAtOnce)) return "open";
  const disagrees = last?.call.tool === "check" && !last.ok && working.steps.length > 0;
  if (disagrees && random.chance(habits.takesBack)) return "undo";
  const checks = isCareful ? habits.checks.careful : habits.checks.hasty;
  if (last?.call.tool === "step" && random.chance(checks)) return "check";
  if (random.chance(habits.thinks)) return "think";
  if (!working.isDone) return "step";
  if (!random.chance(habits.forgetsTag)) return "open";
  return random.chance(0.5) ? "answer" : "stop";
}

/** What to write next. */
function nextTool({ working: of }: Solving, random: Random, isCareful: boolean): Tool {
  if (of.isOpen) return of.answers.at(-1)?.closed === false ? "close" : "answer";
  return of.answers.length > 0 ? afterAnswer(of, random) : work(of, random, isCareful);
}

function choose(head: number, solving: Solving, chosen: Chosen, random: Random): number {
  const { working } = solving;
  const { left } = working.state;
  if (head === headOf.answer) {
    const answers = answersOf(working);
    const example = answers.findIndex(({ source }) => source === "example");
    if (example >= 0 && random.chance(habits.usesExample)) return example;
    return random.chance(habits.answersWorking) ? 0 : random.below(answers.length);
  }
  if (head === headOf.place) {
    if (working.item.kind === "arithmetic") return random.below(working.places.length);
    return random.chance(habits.findsSmallest) ? left.indexOf(Math.min(...left)) : random.below(left.length);
  }
  const place = elementOf(working.places, chosen[headOf.place] ?? 0);
  const results = working.results(place);
  const right = compute(place.operator, place.left, place.right);
  return random.chance(habits.findsResult)
    ? results.findIndex(({ value }) => value === right)
    : random.below(results.length);
}

/** One scripted rollout as decisions to imitate. It knows the results, and often writes others. */
export function demonstrate(item: Item, random: Random, turnLimit: number): Decision[] {
  const solving = new Solving(item, {
    turnLimit,
    retrieval: random.chance(0.3),
    verdict: random.chance(0.3),
  });
  const isCareful = random.chance(habits.isCareful);
  return demonstration(solving, {
    nextTool: () => toolNames.indexOf(nextTool(solving, random, isCareful)),
    choose: (head, chosen) => choose(head, solving, chosen, random),
  });
}
