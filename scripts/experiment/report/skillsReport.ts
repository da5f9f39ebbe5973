import type { DomainName, Plan } from "../plan.ts";
import { bounds, percent, points, table } from "./cells.ts";
import { median, medianInterval, trainingsUntil } from "./reach.ts";
import type { CellResult } from "../result.ts";
import { contrastOf, harnessScore, margin, progressOf } from "./summary.ts";
import { mean } from "../trainings.ts";

/** Trainings until a search had kept a version with a score, with and without the skills of other domains; null where it never had. */
export interface WithAndWithout {
  readonly seed: number;
  readonly without: number | null;
  readonly withSkills: number | null;
}

/** What is asked of the plan of skills in one domain. */
export interface SkillsAsked {
  readonly name: string;
  /** A score on selection that no search of the plan has a part in. */
  readonly score: number;
  readonly all: readonly WithAndWithout[];
}

/**
 * The two scores that docs/experiment-plan.md asks for: half of the way from the baseline to the human reference, and the human
 * reference less the margin, both as the headline run measured them on the selection split. Empty where it has not.
 */
export function skillsAsked(
  domain: DomainName,
  {
    headline,
    results,
  }: { readonly headline: readonly CellResult[]; readonly results: readonly CellResult[] },
): SkillsAsked[] {
  const selection = (arm: string): number[] =>
    headline.filter((one) => one.arm === arm && one.domain === domain).map(({ chosen }) => chosen.selection);
  const [baseline, human] = [selection("baseline"), selection("human")];
  if (baseline.length === 0 || human.length === 0) return [];
  const of = (arm: string, seed: number): CellResult | undefined =>
    results.find((one) => one.arm === arm && one.domain === domain && one.seed === seed);
  const asked = [
    { name: "half of the way to the human reference", score: (mean(baseline) + mean(human)) / 2 },
    { name: "the human reference", score: mean(human) - margin },
  ];
  const seeds = [...new Set(results.map(({ seed }) => seed))].sort((a, b) => a - b);
  return asked.map(({ name, score }) => ({
    ...{ name, score },
    all: seeds.flatMap((seed) => {
      const [plain, own] = [of("evotrainer", seed), of("with-skills", seed)];
      if (plain === undefined || own === undefined) return [];
      return [{ seed, without: trainingsUntil(plain, score), withSkills: trainingsUntil(own, score) }];
    }),
  }));
}

/** The differences in trainings, seed by seed; a search that never got there counts as if it had needed one more than there are. */
export const differences = (
  all: readonly WithAndWithout[],
  { trainings }: Pick<Plan, "trainings">,
): number[] =>
  all.map(({ without, withSkills }) => (withSkills ?? trainings + 1) - (without ?? trainings + 1));

const signed = (value: number): string =>
  value === 0 ? "0" : `${value > 0 ? "+" : "−"}${String(Math.abs(value))}`;
const times = (trainings: number | null): string => (trainings === null ? "never" : String(trainings));

/** The section on skills of other domains: all of it once every cell is here, and until then how many are. */
export function skillsReport(
  plan: Plan,
  {
    headline,
    results,
  }: { readonly headline: readonly CellResult[]; readonly results: readonly CellResult[] },
): string[] {
  const { done, cells } = progressOf(plan, results);
  const head = [
    "## Skills of other domains",
    `The plan \`${plan.name}\` asks whether the skills of the other domains make a search sooner. ${done} of its ${cells} cells have been run.`,
  ];
  if (done < cells) return head;
  return [
    ...head,
    ...plan.domains.flatMap((domain) =>
      ofDomain(plan, domain, { headline, results: results.filter((one) => one.domain === domain) }),
    ),
  ];
}

function ofDomain(
  plan: Plan,
  domain: DomainName,
  of: { readonly headline: readonly CellResult[]; readonly results: readonly CellResult[] },
): string[] {
  const asked = skillsAsked(domain, of);
  const searches = of.results.filter(({ arm }) => arm === "with-skills");
  const counts = searches.flatMap(({ skills = [] }) => skills);
  const used = counts.filter((one) => one.used > 0);
  const sum = (what: "used" | "cameTrue" | "refuted" | "insideNoise"): number =>
    used.reduce((total, one) => total + one[what], 0);
  return [
    `### ${domain}`,
    ...asked.map((one) => askedText(one, plan)),
    table(
      [
        "seed",
        ...asked.flatMap(({ name }) => [`${name}, without`, "with"]),
        "harness, audit, without",
        "with",
      ],
      plan.seeds.map((seed) => [
        String(seed),
        ...asked.flatMap(({ all }) => {
          const own = all.find((one) => one.seed === seed);
          return [times(own?.without ?? null), times(own?.withSkills ?? null)];
        }),
        ...(["evotrainer", "with-skills"] as const).map((arm) => {
          const result = of.results.find((one) => one.arm === arm && one.seed === seed);
          return percent(harnessScore(result, "audit"));
        }),
      ]),
    ),
    ...(["audit", "shifted"] as const).map((split) => scoreText(of.results, split)),
    `The searches were given ${searches[0]?.skills?.length ?? 0} skills. They used them ${sum("used")} times: ${sum("cameTrue")} came true, ${sum("refuted")} were refuted, ${sum("insideNoise")} were inside the noise, and ${sum("used") - sum("cameTrue") - sum("refuted") - sum("insideNoise")} have no outcome.`,
  ];
}

function askedText({ name, score, all }: SkillsAsked, plan: Plan): string {
  const found = differences(all, plan);
  const { low, high, confidence } = medianInterval(found);
  const verdict = high < 0 ? "sooner" : low > 0 ? "later" : "neither sooner nor later, as far as can be told";
  return `To ${name} (a kept version with ${percent(score)} % on selection), the searches with skills needed in the median ${signed(median(found) ?? 0)} trainings (${(100 * confidence).toFixed(0)} % interval ${signed(low)} to ${signed(high)}): ${verdict}.`;
}

function scoreText(results: readonly CellResult[], split: "audit" | "shifted"): string {
  const of = (arm: string): CellResult[] => results.filter((one) => one.arm === arm);
  const found = contrastOf(of("with-skills"), of("evotrainer"), { of: "harness", split, confidence: 0.95 });
  return found === null
    ? `On the ${split} split there are too few seeds.`
    : `With skills, the harness scores ${points(found.difference)} points ${bounds(found)} on the ${split} split.`;
}
