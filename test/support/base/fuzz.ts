/** Runs per property of a fuzz test: bounded in CI, longer by hand with EVOTRAINER_FUZZ_RUNS. */
export function fuzzRuns(usual = 200): number {
  const asked = Number(process.env["EVOTRAINER_FUZZ_RUNS"] ?? NaN);
  return Number.isInteger(asked) && asked > 0 ? asked : usual;
}

/** The same seed each time in CI, so that a run says something about the change; another one each time by hand. */
export function fuzzSeed(usual: number): { readonly seed?: number } {
  return process.env["EVOTRAINER_FUZZ_RUNS"] === undefined ? { seed: usual } : {};
}
