import type { FunctionDefinition } from "./functionDefinition.ts";

const x = { name: "x", type: "double" } as const;
const y = { name: "y", type: "double" } as const;

export const numberFunctions: readonly FunctionDefinition[] = [
  {
    name: "abs",
    parameters: [x],
    returns: "double",
    doc: "The number without its sign.",
    sql: ([a = ""]) => `abs(${a})`,
    run: ([a]) => Math.abs(Number(a)),
  },
  {
    name: "min",
    parameters: [x, y],
    returns: "double",
    doc: "The smaller of two numbers.",
    sql: ([a = "", b = ""]) => `(CASE WHEN ${a} <= ${b} THEN ${a} WHEN ${a} > ${b} THEN ${b} END)`,
    run: ([a, b]) => (Number(a) <= Number(b) ? Number(a) : Number(b)),
  },
  {
    name: "max",
    parameters: [x, y],
    returns: "double",
    doc: "The larger of two numbers.",
    sql: ([a = "", b = ""]) => `(CASE WHEN ${a} >= ${b} THEN ${a} WHEN ${a} < ${b} THEN ${b} END)`,
    run: ([a, b]) => (Number(a) >= Number(b) ? Number(a) : Number(b)),
  },
];
