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

/**
 * A whole number of 64 bits, or none. The engine raises on overflow, and its TRY neither takes a subquery nor spares the
 * other rows inside a CASE; numbers of 128 bits hold every result of two of 64. Where the cast stood bare, the engine would
 * compare the 128 bits with a constant instead, and what overflows would have an answer.
 */
export function whole(sign: string, a: string, b: string): string {
  const divisor = sign === "//" || sign === "%" ? `nullif((${b})::HUGEINT, 0)` : `(${b})::HUGEINT`;
  return `coalesce(TRY_CAST((${a})::HUGEINT ${sign} ${divisor} AS BIGINT), NULL)`;
}
