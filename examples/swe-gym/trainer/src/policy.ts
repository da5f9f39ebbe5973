import type { Active } from "../../../gym/src/columns.ts";
import { elementOf } from "../../../gym/src/matrix.ts";
import type { NetworkShape } from "../../../gym/src/network.ts";
import type { Chosen } from "../../../gym/src/policy.ts";
import { encodeFile, encodeLine, encodeRewrites, encodeTerm, widths } from "./encoding.ts";
import type { Call, Tool } from "./environment.ts";
import { toolNames } from "./environment.ts";
import type { Line, Memory } from "./memory.ts";

/** The pointer heads, which are numbered from 1 in this order. */
export const pointerNames = ["term", "file", "line", "rewrite"] as const;
export type PointerName = (typeof pointerNames)[number];

export const headOf: Readonly<Record<PointerName, number>> = { term: 1, file: 2, line: 3, rewrite: 4 };

export const policyShape: NetworkShape = {
  input: widths.globals,
  hidden: 96,
  pointer: 48,
  tools: toolNames.length,
  candidates: pointerNames.map((name) => widths[name]),
};

const pointersOf: Readonly<Record<Tool, readonly PointerName[]>> = {
  search: ["term"],
  open: ["file"],
  edit: ["line", "rewrite"],
  run_tests: [],
  history: [],
  submit: [],
};

/** The pointer heads that a tool needs, in order: none for an edit without an open file. */
export const pointersFor = (tool: Tool, memory: Memory): readonly PointerName[] =>
  tool === "edit" && memory.current === null ? [] : pointersOf[tool];

const lineAt = (memory: Memory, chosen: Chosen): Line | undefined => memory.lines[chosen[headOf.line] ?? -1];

/** Encoded candidates of a pointer head; the rewrites depend on the line that was picked. */
export function candidatesOf(head: PointerName, memory: Memory, chosen: Chosen): Active[] {
  switch (head) {
    case "term":
      return memory.terms.map((term, i) => encodeTerm(memory, term, i));
    case "file":
      return memory.fileNames.map((name) => encodeFile(memory, name));
    case "line":
      return memory.lines.map((l, i) => encodeLine(memory, l, i));
    case "rewrite": {
      const line = lineAt(memory, chosen);
      return line === undefined ? [] : encodeRewrites(memory, line);
    }
  }
}

/** The tool call that indices into the candidates stand for. An edit without an open file is a call that fails. */
export function callOf(memory: Memory, chosen: Chosen): Call {
  const tool = elementOf(toolNames, chosen[0] ?? -1);
  switch (tool) {
    case "search":
      return { tool, query: memory.terms[chosen[headOf.term] ?? 0]?.text ?? "" };
    case "open":
      return { tool, file: memory.fileNames[chosen[headOf.file] ?? 0] ?? "" };
    case "edit": {
      const line = lineAt(memory, chosen);
      const rewrite = line?.candidates[chosen[headOf.rewrite] ?? 0];
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
