import type { Turn } from "../../../../shared/model/rollout.ts";
import type { Call, EditTarget, Exchange, Result } from "./environment.ts";
import type { Item } from "./item.ts";
import type { Value } from "./language.ts";
import type { Decision } from "../../../gym/src/policy.ts";
import { lineText, type TestResult } from "./repository.ts";

const show = (value: Value): string => (typeof value === "string" ? JSON.stringify(value) : String(value));

function callArguments(call: Call): Record<string, unknown> {
  switch (call.tool) {
    case "search":
      return { query: call.query };
    case "open":
      return { file: call.file };
    case "edit":
      return call.target === null ? {} : editArguments(call.target);
    case "history":
      return { command: "git log -p -1" };
    case "run_tests":
    case "submit":
      return {};
  }
}

function editArguments({ file, line, tokens }: EditTarget): Record<string, unknown> {
  return { file, line: line + 1, text: tokens.join(" ") };
}

function renderCall(call: Call): string {
  switch (call.tool) {
    case "search":
      return `search ${show(call.query)}`;
    case "open":
      return `open ${call.file}`;
    case "edit":
      if (call.target === null) return "edit (nothing is open)";
      return `edit ${call.target.file}:${call.target.line + 1}  ${call.target.tokens.join(" ")}`;
    case "history":
      return "git log -p -1";
    case "run_tests":
    case "submit":
      return call.tool;
  }
}

function renderTest({ test: [name, args, expected], outcome, passed }: TestResult): string {
  const call = `${name}(${args.map(show).join(", ")})`;
  if (passed) return `PASS ${call}`;
  const got = "value" in outcome ? show(outcome.value) : `an error: ${outcome.error}`;
  return `FAIL ${call}: expected ${show(expected)}, got ${got}`;
}

function renderHistory(result: Extract<Result, { tool: "history"; ok: true }>, item: Item): string {
  const { commit, author, message } = item.upstream;
  const hunks = result.patches.flatMap((p) => [
    `diff --git a/${p.file} b/${p.file}`,
    `--- a/${p.file}`,
    `+++ b/${p.file}`,
    `@@ -${p.line + 1} +${p.line + 1} @@`,
    `-${p.before}`,
    `+${p.after}`,
  ]);
  return [`commit ${commit}`, `Author: ${author}`, "", `    ${message}`, "", ...hunks].join("\n");
}

function renderResult(result: Result, item: Item): string {
  if (!result.ok) return result.why;
  switch (result.tool) {
    case "search":
      if (result.hits.length === 0) return "No match.";
      return result.hits.map((h) => `${h.file}:${h.line + 1}: ${h.text}`).join("\n");
    case "open":
      return result.file.lines.map((l, i) => `${String(i + 1).padStart(3)}  ${lineText(l)}`).join("\n");
    case "edit":
      return `- ${result.before.trim()}\n+ ${lineText(result.line).trim()}`;
    case "run_tests": {
      const passed = result.results.filter((r) => r.passed).length;
      return [...result.results.map(renderTest), `${passed} of ${result.results.length} passed`].join("\n");
    }
    case "history":
      return renderHistory(result, item);
    case "submit":
      return "Submitted.";
  }
}

/** The rollout as a person reads it: the issue, then each call and its answer. */
export function renderTurns(
  item: Item,
  exchanges: readonly Exchange[],
  decisions: readonly Decision[],
): Turn[] {
  const files = item.files.map((f) => f.name).join(", ");
  const issue = `Issue: ${item.issue.title}\n${item.issue.body}\nFiles: ${files}`;
  const turns: Turn[] = [{ role: "user", text: issue }];
  exchanges.forEach(({ call, result }, i) => {
    turns.push({
      role: "assistant",
      text: renderCall(call),
      tool: call.tool,
      args: callArguments(call),
      ok: result.ok,
      tokens: decisions[i]?.picks.length ?? 0,
    });
    turns.push({ role: "tool", text: renderResult(result, item) });
  });
  return turns;
}
