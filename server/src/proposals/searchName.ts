/** The name of the proposer that is always there. */
export const searchName = "search";
/** Who proposed what the ledger names nobody for: earlier releases had one proposer, and did not write its name. */
export const unnamedProposer = "catalogue";
