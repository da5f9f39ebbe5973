/** Everything that a run reads, as one name: program, harness, items, seed, and the policy that it starts from. */
export function keyOf(env: NodeJS.ProcessEnv, root: string): string;
