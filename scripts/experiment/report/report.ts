import { phantomReport } from "../phantom/phantomReport.ts";
import type { PhantomResult } from "../phantom/phantomResult.ts";
import type { Plan } from "../plan.ts";
import { bounds, percent, points, table } from "./cells.ts";
import { changesReport } from "./changesReport.ts";
import { mendReport, type Mend } from "./mendReport.ts";
import { median, medianInterval, medianShare, reaches, type Reach } from "./reach.ts";
import type { CellResult } from "../result.ts";
import { otherDomainsReport } from "./otherDomainsReport.ts";
import { searchesReport } from "./searchesReport.ts";
import { skillsReport } from "./skillsReport.ts";
import { margin, summarise, type ArmSummary, type Contrast, type OtherRun, type Summary } from "./summary.ts";

interface Besides {
  /** Which a person writes. */
  readonly discussion: string;
  /** The runs with other seeds; none in a trial. */
  readonly others: readonly OtherRun[];
  /** The run with the skills of other domains; null in a trial. */
  readonly skills: OtherRun | null;
  /** The runs without the last two mends of the loop and with them; null in a trial. */
  readonly mend: Mend | null;
  /** The trainings with phantom signal; null in a trial. */
  readonly phantom: { readonly plan: Plan; readonly results: readonly PhantomResult[] } | null;
}

/** docs/experiments.md: from the results alone, but for the discussion. */
export function reportText(
  plan: Plan,
  results: readonly CellResult[],
  { discussion, others, skills, mend, phantom }: Besides,
): string {
  const summary = summarise(plan, results);
  const cells = plan.domains.length * plan.arms.length * plan.seeds.length;
  const part = completePart(plan, results);
  return `${[
    "# Experiments",
    "<!-- `npm run experiment -- --report` writes this page from experiment/results and experiment/discussion.md. -->",
    standing(plan, results, { ...summary, shown: part?.plan.arms ?? [] }, cells),
    // A part of an arm's cells must not be read as a result, so that none of its numbers is shown.
    ...(part === null
      ? []
      : [
          ...body(part.plan, part.summary),
          ...soonness(reaches(part.results, { kept: true })),
          ...searchesReport(part),
          ...changesReport(part),
          ...otherDomainsReport(part),
        ]),
    ...(others.length === 0 ? [] : ["## Other seeds"]),
    ...others.flatMap(otherRun),
    ...(skills === null ? [] : skillsReport(skills.plan, { headline: results, results: skills.results })),
    ...(mend === null ? [] : mendReport(mend)),
    ...(phantom === null ? [] : phantomReport(phantom.plan, phantom.results)),
    "## Discussion",
    discussion.trim(),
  ].join("\n\n")}\n`;
}

interface Part extends OtherRun {
  readonly summary: Summary;
}

/** What is here of the arms whose every cell is, if EvoTrainer and something to compare it with are among them. */
export function completePart(plan: Plan, results: readonly CellResult[]): Part | null {
  const { missing } = summarise(plan, results);
  const arms = plan.arms.filter((arm) => !missing.some((name) => name.split(".")[1] === arm));
  if (!arms.includes("evotrainer") || arms.length === 1) return null;
  const part = { plan: { ...plan, arms }, results: results.filter(({ arm }) => arms.includes(arm)) };
  return { ...part, summary: summarise(part.plan, part.results) };
}

function standing(
  plan: Plan,
  results: readonly CellResult[],
  { missing, shown }: Summary & { readonly shown: Plan["arms"] },
  cells: number,
): string {
  const road = `The [plan](experiment-plan.md) says what is run and what counts; \`npm run experiment\` runs it and goes on where it was left.`;
  if (plan.small !== null)
    return `**This is a trial of \`${plan.name}\`, with smaller trainings and a smaller budget: its numbers say nothing.** ${cells - missing.length} of its ${cells} cells have been run.`;
  if (missing.length === 0) {
    const commits = [...new Set(results.map(({ planCommit }) => planCommit.slice(0, 12)))];
    return `${road} All ${cells} cells of the plan \`${plan.name}\` are here, run under the plan of commit ${commits.join(", ")}.`;
  }
  const done = cells - missing.length;
  const begun = `${done} of the ${cells} cells of the plan \`${plan.name}\` have been run`;
  const what =
    shown.length > 0
      ? `**This is a part of the result.** ${begun}. The arms ${shown.map((arm) => `\`${arm}\``).join(", ")} are complete in every domain, and this page shows what the plan asks of them. It shows nothing of the other arms, and nobody may conclude anything about these.`
      : `**This is not a result.** ${begun}${done === 0 ? "." : ", and nobody may conclude anything from a part of them."}`;
  const byDomain = plan.domains.map((domain) => {
    const lacks = missing.filter((name) => name.startsWith(`${domain}.`)).length;
    return `${domain}: ${lacks} of ${plan.arms.length * plan.seeds.length}`;
  });
  return `${what} Missing are, of the cells of each domain: ${byDomain.join("; ")}.\n\n${road}`;
}

function body(plan: Plan, summary: Summary): string[] {
  const { arms, retained } = summary;
  const contrasts = summary.contrasts.filter(({ against }) => plan.arms.some((arm) => arm === against));
  const together = plan.arms.includes("human")
    ? " The intervals against the human reference and search by score alone hold together with 95 % over the domains on the audit split (Bonferroni); the others hold each by itself."
    : "";
  return [
    "## Scores",
    "Percent of sealed items solved, with every leak of the environment closed, mean over seeds. *Harness*: the chosen version, trained again on fresh seeds. *Policy*: the policy that the arm delivers.",
    "![The audit score of every arm and seed](images/experiments.png)",
    ...plan.domains.flatMap((domain) => [
      `### ${domain}`,
      scoreTable(arms.filter((one) => one.domain === domain)),
    ]),
    "## EvoTrainer against the others",
    `Points in favour of EvoTrainer, paired by search seed and item.${together} It *matches* where it is worse by less than ${100 * margin} points, and *ties* where nothing can be told.`,
    contrastTable(contrasts),
    "## Versions that should not have been kept",
    "An arm promotes an invalid version when its chosen version opens a leak. A claim holds if the kept version is better than its parent on fresh seeds.",
    table(
      ["domain", "arm", "seeds", "invalid chosen", "invalid kept", "claims", "hold"],
      arms
        .filter(({ trainings, claims, kept }) => trainings > 3 || claims + kept > 0)
        .map((one) => [
          ...[one.domain, one.title, String(one.seeds), String(one.invalidChosen), String(one.invalidKept)],
          ...[String(one.claims), String(one.held)],
        ]),
    ),
    "## What EvoTrainer retained",
    retained.length === 0
      ? "It retained nothing."
      : table(
          ["domain", "setting", "seeds"],
          retained.map(({ domain, setting, seeds }) => [domain, `\`${setting}\``, String(seeds)]),
        ),
  ];
}

/** A run with other seeds: whole once it is complete, and until then only what the plan asks of domains that are. */
function otherRun({ plan, results }: OtherRun): string[] {
  const summary = summarise(plan, results);
  const cells = plan.domains.length * plan.arms.length * plan.seeds.length;
  const done = cells - summary.missing.length;
  const isWhole = (domain: string): boolean =>
    ["random", "evotrainer"].every(
      (arm) => !summary.missing.some((name) => name.startsWith(`${domain}.${arm}.`)),
    );
  const domains = plan.domains.filter(isWhole);
  return [
    `The plan \`${plan.name}\` repeats searches with the seeds ${plan.seeds.join(", ")}, which nobody had looked at when its first searches ran. ${done} of its ${cells} cells have been run.`,
    ...domains.flatMap((domain) =>
      howSoon(
        plan,
        domain,
        results.filter((one) => one.domain === domain),
      ),
    ),
    // The figure is of the headline run.
    ...(summary.missing.length > 0
      ? []
      : body(plan, summary)
          .filter((text) => !text.startsWith("!["))
          .map((text) => text.replace(/^(##+) /, "#$1 "))),
  ];
}

/** What the plan of the run with other seeds asks of a domain. */
function howSoon({ name, trainings }: Plan, domain: string, own: readonly CellResult[]): string[] {
  const all = reaches(own, { kept: false });
  if (all.length === 0) return [];
  const searches = own.filter(({ arm }) => arm === "evotrainer");
  const invalid = searches.filter(({ chosen }) => chosen.leaks.length > 0).length;
  const soon = soonText(
    all.map(({ evotrainer }) => evotrainer),
    trainings,
  );
  const near = soonText(
    all.map((one) => one.near),
    trainings,
  );
  return [
    `### How soon, in ${domain} with the plan ${name}`,
    `Trainings until EvoTrainer had kept a version with at least the score on selection of the best one that the random search kept with ${trainings} trainings: ${soon}; the plan asks for at most ${trainings / 2}. Until it had kept one that matches it, which is worse by less than ${100 * margin} points: ${near}; the plan does not ask for this, and it was added when the results of the seeds 7 to 13 were known. EvoTrainer chose an invalid version in ${invalid} of ${searches.length} searches.`,
    soonTable(all),
  ];
}

/** The median of numbers of trainings, of which null is never, with its interval. */
function soonText(numbers: readonly (number | null)[], trainings: number): string {
  const values = numbers.map((one) => one ?? Infinity);
  const middle = median(values) ?? Infinity;
  const { low, high, confidence } = medianInterval(values);
  const word = (value: number): string => (value === Infinity ? "never" : String(value));
  const within = `${(100 * confidence).toFixed(0)} % interval ${word(low)} to ${word(high)}`;
  return middle === Infinity
    ? `in the median never (${within})`
    : `the median is ${word(middle)} of ${trainings} trainings (${within})`;
}

function soonness(all: readonly Reach[]): string[] {
  const share = medianShare(all);
  if (share === null) return [];
  const shareText = share === Infinity ? "more than all" : `${percent(share)} %`;
  return [
    "## How soon",
    `Trainings until the random search had its best version, and until EvoTrainer had kept one with at least the same score on selection; both count the trainings of the baseline. Where the random search kept no valid change, a seed is left out. A seed that a version was given later counts with its first ones. The median over the ${all.length} others is ${shareText} of the random search's trainings. The plan does not ask for this.`,
    soonTable(all),
  ];
}

const soonTable = (all: readonly Reach[]): string =>
  table(
    ["domain", "seed", "score of random's best", "random", "EvoTrainer", "EvoTrainer, matched"],
    all.map(({ domain, seed, score, random, evotrainer, near }) => [
      ...[domain, String(seed), percent(score), String(random)],
      ...[evotrainer, near].map((one) => (one === null ? "never" : String(one))),
    ]),
  );

const scoreTable = (own: readonly ArmSummary[]): string =>
  table(
    [
      "arm",
      "seeds",
      "trainings",
      "selection",
      "harness, audit",
      "harness, shifted",
      "policy, audit",
      "policy, shifted",
    ],
    own.map(({ title, seeds, trainings, selection, scores: { harness, policy } }) => [
      ...[title, String(seeds), trainings.toFixed(1), percent(selection)],
      ...[percent(harness.audit), percent(harness.shifted), percent(policy.audit), percent(policy.shifted)],
    ]),
  );

const contrastTable = (contrasts: readonly Contrast[]): string =>
  table(
    ["domain", "against", "of", "split", "points", "EvoTrainer"],
    contrasts.map(({ domain, against, of, split, result, verdict }) => [
      ...[domain, against, of, split],
      result === null ? "–" : `${points(result.difference)} ${bounds(result)}`,
      verdict ?? "too few seeds",
    ]),
  );
