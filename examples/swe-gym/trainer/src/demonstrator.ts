import { demonstration } from "../../../gym/src/demonstration.ts";
import { elementOf } from "../../../gym/src/matrix.ts";
import type { Decision } from "../../../gym/src/policy.ts";
import type { Random } from "../../../gym/src/random.ts";
import { toolNames, type Tool } from "./environment.ts";
import type { Line, Memory } from "./memory.ts";
import { headOf, pointerNames, type PointerName } from "./policy.ts";
import { Repair } from "./repair.ts";
import { lineText, type ParsedItem } from "./repository.ts";

/** How often the demonstrator does the sensible thing. Low on purpose: the rest is for reinforcement learning to find. */
const habits = {
  submitsAtOnce: 0.04,
  asksHistory: 0.07,
  followsHistory: 0.3,
  searchesFirst: 0.75,
  opensHit: 0.8,
  findsLine: 0.95,
  findsRewrite: 0.92,
  takesBack: 0.5,
  isCareful: 0.03,
} as const;

/** A careful demonstrator tests its edits and goes on when they fail; a hasty one submits what it has. */
const careful = {
  testsBeforeEdit: 0.3,
  testsAfterEdit: 0.9,
  editsAgainUntested: 0.1,
  testsAgain: 0.1,
  editsAgain: 0.9,
};
const hasty = {
  testsBeforeEdit: 0.05,
  testsAfterEdit: 0.01,
  editsAgainUntested: 0.15,
  testsAgain: 0.2,
  editsAgain: 0.3,
};
type Manner = typeof careful;

function rightRewrite(parsed: ParsedItem, memory: Memory, line: Line): number {
  const fix = parsed.item.fix.find((f) => f.file === memory.current && f.line === line.index + 1);
  if (fix === undefined) return -1;
  return line.candidates.findIndex((c) => lineText({ ...line.line, tokens: c.tokens }) === fix.text);
}

/** What to do before anything was edited. */
function explore(memory: Memory, random: Random, manner: Manner): Tool {
  const { counts } = memory;
  if (memory.turns === 0 && random.chance(habits.submitsAtOnce)) return "submit";
  if (counts.history === 0 && random.chance(habits.asksHistory)) return "history";
  if (counts.search === 0 && counts.open === 0 && random.chance(habits.searchesFirst)) return "search";
  if (memory.current === null) return random.chance(0.06) ? "edit" : random.chance(0.1) ? "search" : "open";
  if (random.chance(0.1)) return "open";
  return !memory.tested && random.chance(manner.testsBeforeEdit) ? "run_tests" : "edit";
}

/** What to do once something was edited. */
function finish(memory: Memory, random: Random, manner: Manner): Tool {
  if (memory.counts.history === 0 && random.chance(habits.asksHistory)) return "history";
  if (memory.editsSinceTest > 0 || !memory.tested) {
    if (random.chance(manner.testsAfterEdit)) return "run_tests";
    return random.chance(manner.editsAgainUntested) ? "edit" : "submit";
  }
  if (memory.failures === 0) return random.chance(0.1) ? "run_tests" : "submit";
  if (random.chance(manner.testsAgain)) return random.chance(0.5) ? "run_tests" : "search";
  if (random.chance(manner.editsAgain)) return random.chance(0.2) ? "open" : "edit";
  return "submit";
}

/** The last edited line, if the last tests were no better than those before it; -1 to go on elsewhere. */
function takesBack(memory: Memory, random: Random): number {
  const { lastEdit } = memory;
  if (lastEdit === null || lastEdit.file !== memory.current || !memory.tested || memory.editsSinceTest > 0)
    return -1;
  if (memory.failuresBefore !== null && memory.failures < memory.failuresBefore) return -1;
  return random.chance(habits.takesBack) ? memory.lines.findIndex((l) => l.index === lastEdit.line) : -1;
}

function chooseCandidate(
  head: PointerName,
  parsed: ParsedItem,
  memory: Memory,
  line: Line | undefined,
  random: Random,
): number {
  switch (head) {
    case "term":
      return random.below(memory.terms.length);
    case "file": {
      const hits = memory.fileNames.map((n, i) => (memory.lastHits.has(n) ? i : -1)).filter((i) => i >= 0);
      return hits.length > 0 && random.chance(habits.opensHit)
        ? random.pick(hits)
        : random.below(memory.fileNames.length);
    }
    case "line": {
      const last = takesBack(memory, random);
      if (last >= 0) return last;
      const seen = memory.patches.size > 0 && random.chance(habits.followsHistory);
      const right = memory.lines
        .map((l, i) => (rightRewrite(parsed, memory, l) >= 0 ? i : -1))
        .filter((i) => i >= 0);
      if (right.length > 0 && (seen || random.chance(habits.findsLine))) return random.pick(right);
      return random.below(memory.lines.length);
    }
    case "rewrite": {
      if (line === undefined) return 0;
      const original = memory.originals.get(`${memory.current ?? ""}\n${line.index}`);
      const back = line.candidates.findIndex((c) => original !== undefined && c.tokens === original.tokens);
      if (back >= 0 && random.chance(habits.takesBack)) return back;
      const right = rightRewrite(parsed, memory, line);
      const seen = memory.patches.size > 0 && random.chance(habits.followsHistory);
      return right >= 0 && (seen || random.chance(habits.findsRewrite))
        ? right
        : random.below(line.candidates.length);
    }
  }
}

/** One scripted rollout as decisions to imitate. It knows the repair, and mostly acts as if it did not. */
export function demonstrate(parsed: ParsedItem, random: Random, turnLimit: number): Decision[] {
  const repair = new Repair(parsed, { turnLimit, history: random.chance(0.5) ? "visible" : "hidden" });
  const { memory } = repair;
  const manner = random.chance(habits.isCareful) ? careful : hasty;
  return demonstration(repair, {
    nextTool: () => toolNames.indexOf((memory.lastEdit === null ? explore : finish)(memory, random, manner)),
    choose: (head, chosen) =>
      chooseCandidate(
        elementOf(pointerNames, head - 1),
        parsed,
        memory,
        memory.lines[chosen[headOf.line] ?? -1],
        random,
      ),
  });
}
