import { remember } from "../../../gym/src/remember.ts";
import { callFunction, tokenize, type Outcome, type SourceFunction, type Value } from "./language.ts";
import type { Item, TestCase } from "./item.ts";
import { isVariable } from "./rewrites.ts";

/** A line of a file: its text as tokens, and the function it belongs to ("" for blank lines). */
export interface SourceLine {
  readonly kind: "comment" | "header" | "statement" | "blank";
  readonly owner: string;
  readonly tokens: readonly string[];
}

export interface SourceFile {
  readonly name: string;
  readonly lines: readonly SourceLine[];
}

export interface TestResult {
  readonly test: TestCase;
  readonly outcome: Outcome;
  readonly passed: boolean;
}

function parseFile(name: string, text: string): SourceFile {
  const raw = text.split("\n");
  const owners = raw.map((line) => /^fn (\w+)/.exec(line)?.[1]);
  return {
    name,
    lines: raw.map((line, i) => {
      if (line.startsWith("#"))
        return { kind: "comment", owner: owners[i + 1] ?? "", tokens: tokenize(line) };
      const header = owners[i];
      if (header !== undefined) return { kind: "header", owner: header, tokens: tokenize(line) };
      if (line.trim() === "") return { kind: "blank", owner: "", tokens: [] };
      const owner = owners.slice(0, i).findLast((o) => o !== undefined) ?? "";
      return { kind: "statement", owner, tokens: tokenize(line) };
    }),
  };
}

/** Text of a line as a person reads it. */
export const lineText = remember(
  (line: SourceLine): string => (line.kind === "statement" ? "  " : "") + line.tokens.join(" "),
);

const parametersOf = remember((header: SourceLine): readonly string[] => {
  const inside = /\(([^)]*)\)/.exec(header.tokens.join(" "))?.[1] ?? "";
  return inside.split(",").map((p) => p.trim());
});

/** Names that a statement may use: the parameters and the lets before it. */
export function scopeAt(file: SourceFile, index: number): string[] {
  const owner = file.lines[index]?.owner;
  const scope: string[] = [];
  file.lines.slice(0, index).forEach((line) => {
    if (line.owner !== owner) return;
    if (line.kind === "header") scope.push(...parametersOf(line));
    const bound = line.kind === "statement" && line.tokens[0] === "let" ? line.tokens[1] : undefined;
    if (bound !== undefined && isVariable(bound)) scope.push(bound);
  });
  return scope;
}

function functionOf(file: SourceFile, header: SourceLine): SourceFunction {
  const body = file.lines.filter((l) => l.kind === "statement" && l.owner === header.owner);
  return { name: header.owner, parameters: parametersOf(header), body: body.map((l) => l.tokens) };
}

const functionsOf = remember((file: SourceFile): readonly SourceFunction[] =>
  file.lines.filter((l) => l.kind === "header").map((header) => functionOf(file, header)),
);

function sameValue(outcome: Outcome, expected: Value): boolean {
  return "value" in outcome && outcome.value === expected;
}

/** The parsed files of an item; parsing is done once per item and shared by its rollouts. */
export interface ParsedItem {
  readonly id: string;
  readonly difficulty: number;
  readonly item: Item;
  readonly files: readonly SourceFile[];
}

export function parseItem(item: Item): ParsedItem {
  return {
    id: item.id,
    difficulty: item.difficulty,
    item,
    files: item.files.map((f) => parseFile(f.name, f.text)),
  };
}

/** The working copy of one rollout. */
export class Repository {
  private readonly files: SourceFile[];
  private readonly functions: Map<string, SourceFunction>;

  constructor(files: readonly SourceFile[]) {
    this.files = [...files];
    this.functions = new Map(files.flatMap(functionsOf).map((f) => [f.name, f]));
  }

  get fileNames(): string[] {
    return this.files.map((f) => f.name);
  }

  file(name: string): SourceFile | undefined {
    return this.files.find((f) => f.name === name);
  }

  /** Replaces a statement; answers the new line, or undefined when there is no statement there. */
  edit(name: string, index: number, tokens: readonly string[]): SourceLine | undefined {
    const at = this.files.findIndex((f) => f.name === name);
    const file = this.files[at];
    const line = file?.lines[index];
    if (file === undefined || line?.kind !== "statement") return undefined;
    const edited = { ...line, tokens };
    const changed = { ...file, lines: file.lines.map((l, i) => (i === index ? edited : l)) };
    this.files[at] = changed;
    const header = file.lines.find((l) => l.kind === "header" && l.owner === line.owner);
    if (header) this.functions.set(line.owner, functionOf(changed, header));
    return edited;
  }

  run(tests: readonly TestCase[]): TestResult[] {
    return tests.map((test) => {
      const [name, args, expected] = test;
      const fn = this.functions.get(name);
      const outcome: Outcome = fn ? callFunction(fn, args) : { error: `no function ${name}` };
      return { test, outcome, passed: sameValue(outcome, expected) };
    });
  }
}
