import type { DomainName } from "../plan.ts";
import { bounds, percent, points, table } from "./cells.ts";
import type { CellResult } from "../result.ts";
import { together, type Difference } from "./statistics.ts";
import { contrastOf, harnessScore, progressOf, summarise, type OtherRun } from "./summary.ts";

/** The same searches with the same seeds, run without the last two mends of the loop and with them. */
export interface Mend {
  readonly before: OtherRun;
  readonly mended: OtherRun;
}

/** What is asked of the mend in one domain: how much more the harness scores after it. Null with too few seeds. */
export interface MendAsked {
  /** The intervals of all domains hold together with 95 %. */
  readonly audit: Difference | null;
  /** This one holds with 95 % by itself. */
  readonly shifted: Difference | null;
}

const inDomain = (domain: DomainName, { results }: OtherRun): CellResult[] =>
  results.filter((one) => one.domain === domain && one.arm === "evotrainer");

export function mendAsked(domain: DomainName, { before, mended }: Mend): MendAsked {
  const of = (split: "audit" | "shifted", confidence: number): Difference | null =>
    contrastOf(inDomain(domain, mended), inDomain(domain, before), { of: "harness", split, confidence });
  return {
    audit: of("audit", together(0.95, mended.plan.domains.length)),
    shifted: of("shifted", 0.95),
  };
}

/** The section on the mend: nothing while no cell is here, all of it once every one is, and until then how many are. */
export function mendReport(mend: Mend): string[] {
  const { before, mended } = mend;
  const counts = [before, mended].map(({ plan, results }) => ({
    name: plan.name,
    ...progressOf(plan, results),
  }));
  if (counts.every(({ done }) => done === 0)) return [];
  const run = counts.map(({ name, done, cells }) => `${done} of the ${cells} cells of \`${name}\``);
  const head = [
    "## What was mended, measured again",
    `The plans \`${before.plan.name}\` and \`${mended.plan.name}\` run the same searches, with the seeds ${mended.plan.seeds.join(", ")}, without the last two mends of the loop and with them, and measure what they chose on freshly drawn items. They ask [whether a search comes to more with them](experiment-plan.md#after-two-mends). ${run.join(" and ")} have been run.`,
  ];
  if (counts.some(({ done, cells }) => done < cells)) return head;
  return [
    ...head,
    `\`${before.plan.name}\` was run with the code of ${commitsOf(before)}, \`${mended.plan.name}\` with the code of ${commitsOf(mended)}. Scores are percent of the items solved by the chosen version, with every leak of the environment closed, mean over its trainings on fresh seeds. Differences are in points, paired by search seed and item. The intervals on the fresh audit items hold together with 95 % over the domains (Bonferroni); those on the fresh shifted items hold each by itself.`,
    ...mended.plan.domains.flatMap((domain) => ofDomain(domain, mend)),
  ];
}

/** The commits whose code ran, in the order in which they were first used. */
function commitsOf({ results }: OtherRun): string {
  const inOrder = results.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  const commits = [...new Set(inOrder.map(({ codeCommit }) => codeCommit.slice(0, 12)))];
  return `${commits.length === 1 ? "commit" : "commits"} ${commits.join(", ")}`;
}

function ofDomain(domain: DomainName, mend: Mend): string[] {
  const { audit, shifted } = mendAsked(domain, mend);
  const runs = [mend.before, mend.mended];
  return [
    `### ${domain}, before and after`,
    table(
      ["seed", "audit, before", "mended", "shifted, before", "mended", "changes tried, before", "mended"],
      mend.mended.plan.seeds.map((seed) => {
        const pair = runs.map((run) => inDomain(domain, run).find((one) => one.seed === seed));
        return [
          String(seed),
          ...(["audit", "shifted"] as const).flatMap((split) =>
            pair.map((one) => percent(harnessScore(one, split))),
          ),
          ...pair.map((one) => (one === undefined ? "–" : String(one.predictions.length))),
        ];
      }),
    ),
    `On the fresh audit items, the harness of the mended search scores ${differenceText(audit)}: **${verdictOn(audit)}**. On the fresh shifted items, it scores ${differenceText(shifted)}: ${verdictOn(shifted)}.`,
    runs.map((run) => countsText(domain, run)).join(" "),
  ];
}

const differenceText = (found: Difference | null): string =>
  found === null ? "nothing that can be compared" : `${points(found.difference)} points ${bounds(found)}`;

function verdictOn(found: Difference | null): string {
  if (found === null) return "there are too few seeds";
  if (found.low === 0 && found.high === 0) return "the same with every seed";
  return found.low > 0 ? "better" : found.high < 0 ? "worse" : "no difference can be shown";
}

/** Invalid choices and claims, as the headline run counts them. */
function countsText(domain: DomainName, { plan, results }: OtherRun): string {
  const own = summarise(plan, results).arms.find((one) => one.domain === domain && one.arm === "evotrainer");
  if (own === undefined) return "";
  return `In \`${plan.name}\`, ${own.invalidChosen} of ${own.seeds} searches chose an invalid version, and ${own.held} of ${own.claims} claims hold.`;
}
