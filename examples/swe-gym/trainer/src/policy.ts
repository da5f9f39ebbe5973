import type { Call, Tool } from "./environment.ts";
import { toolNames } from "./environment.ts";
import { encodeFile, encodeLine, encodeRewrite, encodeTerm, widths, type Active } from "./encoding.ts";
import type { Line, Memory } from "./memory.ts";
import { pointerNames, type HeadName, type NetworkShape, type PointerName } from "./network.ts";

export const policyShape: NetworkShape = {
  input: widths.globals,
  hidden: 96,
  pointer: 48,
  tools: toolNames.length,
  candidates: { term: widths.term, file: widths.file, line: widths.line, rewrite: widths.rewrite },
};

/** One sampled choice: among which candidates, which one, and with what log-probability. */
export interface Pick {
  readonly head: HeadName;
  /** Encoded candidates; empty for the tool head. */
  readonly candidates: readonly Active[];
  readonly chosen: number;
  readonly logp: number;
}

/** One turn of a rollout as the trainer needs it: the encoded state and the choices made in it. */
export interface Decision {
  readonly state: Active;
  readonly picks: readonly Pick[];
}

/** The pointer heads that a tool needs, in order. */
export const headsOf: Readonly<Record<Tool, readonly PointerName[]>> = {
  search: ["term"],
  open: ["file"],
  edit: ["line", "rewrite"],
  run_tests: [],
  history: [],
  submit: [],
};

/** Encoded candidates of a pointer head; the rewrites depend on the line that was picked. */
export function candidatesOf(head: PointerName, memory: Memory, line: Line | undefined): Active[] {
  switch (head) {
    case "term":
      return memory.terms.map((term, i) => encodeTerm(memory, term, i));
    case "file":
      return memory.fileNames.map((name) => encodeFile(memory, name));
    case "line":
      return memory.lines.map((l, i) => encodeLine(memory, l, i));
    case "rewrite":
      return line === undefined ? [] : line.candidates.map((r) => encodeRewrite(memory, line, r));
  }
}

/** The tool call that indices into the candidates stand for. An edit without an open file is a call that fails. */
export function callOf(tool: Tool, memory: Memory, chosen: Partial<Record<PointerName, number>>): Call {
  switch (tool) {
    case "search":
      return { tool, query: memory.terms[chosen.term ?? 0]?.text ?? "" };
    case "open":
      return { tool, file: memory.fileNames[chosen.file ?? 0] ?? "" };
    case "edit": {
      const line = memory.lines[chosen.line ?? 0];
      const rewrite = line?.candidates[chosen.rewrite ?? 0];
      if (memory.current === null || line === undefined || rewrite === undefined)
        return { tool, target: null };
      return { tool, target: { file: memory.current, line: line.index, tokens: rewrite.tokens } };
    }
    case "run_tests":
    case "history":
    case "submit":
      return { tool };
  }
}

export function isPointer(head: HeadName): head is PointerName {
  return pointerNames.some((p) => p === head);
}
