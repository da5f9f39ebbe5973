import { counted } from "../../../../shared/words/numbers.ts";
import type { Project } from "../../project/project.ts";
import { testingRules } from "../../decision/testing/rules.ts";
import type { LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";
import type { Tests } from "../tests.ts";
import { noiseOf, seedsOfVersion, testedOf } from "./looks.ts";

/**
 * Looks at each candidate on its first seed. What does not look better is decided by that; what an invalidating label
 * quarantines is not trained further either.
 */
export async function screen(
  state: LoopState,
  project: Project,
  { ports, tests }: { readonly ports: LoopPorts; readonly tests: Tests },
): Promise<Candidate[]> {
  const screened: Candidate[] = [];
  for (const candidate of state.candidates)
    screened.push(await screenOne(state, candidate, { project, ports, tests }));
  return screened;
}

async function screenOne(
  state: LoopState,
  candidate: Candidate,
  { project, ports, tests }: { readonly project: Project; readonly ports: LoopPorts; readonly tests: Tests },
): Promise<Candidate> {
  const { version, parent, pruned, job, seeds } = candidate;
  if (pruned !== null || parent === null || job === null || job.failure !== null) return candidate;
  // What cannot be compared is decided by that.
  const on = await ports.measuredOn(version, "train");
  if ((await ports.whyNotComparable(version, parent, on)) !== null) return candidate;
  const rules = testingRules(project.spec, state.planned);
  const parentSeeds = await seedsOfVersion(ports, parent);
  const looked =
    candidate.without !== null
      ? { verdict: "screened" as const, comparison: null, reason: withoutGain(candidate.without) }
      : tests.screen({
          candidate: await testedOf(ports, version, seeds),
          parent: await testedOf(ports, parent, parentSeeds),
          noise: await noiseOf(state, rules, { ports, tests }),
          rules,
        });
  const quarantined = looked.verdict === "screened" ? await quarantineOf(version, project, ports) : null;
  const { comparison } = looked;
  const verdict = quarantined === null ? looked.verdict : "reject";
  const reason = quarantined ?? looked.reason;
  await ports.appendToLedger([
    {
      id: `screening:${version}:s${seeds.join("-")}`,
      at: ports.now(),
      domain: state.domain,
      type: "screening",
      ...{ version, seeds, comparison, verdict, reason },
    },
  ]);
  ports.emit({ type: "screened", version, seeds, verdict, reason });
  return { ...candidate, look: { verdict, reason, comparison, parentSeeds } };
}

/** A version that takes an edit out need not be better: it is trained on all seeds, and then it is told what it lost. */
export const withoutGain = (without: string): string =>
  `It takes the edit of ${without} out, so it need not be better: all seeds together show whether anything is lost.`;

/** Why a version is not worth another seed whatever it scored; null where no label invalidates it. */
async function quarantineOf(version: string, project: Project, ports: LoopPorts): Promise<string | null> {
  const { labels } = await ports.diagnose(version, project);
  const found = labels.filter((l) => l.invalidates && l.labelled > 0);
  if (found.length === 0) return null;
  const shares = found.map((l) => `${l.name} in ${l.labelled} of ${counted(l.rollouts, "rollout")}`);
  return `It is not trained on further seeds, because it is quarantined for ${shares.join(", ")}.`;
}
