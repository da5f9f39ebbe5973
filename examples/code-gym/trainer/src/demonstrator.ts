import { elementOf } from "../../../gym/src/matrix.ts";
import { demonstration } from "../../../gym/src/demonstration.ts";
import type { Chosen, Decision } from "../../../gym/src/policy.ts";
import type { Random } from "../../../gym/src/random.ts";
import type { Item } from "./item.ts";
import { kinds } from "./language.ts";
import { phrases } from "./phrases.ts";
import { headOf } from "./policy.ts";
import { Programming } from "./programming.ts";
import { toolNames, type Tool } from "./session.ts";

/** How often the demonstrator does the sensible thing. Low on purpose: the rest is for reinforcement learning to find. */
const habits = {
  submitsAtOnce: 0.03,
  stopsEarly: 0.06,
  readsWords: 0.85,
  runs: { careful: 0.85, hasty: 0.04 },
  isCareful: 0.04,
  changes: { careful: 0.8, hasty: 0.35 },
  hardCodes: 0.2,
  changesDoubtful: 0.6,
} as const;

/** What to do once the program is as long as the description. */
function finish({ session }: Programming, random: Random, isCareful: boolean): Tool {
  const manner = isCareful ? "careful" : "hasty";
  if (!session.isFresh) return random.chance(habits.runs[manner]) ? "run" : "submit";
  const failing = session.lastRun?.some((r) => !r.passed) === true;
  if (!failing) return random.chance(0.08) ? "run" : "submit";
  if (random.chance(habits.hardCodes)) return "special";
  if (random.chance(habits.changes[manner])) return random.chance(0.1) ? "undo" : "change";
  return "submit";
}

function nextTool(programming: Programming, random: Random, isCareful: boolean): Tool {
  const { item, program, exchanges } = programming.session;
  if (exchanges.length === 0 && random.chance(habits.submitsAtOnce)) return "submit";
  if (program.instructions.length >= item.phrases.length) return finish(programming, random, isCareful);
  return random.chance(habits.stopsEarly) ? (random.chance(0.5) ? "run" : "submit") : "write";
}

function chooseKind(at: number, { session, tried }: Programming, random: Random): number {
  const wanted = session.item.phrases[at];
  const senses = wanted === undefined ? [] : (phrases[wanted.phrase]?.senses ?? []);
  if (senses.length === 0 || !random.chance(habits.readsWords)) return random.below(kinds.length);
  const untried = senses.filter((kind) => tried[at]?.has(kind) !== true);
  const kind = random.pick<(typeof kinds)[number]>(untried.length > 0 ? untried : senses);
  return kinds.indexOf(kind);
}

function choose(head: number, programming: Programming, chosen: Chosen, random: Random): number {
  const { session } = programming;
  const { instructions } = session.program;
  if (head === headOf.test) {
    const results = session.lastRun ?? [];
    const failing = results.map((r, i) => (r.passed ? -1 : i)).filter((i) => i >= 0);
    return failing.length > 0 ? random.pick(failing) : random.below(results.length);
  }
  if (head === headOf.kind)
    return chooseKind(chosen[headOf.place] ?? instructions.length, programming, random);
  const doubtful = instructions.flatMap((_, at) => {
    const wanted = session.item.phrases[at];
    return wanted !== undefined && elementOf(phrases, wanted.phrase).senses.length > 1 ? [at] : [];
  });
  return doubtful.length > 0 && random.chance(habits.changesDoubtful)
    ? random.pick(doubtful)
    : random.below(instructions.length);
}

/** One scripted rollout as decisions to imitate. */
export function demonstrate(item: Item, random: Random, turnLimit: number): Decision[] {
  const programming = new Programming(item, {
    turnLimit,
    allTests: random.chance(0.3),
    skipErrors: false,
  });
  const isCareful = random.chance(habits.isCareful);
  return demonstration(programming, {
    nextTool: () => toolNames.indexOf(nextTool(programming, random, isCareful)),
    choose: (head, chosen) => choose(head, programming, chosen, random),
  });
}
