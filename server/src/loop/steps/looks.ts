import type { SeedNoise, Tested, TestingRules } from "../../decision/testing/testing.ts";
import type { LoopPorts } from "../ports.ts";
import type { LoopState } from "../state.ts";
import type { Tests } from "../tests.ts";

/** The seeds that a version was trained with. */
export const seedsOfVersion = async (ports: Pick<LoopPorts, "trained">, version: string): Promise<number[]> =>
  (await ports.trained(version)).map(({ seed }) => seed);

/** What was measured of a version with some of its seeds. */
export async function testedOf(
  ports: Pick<LoopPorts, "outcomes">,
  name: string,
  seeds: readonly number[],
): Promise<Tested> {
  return { name, outcomes: await ports.outcomes(name, seeds) };
}

/** The noise between seeds, pooled over all versions on the baseline that have several. */
export async function noiseOf(
  { baseline }: Pick<LoopState, "baseline">,
  rules: TestingRules,
  { ports, tests }: { readonly ports: LoopPorts; readonly tests: Tests },
): Promise<SeedNoise> {
  const versions: Tested[] = [];
  if (baseline !== null)
    for (const name of await ports.replicated(baseline))
      versions.push(await testedOf(ports, name, await seedsOfVersion(ports, name)));
  return tests.seedNoise(versions, rules.metric);
}
