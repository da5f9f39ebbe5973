import { remember } from "../../../gym/src/remember.ts";
import {
  lineText,
  Repository,
  type ParsedItem,
  type SourceFile,
  type SourceLine,
  type TestResult,
} from "./repository.ts";

export const toolNames = ["search", "open", "edit", "run_tests", "history", "submit"] as const;
export type Tool = (typeof toolNames)[number];

export type Call =
  | { readonly tool: "search"; readonly query: string }
  | { readonly tool: "open"; readonly file: string }
  | { readonly tool: "edit"; readonly target: EditTarget | null }
  | { readonly tool: "run_tests" | "history" | "submit" };

export interface EditTarget {
  readonly file: string;
  /** Index of the line, from 0. */
  readonly line: number;
  /** What the line becomes. */
  readonly tokens: readonly string[];
}

export interface Hit {
  readonly file: string;
  readonly line: number;
  readonly owner: string;
  readonly text: string;
}

export interface Patch {
  readonly file: string;
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/** What a tool answers. It is all that a policy learns about the repository. */
export type Result =
  | { readonly tool: "search"; readonly ok: true; readonly hits: readonly Hit[] }
  | { readonly tool: "open"; readonly ok: true; readonly file: SourceFile }
  | { readonly tool: "edit"; readonly ok: true; readonly before: string; readonly line: SourceLine }
  | { readonly tool: "edit"; readonly ok: false; readonly why: string }
  | { readonly tool: "run_tests"; readonly ok: true; readonly results: readonly TestResult[] }
  | { readonly tool: "history"; readonly ok: true; readonly patches: readonly Patch[] }
  | { readonly tool: "history"; readonly ok: false; readonly why: string }
  | { readonly tool: "submit"; readonly ok: true };

export interface Exchange {
  readonly call: Call;
  readonly result: Result;
}

export interface EnvironmentSettings {
  readonly turnLimit: number;
  readonly history: "hidden" | "visible";
}

export type StopReason = "success" | "fail" | "partial" | "abandon" | "max_turns" | "echo_trap" | "idle";

/** How a finished rollout is judged, and the raw signals that a reward may be composed of. */
export interface Verdict {
  readonly passed: boolean;
  readonly stop: StopReason;
  readonly components: Readonly<Record<string, number>>;
}

/** A streak of this many calls of one tool that ends in truncation is an echo trap. */
const echoStreak = 8;

/** One rollout's session with one repository. */
export class Session {
  readonly parsed: ParsedItem;
  readonly settings: EnvironmentSettings;
  readonly exchanges: Exchange[] = [];
  private readonly repository: Repository;
  private submitted = false;

  constructor(parsed: ParsedItem, settings: EnvironmentSettings) {
    this.parsed = parsed;
    this.settings = settings;
    this.repository = new Repository(parsed.files);
  }

  get isOver(): boolean {
    return this.submitted || this.exchanges.length >= this.settings.turnLimit;
  }

  step(call: Call): Result {
    const result = this.answer(call);
    this.exchanges.push({ call, result });
    return result;
  }

  private answer(call: Call): Result {
    switch (call.tool) {
      case "search":
        return { tool: "search", ok: true, hits: this.search(call.query) };
      case "open": {
        const file = this.repository.file(call.file);
        return { tool: "open", ok: true, file: file ?? { name: call.file, lines: [] } };
      }
      case "edit":
        return this.edit(call.target);
      case "run_tests":
        return { tool: "run_tests", ok: true, results: this.repository.run(this.parsed.item.visible) };
      case "history":
        return this.history();
      case "submit":
        this.submitted = true;
        return { tool: "submit", ok: true };
    }
  }

  private search(query: string): Hit[] {
    return this.repository.fileNames.flatMap((name) =>
      (this.repository.file(name)?.lines ?? []).flatMap((line, i) =>
        line.kind === "header" && lineText(line).includes(query)
          ? [{ file: name, line: i, owner: line.owner, text: lineText(line) }]
          : [],
      ),
    );
  }

  private edit(target: EditTarget | null): Result {
    if (target === null) return { tool: "edit", ok: false, why: "No file is open; open one first." };
    const before = this.repository.file(target.file)?.lines[target.line];
    const line = this.repository.edit(target.file, target.line, target.tokens);
    if (before === undefined || line === undefined)
      return { tool: "edit", ok: false, why: "There is no statement on that line." };
    return { tool: "edit", ok: true, before: lineText(before), line };
  }

  private history(): Result {
    if (this.settings.history === "hidden")
      return { tool: "history", ok: false, why: "The repository history is not available." };
    return {
      tool: "history",
      ok: true,
      patches: this.parsed.item.fix.map((fix) => {
        const original = this.parsed.files.find((f) => f.name === fix.file)?.lines[fix.line - 1];
        return {
          file: fix.file,
          line: fix.line - 1,
          before: original ? lineText(original) : "",
          after: fix.text,
        };
      }),
    };
  }

  /** Judges the rollout as it stands. What was never submitted counts as nothing done. */
  judge(): Verdict {
    const { item } = this.parsed;
    const edits = this.exchanges.filter((e) => e.result.tool === "edit" && e.result.ok);
    const hidden = share(this.repository.run(item.hidden));
    const before = brokenShare(this.parsed);
    const passed = this.submitted && edits.length > 0 && hidden === 1;
    const counted = this.submitted && edits.length > 0 ? hidden : 0;
    return {
      passed,
      stop: this.stopReason(edits.length, passed, hidden > before),
      components: {
        correctness: counted,
        visible_pass: counted > 0 ? share(this.repository.run(item.visible)) : 0,
        ...this.behaviour(edits),
      },
    };
  }

  private stopReason(edits: number, passed: boolean, improved: boolean): StopReason {
    if (this.submitted) return passed ? "success" : edits === 0 ? "abandon" : improved ? "partial" : "fail";
    if (finalStreak(this.exchanges) >= echoStreak) return "echo_trap";
    return edits === 0 ? "idle" : "max_turns";
  }

  private behaviour(edits: readonly Exchange[]): Record<string, number> {
    const tools = this.exchanges.map((e) => e.call.tool);
    const firstEdit = this.exchanges.findIndex((e) => edits.includes(e));
    const lastEdit = this.exchanges.findLastIndex((e) => edits.includes(e));
    const fixed = new Set(this.parsed.item.fix.map((f) => f.file));
    const right = edits.filter((e) => e.call.tool === "edit" && fixed.has(e.call.target?.file ?? ""));
    const tests = firstEdit < 0 ? 0 : tools.slice(firstEdit).filter((t) => t === "run_tests").length;
    return {
      search_before_edit: edits.length > 0 && tools.slice(0, firstEdit).includes("search") ? 1 : 0,
      edit_then_test: edits.length > 0 && tools.slice(lastEdit).includes("run_tests") ? 1 : 0,
      iterative_debug: Math.min(1, tests / this.settings.turnLimit),
      efficiency: 1 / Math.max(1, tools.length),
      right_file: edits.length > 0 ? right.length / edits.length : 0,
      submitted: this.submitted ? 1 : 0,
    };
  }
}

/** Share of the hidden tests that pass before anything is repaired. */
const brokenShare = remember(({ item, files }: ParsedItem): number =>
  share(new Repository(files).run(item.hidden)),
);

function share(results: readonly TestResult[]): number {
  return results.filter((r) => r.passed).length / results.length;
}

/** Length of the run of one tool at the end of a rollout. */
function finalStreak(exchanges: readonly Exchange[]): number {
  const last = exchanges.at(-1)?.call.tool;
  const other = exchanges.findLastIndex((e) => e.call.tool !== last);
  return exchanges.length - 1 - other;
}
