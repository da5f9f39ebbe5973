/**
 * For tests: the factor by which waits may take longer than usual before they fail. `npm test` sets it, because a busy
 * machine is slow; a wait for something that never happens still ends.
 */
export const patience = Number(process.env["EVOTRAINER_PATIENCE"] ?? 1);
