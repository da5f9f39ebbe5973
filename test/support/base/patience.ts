/**
 * For tests: how often its usual time a wait may take before it has failed. `npm test` sets it, because a machine that does
 * much else is slow; one that waits for nothing is ended by it all the same.
 */
export const patience = Number(process.env["EVOTRAINER_PATIENCE"] ?? 1);
