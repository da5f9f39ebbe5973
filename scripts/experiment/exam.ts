/**
 * Examines the search on the random searches of the experiment: `npm run experiment:exam [-- --projects <folder>] [--write]`.
 * A random order chose these changes, so that no proposer had a hand in what it is asked about. docs/proposers.md.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { ProposerExam } from "../../shared/protocol/results/exam.ts";
import type { AnsweredDrafts } from "../../server/src/proposals/exam/examResult.ts";
import { examCells, examHeads, tableRow, tableText } from "./examTable.ts";
import { withValues } from "./harness.ts";
import { workFolder } from "./paths.ts";
import { cellName, cellsOf, planNames, readPlan, type DomainName, type PlanName } from "./plan.ts";
import { evotrainer } from "./project.ts";
import { writeTable } from "./writeTable.ts";
import type { CellResult } from "./result.ts";
import { readResults } from "./results.ts";

const { values: options } = parseArgs({
  options: { projects: { type: "string" }, write: { type: "boolean", default: false } },
});

interface Examined {
  readonly plan: PlanName;
  readonly domain: DomainName;
  readonly moments: readonly AnsweredDrafts[];
}

/** What a random search has not, so that the search is asked as it stands in the templates. */
const asInTheTemplate = {
  "search.ranking": "evidence",
  diagnostics: ["harness/diagnostics"],
  "library.use": "all",
};

/** An exam, or that there is no version of which two changes were measured. */
const Printed = z.union([ProposerExam, z.object({ error: z.object({ code: z.literal("notFound") }) })]);

function examine(project: string, result: CellResult): AnsweredDrafts[] {
  const folder = mkdtempSync(join(tmpdir(), "evo-exam-"));
  try {
    cpSync(project, folder, { recursive: true, verbatimSymlinks: true });
    const file = join(folder, "evotrainer.yaml");
    writeFileSync(file, withValues(readFileSync(file, "utf8"), asInTheTemplate));
    const printed = Printed.parse(JSON.parse(evotrainer(folder, ["--json", "proposers", "exam"], [0, 2])));
    const answers = "error" in printed ? [] : printed.answers;
    // A random search has no diagnostic that finds a leak, so that the result of its cell says which versions opened one.
    const invalid = new Set(
      result.decisions.flatMap(({ version, leaks }) => (leaks.length > 0 ? [version] : [])),
    );
    return answers.map(({ drafts }) => {
      const effects = drafts.map(({ version, effect }) => ({
        effect: effect === null || invalid.has(version) ? -Infinity : effect,
      }));
      return { moment: { drafts: effects }, expected: drafts.map(({ place }) => -place) };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function examineAll(): Examined[] {
  const all: Examined[] = [];
  for (const name of planNames) {
    const plan = readPlan(name);
    const results = readResults(plan);
    const projects =
      options.projects === undefined
        ? join(workFolder(name), "projects")
        : join(options.projects, name, "projects");
    for (const cell of cellsOf(plan, { arm: "random" })) {
      const result = results.find(
        ({ domain, arm, seed }) => domain === cell.domain && arm === cell.arm && seed === cell.seed,
      );
      const project = join(projects, cellName(cell));
      if (result === undefined || !existsSync(project)) continue;
      const moments = examine(project, result);
      process.stderr.write(`${name} ${cellName(cell)}: ${moments.length} moments\n`);
      all.push({ plan: name, domain: cell.domain, moments });
    }
  }
  return all;
}

function row(what: string, examined: readonly Examined[]): string {
  const answered = examined.flatMap(({ moments }) => moments);
  const drafts = answered.reduce((n, { moment }) => n + moment.drafts.length, 0);
  return tableRow([
    ...[what, String(examined.length), String(answered.length), String(drafts)],
    ...examCells(answered),
  ]);
}

function tableOf(all: readonly Examined[]): string {
  const rows = planNames.flatMap((plan) => {
    const own = all.filter((one) => one.plan === plan);
    const seeds = readPlan(plan).seeds;
    const named = `seeds ${seeds[0]} to ${seeds.at(-1)}`;
    const domains = [...new Set(own.map(({ domain }) => domain))];
    return [
      ...domains.map((domain) =>
        row(
          `${domain}, ${named}`,
          own.filter((one) => one.domain === domain),
        ),
      ),
      ...(domains.length > 1 ? [row(`all, ${named}`, own)] : []),
    ];
  });
  return tableText(["random searches", "lineages", "moments", "drafts", ...examHeads], rows);
}

const table = tableOf(examineAll());
process.stdout.write(`${table}\n`);
if (options.write) await writeTable("docs/proposers.md", "exam", table);
