/** What an evolution can do instead of one more change of the same kind, after several failures in a row. */
export const procedureSteps = [
  "subtract",
  "another-factor",
  "another-parent",
  "roll-back",
  "revise-diagnostic",
] as const;
export type ProcedureStep = (typeof procedureSteps)[number];
