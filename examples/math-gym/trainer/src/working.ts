import { remember } from "../../../gym/src/remember.ts";
import type { Verdict } from "../../../gym/src/domain.ts";
import {
  compute,
  parseExpression,
  placesIn,
  replaced,
  show,
  type Expression,
  type Place,
} from "./expression.ts";
import type { Item } from "./item.ts";
import { resultsOf, type Result } from "./results.ts";

export const toolNames = ["step", "check", "undo", "think", "open", "answer", "close", "stop"] as const;
export type Tool = (typeof toolNames)[number];

export interface WorkSettings {
  readonly turnLimit: number;
  /** Whether the prompt shows the most similar solved problem; the store of solved problems holds this one too. */
  readonly retrieval: boolean;
  /** Whether the grader's word on a closed answer is shown. */
  readonly verdict: boolean;
}

export type Call =
  | { readonly tool: "step"; readonly step: Step | null }
  | { readonly tool: "answer"; readonly value: string; readonly source: Source }
  | { readonly tool: Exclude<Tool, "step" | "answer"> };

export type Step =
  | { readonly kind: "compute"; readonly place: Place; readonly result: Result }
  | { readonly kind: "take"; readonly number: number };

/** Where a written answer comes from. */
export type Source = "working" | "question" | "neighbour" | "example";

export interface Line {
  readonly call: Call;
  readonly ok: boolean;
  /** What was answered to a check or a closed answer; null where nothing answers. */
  readonly reply: string | null;
}

interface State {
  /** Of arithmetic. */
  readonly expression: Expression;
  /** Of sorting: what was taken, and what is left. */
  readonly taken: readonly number[];
  readonly left: readonly number[];
}

/** One problem as it is worked on: the lines written so far, and where they lead. */
export class Working {
  readonly item: Item;
  readonly settings: WorkSettings;
  readonly lines: Line[] = [];
  state: State;
  readonly steps: { readonly step: Step; readonly before: State; readonly right: boolean }[] = [];
  readonly answers: { readonly value: string; readonly closed: boolean; readonly source: Source }[] = [];
  isOpen = false;
  private stopped = false;

  constructor(item: Item, settings: WorkSettings) {
    this.item = item;
    this.settings = settings;
    this.state = {
      expression: item.expression === undefined ? 0 : parseExpression(item.expression),
      taken: [],
      left: item.numbers ?? [],
    };
  }

  get isOver(): boolean {
    return this.stopped || this.lines.length >= this.settings.turnLimit;
  }

  get places(): readonly Place[] {
    return this.item.kind === "arithmetic" ? placesIn(this.state.expression) : [];
  }

  get isDone(): boolean {
    return this.item.kind === "arithmetic"
      ? typeof this.state.expression === "number"
      : this.state.left.length === 0;
  }

  /** What the working has come to, as it would be answered. */
  get outcome(): string {
    const { expression, taken, left } = this.state;
    return this.item.kind === "arithmetic" ? show(expression) : [...taken, ...left].join(" ");
  }

  write(call: Call): Line {
    const line = { call, ...this.answer(call) };
    this.lines.push(line);
    return line;
  }

  private answer(call: Call): { ok: boolean; reply: string | null } {
    switch (call.tool) {
      case "step":
        return this.step(call.step);
      case "check":
        return this.check();
      case "undo": {
        const last = this.steps.pop();
        if (last !== undefined) this.state = last.before;
        return { ok: last !== undefined, reply: null };
      }
      case "open":
        this.isOpen = true;
        return { ok: true, reply: null };
      case "answer":
        this.answers.push({ value: call.value, closed: false, source: call.source });
        return { ok: this.isOpen, reply: null };
      case "close":
        return this.close();
      case "stop":
        this.stopped = true;
        return { ok: true, reply: null };
      case "think":
        return { ok: true, reply: null };
    }
  }

  private step(step: Step | null): { ok: boolean; reply: string | null } {
    if (step === null) return { ok: false, reply: null };
    const before = this.state;
    if (step.kind === "compute") {
      const { place, result } = step;
      const right = compute(place.operator, place.left, place.right) === result.value;
      this.steps.push({ step, before, right });
      this.state = { ...before, expression: replaced(before.expression, place.path, result.value) };
    } else {
      const right = step.number === Math.min(...before.left);
      this.steps.push({ step, before, right });
      this.state = {
        ...before,
        taken: [...before.taken, step.number],
        left: before.left.filter((n) => n !== step.number),
      };
    }
    return { ok: true, reply: null };
  }

  /** Compares last digits, or what is left with what was taken: a slip by tens is not seen. */
  private check(): { ok: boolean; reply: string | null } {
    const last = this.steps.at(-1);
    if (last === undefined) return { ok: false, reply: "There is no step to check." };
    const { step, before } = last;
    if (step.kind === "take") {
      const smaller = before.left.find((n) => n < step.number);
      const reply =
        smaller === undefined ? "Nothing smaller was left." : `${smaller} is smaller and was left.`;
      return { ok: smaller === undefined, reply };
    }
    const { place, result } = step;
    const right = compute(place.operator, place.left, place.right);
    const holds = lastDigit(right) === lastDigit(result.value) && right < 0 === result.value < 0;
    const should = `${place.left} ${place.operator} ${place.right} ends in ${lastDigit(right)}${right < 0 ? " and is negative" : ""}`;
    return { ok: holds, reply: `${should}: ${holds ? "it agrees." : "it does not agree."}` };
  }

  private close(): { ok: boolean; reply: string | null } {
    const last = this.answers.pop();
    const closes = this.isOpen && last !== undefined && !last.closed;
    if (last !== undefined) this.answers.push({ ...last, closed: last.closed || closes });
    this.isOpen = false;
    if (!closes || !this.settings.verdict) return { ok: closes, reply: null };
    return {
      ok: true,
      reply: last.value === this.item.answer ? "The answer is right." : "The answer is wrong.",
    };
  }

  /** Which results the operation of a place may be given, the right one among them, in an order that says nothing. */
  results(place: Place): readonly Result[] {
    const known = resultsByItem(this.item);
    const key = `${place.left} ${place.operator} ${place.right}`;
    let results = known.get(key);
    if (results === undefined) known.set(key, (results = resultsOf(this.item.id, place)));
    return results;
  }

  /** Judges the text as it stands: the last answer counts, if it is well formed. */
  judge(): Verdict {
    const last = this.answers.at(-1);
    const formed = last?.closed === true;
    const passed = formed && this.stopped && last.value === this.item.answer;
    const tools = this.lines.map(({ call }) => call.tool);
    const lastStep = tools.lastIndexOf("step");
    const steps = this.steps.length;
    return {
      passed,
      stop: passed ? "success" : this.stopped ? (formed ? "fail" : "no_answer") : "max_turns",
      components: {
        correctness: passed ? 1 : 0,
        format: formed && this.answers.length === 1 ? 1 : 0,
        closeness: last === undefined ? 0 : closeness(last.value, this.item.answer),
        steps_right: steps === 0 ? 0 : this.steps.filter(({ right }) => right).length / steps,
        steps_shown: Math.min(1, steps / this.settings.turnLimit),
        checked: lastStep >= 0 && tools.slice(lastStep).includes("check") ? 1 : 0,
        length: this.lines.length / this.settings.turnLimit,
        efficiency: 1 / Math.max(1, this.lines.length),
        stopped: this.stopped ? 1 : 0,
      },
    };
  }
}

/** What was drawn before: all rollouts of an item ask for the same results. */
const resultsByItem = remember((_item: Item) => new Map<string, readonly Result[]>());

const lastDigit = (value: number): number => Math.abs(value) % 10;

/** Share of the words or digits of the right answer that stand at the same place. */
function closeness(given: string, right: string): number {
  const parts = (text: string): string[] => text.split(text.includes(" ") ? " " : "");
  const [mine, theirs] = [parts(given), parts(right)];
  const longest = Math.max(mine.length, theirs.length);
  return theirs.filter((part, i) => mine[i] === part).length / longest;
}
