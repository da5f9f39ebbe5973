import type { ProcedureQuestion } from "../decision/gates/questionProcedure.ts";

/** What the ledger tells of the procedure so far. */
export type ProcedureHistory = Pick<
  ProcedureQuestion,
  "failuresInARow" | "failed" | "stack" | "otherParents" | "below" | "taken"
>;
