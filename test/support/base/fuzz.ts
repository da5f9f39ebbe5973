/** Runs per property of a fuzz test: bounded in CI, longer by hand with EVOTRAINER_FUZZ_RUNS. */
export function fuzzRuns(usual = 200): number {
  const asked = Number(process.env["EVOTRAINER_FUZZ_RUNS"] ?? NaN);
  return Number.isInteger(asked) && asked > 0 ? asked : usual;
}

/** In CI the seed is always the same, so a failure comes from the change; by hand each run has another seed. */
export function fuzzSeed(usual: number): { readonly seed?: number } {
  return process.env["EVOTRAINER_FUZZ_RUNS"] === undefined ? { seed: usual } : {};
}
