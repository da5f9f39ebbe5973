import type { Call, Result, Tool } from "./environment.ts";
import type { Item } from "./item.ts";
import type { Value } from "./language.ts";
import { lineText, scopeAt, type SourceFile, type SourceLine, type TestResult } from "./repository.ts";
import { applyRewrite, rewritesOf, type Rewrite } from "./rewrites.ts";

/** How a failing test differs from what was expected. */
export const symptoms = [
  "too small",
  "too large",
  "sign flipped",
  "off by one or two",
  "far off",
  "one instead of another choice",
  "wrong case",
  "wrong text",
  "error",
] as const;

export interface Term {
  readonly text: string;
  readonly from: "title" | "body" | "report";
}

/** A way to change a line: one token of its original text replaced, or the original text again. */
export interface Candidate extends Rewrite {
  /** What the line becomes. */
  readonly tokens: readonly string[];
  readonly text: string;
}

export interface Line {
  readonly index: number;
  readonly line: SourceLine;
  readonly candidates: readonly Candidate[];
}

/** Editable lines by file as shown; files are immutable, so rollouts of one item share those of unedited files. */
const editable = new WeakMap<SourceFile, readonly Line[]>();

function candidate(rewrite: Rewrite, tokens: readonly string[]): Candidate {
  return { ...rewrite, tokens, text: `  ${tokens.join(" ")}` };
}

/** Changes by original line, which every rollout of an item shares. */
const changes = new WeakMap<SourceLine, readonly Candidate[]>();

function changesOf(original: SourceLine, file: SourceFile, index: number): readonly Candidate[] {
  let list = changes.get(original);
  if (list === undefined) {
    list = rewritesOf(original.tokens, scopeAt(file, index)).map((r) =>
      candidate(r, applyRewrite(original.tokens, r)),
    );
    changes.set(original, list);
  }
  return list;
}

/** The changes that a statement may get; an edited one is offered changes of its original, and the original itself. */
function editableLines(file: SourceFile, originals: ReadonlyMap<string, SourceLine>): Line[] {
  return file.lines.flatMap((line, index) => {
    if (line.kind !== "statement") return [];
    const original = originals.get(`${file.name}\n${index}`) ?? line;
    const list = changesOf(original, file, index);
    const at = line.tokens.findIndex((t, i) => t !== original.tokens[i]);
    if (at < 0) return list.length > 0 ? [{ index, line, candidates: list }] : [];
    const back = { at, from: line.tokens[at] ?? "", to: original.tokens[at] ?? "" };
    const others = list.filter((c) => c.text !== lineText(line));
    return [{ index, line, candidates: [...others, candidate(back, original.tokens)] }];
  });
}

/**
 * What one rollout has seen: the issue, and what the tools answered. The policy's encoding is made from this alone, so
 * nothing that no tool has shown can reach it.
 */
export class Memory {
  readonly issueWords: readonly string[];
  readonly fileNames: readonly string[];
  readonly terms: Term[];
  readonly searched = new Set<string>();
  readonly hitFiles = new Map<string, number>();
  readonly lastHits = new Map<string, number>();
  readonly hitOwners = new Set<string>();
  readonly home = new Map<string, string>();
  readonly opened = new Map<string, SourceFile>();
  readonly counts: Record<Tool, number> = {
    search: 0,
    open: 0,
    edit: 0,
    run_tests: 0,
    history: 0,
    submit: 0,
  };
  readonly tried = new Set<string>();
  /** Each edited line before its first edit. */
  readonly originals = new Map<string, SourceLine>();
  readonly editedOwners = new Set<string>();
  readonly editedFiles = new Map<string, number>();
  readonly failing = new Set<string>();
  readonly passing = new Set<string>();
  readonly symptoms = new Set<string>();
  readonly patches = new Map<string, string>();
  current: string | null = null;
  turns = 0;
  streak = 0;
  lastTool: Tool | null = null;
  lastOk = true;
  tested = false;
  failures = 0;
  failuresBefore: number | null = null;
  editsSinceTest = 0;
  lastEdit: { file: string; line: number } | null = null;

  constructor(item: Item, fileNames: readonly string[]) {
    this.issueWords = item.issue.title.split(/[:\s]+/);
    this.fileNames = fileNames;
    this.terms = item.issue.terms.map((text, i) => ({ text, from: i === 0 ? "title" : "body" }));
  }

  /** The editable lines of the open file. */
  get lines(): readonly Line[] {
    const file = this.current === null ? undefined : this.opened.get(this.current);
    if (file === undefined) return [];
    let lines = editable.get(file);
    if (lines === undefined) editable.set(file, (lines = editableLines(file, this.originals)));
    return lines;
  }

  /** Lines of the upstream repair, as far as it was shown, that the files as last seen do not have. */
  pending(file: string): number {
    let count = 0;
    for (const [key, text] of this.patches) {
      const [name, index] = key.split("\n");
      if (name !== file) continue;
      const seen = this.opened.get(name)?.lines[Number(index)];
      if (seen === undefined || lineText(seen) !== text) count++;
    }
    return count;
  }

  observe(call: Call, result: Result): void {
    this.turns++;
    this.streak = this.lastTool === call.tool ? this.streak + 1 : 1;
    this.lastTool = call.tool;
    this.lastOk = result.ok;
    this.counts[call.tool]++;
    if (call.tool === "search" && result.tool === "search") this.observeSearch(call.query, result);
    else if (result.tool === "open") this.observeFile(result.file);
    else if (call.tool === "edit" && result.tool === "edit") this.observeEdit(call, result);
    else if (result.tool === "run_tests") this.observeTests(result.results);
    else if (result.tool === "history" && result.ok)
      for (const p of result.patches) this.patches.set(`${p.file}\n${p.line}`, p.after);
  }

  private observeSearch(query: string, result: Extract<Result, { tool: "search" }>): void {
    this.searched.add(query);
    this.lastHits.clear();
    for (const hit of result.hits) {
      this.lastHits.set(hit.file, (this.lastHits.get(hit.file) ?? 0) + 1);
      this.hitFiles.set(hit.file, (this.hitFiles.get(hit.file) ?? 0) + 1);
      this.hitOwners.add(hit.owner);
      this.home.set(hit.owner, hit.file);
    }
  }

  private observeFile(file: SourceFile): void {
    this.current = file.name;
    this.opened.set(file.name, file);
    for (const line of file.lines) if (line.kind === "header") this.home.set(line.owner, file.name);
  }

  private observeEdit(
    call: Extract<Call, { tool: "edit" }>,
    result: Extract<Result, { tool: "edit" }>,
  ): void {
    const file = call.target === null ? undefined : this.opened.get(call.target.file);
    if (!result.ok || call.target === null || file === undefined) return;
    const { line } = call.target;
    const key = `${file.name}\n${line}`;
    const before = file.lines[line];
    if (before !== undefined && !this.originals.has(key)) this.originals.set(key, before);
    this.tried.add(`${key}\n${result.before}`);
    this.tried.add(`${key}\n${lineText(result.line)}`);
    this.opened.set(file.name, { ...file, lines: file.lines.map((l, i) => (i === line ? result.line : l)) });
    this.editedOwners.add(result.line.owner);
    this.editedFiles.set(file.name, (this.editedFiles.get(file.name) ?? 0) + 1);
    this.editsSinceTest++;
    this.lastEdit = { file: file.name, line };
  }

  private observeTests(results: readonly TestResult[]): void {
    this.failuresBefore = this.tested ? this.failures : null;
    this.tested = true;
    this.editsSinceTest = 0;
    this.failing.clear();
    this.passing.clear();
    this.symptoms.clear();
    for (const r of results) (r.passed ? this.passing : this.failing).add(r.test[0]);
    for (const name of this.failing) this.passing.delete(name);
    const failed = results.filter((r) => !r.passed);
    this.failures = failed.length;
    for (const r of failed) for (const s of readSymptoms(r)) this.symptoms.add(s);
    for (const name of this.failing)
      if (!this.terms.some((t) => t.text === name)) this.terms.push({ text: name, from: "report" });
  }
}

function readNumbers(got: number, expected: number, args: readonly Value[]): string[] {
  const found: string[] = [got < expected ? "too small" : "too large"];
  const gap = Math.abs(got - expected);
  if (got === -expected) found.push("sign flipped");
  if (gap <= 2) found.push("off by one or two");
  if (gap > 20 && (gap > 2 * Math.abs(expected) || gap > 2 * Math.abs(got))) found.push("far off");
  if (args.includes(got)) found.push("one instead of another choice");
  return found;
}

/** What a failing test shows about the mistake. */
function readSymptoms(result: TestResult): string[] {
  const [, args, expected] = result.test;
  if (!("value" in result.outcome)) return ["error"];
  const got = result.outcome.value;
  if (typeof got === "number" && typeof expected === "number") return readNumbers(got, expected, args);
  if (typeof got === "string" && typeof expected === "string")
    return got.toLowerCase() === expected.toLowerCase() ? ["wrong case"] : ["wrong text"];
  return ["wrong text"];
}
