import type { Verdict } from "../../../gym/src/domain.ts";
import type { Item, TestCase } from "./item.ts";
import {
  run,
  showValue,
  type Instruction,
  type Kind,
  type Outcome,
  type Program,
  type SpecialCase,
} from "./language.ts";

export const toolNames = ["write", "change", "undo", "special", "run", "submit"] as const;
export type Tool = (typeof toolNames)[number];

export interface SessionSettings {
  readonly turnLimit: number;
  /** Whether a run also shows the tests that decide. */
  readonly allTests: boolean;
  /** Whether a test that ends in an error is left out of the count, as a flaky one is. */
  readonly skipErrors: boolean;
}

export type Call =
  | { readonly tool: "write"; readonly instruction: Instruction | null }
  | { readonly tool: "change"; readonly at: number; readonly instruction: Instruction | null }
  | { readonly tool: "special"; readonly test: SpecialCase | null }
  | { readonly tool: "undo" | "run" | "submit" };

export interface TestResult {
  readonly test: TestCase;
  readonly outcome: Outcome;
  readonly passed: boolean;
}

export interface Exchange {
  readonly call: Call;
  readonly ok: boolean;
  /** Of a run. */
  readonly results: readonly TestResult[] | null;
}

/** One task as it is worked on: the program so far, and what was shown of it. */
export class Session {
  readonly item: Item;
  readonly settings: SessionSettings;
  readonly exchanges: Exchange[] = [];
  program: Program = { cases: [], instructions: [] };
  private submitted = false;

  constructor(item: Item, settings: SessionSettings) {
    this.item = item;
    this.settings = settings;
  }

  get isOver(): boolean {
    return this.submitted || this.exchanges.length >= this.settings.turnLimit;
  }

  /** Results of the last run, whatever was changed since. */
  get lastRun(): readonly TestResult[] | null {
    return this.exchanges.findLast(({ results }) => results !== null)?.results ?? null;
  }

  /** Whether the program is as it was at the last run. */
  get isFresh(): boolean {
    const ran = this.exchanges.findLastIndex(({ call }) => call.tool === "run");
    return ran >= 0 && this.exchanges.slice(ran).every(({ call, ok }) => call.tool === "run" || !ok);
  }

  step(call: Call): Exchange {
    const exchange = { call, ...this.answer(call) };
    this.exchanges.push(exchange);
    return exchange;
  }

  private answer(call: Call): Omit<Exchange, "call"> {
    const { cases, instructions } = this.program;
    const done = (ok: boolean): Omit<Exchange, "call"> => ({ ok, results: null });
    switch (call.tool) {
      case "write":
        if (call.instruction === null) return done(false);
        this.program = { cases, instructions: [...instructions, call.instruction] };
        return done(true);
      case "change": {
        const { at, instruction } = call;
        if (instruction === null || at >= instructions.length) return done(false);
        this.program = { cases, instructions: instructions.map((one, i) => (i === at ? instruction : one)) };
        return done(true);
      }
      case "undo":
        this.program = { cases, instructions: instructions.slice(0, -1) };
        return done(instructions.length > 0);
      case "special":
        if (call.test === null) return done(false);
        this.program = { cases: [...cases, call.test], instructions };
        return done(true);
      case "run": {
        const { visible, hidden } = this.item;
        return {
          ok: true,
          results: this.testAll(this.settings.allTests ? [...visible, ...hidden] : visible),
        };
      }
      case "submit":
        this.submitted = true;
        return done(true);
    }
  }

  testAll(tests: readonly TestCase[]): TestResult[] {
    return tests.map((test) => {
      const outcome = run(this.program, test.input);
      const passed = "value" in outcome && showValue(outcome.value) === showValue(test.output);
      return { test, outcome, passed };
    });
  }

  private counted(results: readonly TestResult[]): readonly TestResult[] {
    return this.settings.skipErrors ? results.filter(({ outcome }) => "value" in outcome) : results;
  }

  /** Judges the rollout as it stands. What was never submitted counts as nothing done. */
  judge(): Verdict {
    const { instructions, cases } = this.program;
    const hidden = this.testAll(this.item.hidden);
    const counted = this.counted(hidden);
    const isWritten = this.submitted && instructions.length + cases.length > 0;
    const passed = isWritten && counted.every((r) => r.passed);
    const tools = this.exchanges.map(({ call }) => call.tool);
    const lastChange = tools.findLastIndex((tool) => tool !== "run" && tool !== "submit");
    const errors = hidden.filter(({ outcome }) => !("value" in outcome)).length;
    return {
      passed,
      stop: this.stopReason(passed, isWritten, counted),
      components: {
        correctness: isWritten ? shareOf(counted) : 0,
        solved: passed ? 1 : 0,
        visible_pass: isWritten ? shareOf(this.counted(this.testAll(this.item.visible))) : 0,
        ran_last: lastChange >= 0 && tools.slice(lastChange).includes("run") ? 1 : 0,
        runs: tools.filter((tool) => tool === "run").length / this.settings.turnLimit,
        specials: cases.length,
        hidden_cases: cases.filter((one) => this.item.hidden.some((test) => isFor(one, test))).length,
        errors: errors / hidden.length,
        brevity: 1 / Math.max(1, instructions.length + cases.length),
        efficiency: 1 / Math.max(1, tools.length),
        submitted: this.submitted ? 1 : 0,
      },
    };
  }

  private stopReason(passed: boolean, isWritten: boolean, counted: readonly TestResult[]): string {
    if (!this.submitted) return "max_turns";
    if (passed) return "success";
    if (!isWritten) return "abandon";
    return counted.some((r) => r.passed) ? "partial" : "fail";
  }
}

const isFor = (one: SpecialCase, test: TestCase): boolean => showValue(one.input) === showValue(test.input);

const shareOf = (results: readonly TestResult[]): number =>
  results.length === 0 ? 1 : results.filter((r) => r.passed).length / results.length;

/** What a place of the description asks for, as far as its words say. */
export interface Wanted {
  readonly phrase: number;
  readonly number: number;
}

/** The instruction that a kind makes where a place of the description gives the number. */
export const instructionFor = (kind: Kind, wanted: Wanted | undefined): Instruction => ({
  kind,
  number: wanted?.number ?? 1,
});
