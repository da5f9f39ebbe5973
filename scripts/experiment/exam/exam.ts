/**
 * Examines the search on the random searches of the experiment: `npm run experiment:exam [-- --projects <folder>] [--write]`.
 * A random order chose these changes, so that no proposer had a hand in what it is asked about. docs/proposers.md.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { AnsweredDrafts } from "../../../server/src/proposals/exam/examResult.ts";
import { table as tableLines } from "../../simulation/tableText.ts";
import { answeredIn, examCells, examHeads, examIn } from "./examTable.ts";
import { withValues } from "../harness.ts";
import { workFolder } from "../paths.ts";
import { cellName, cellsOf, planNames, readPlan, type DomainName, type PlanName } from "../plan.ts";
import { writeTable } from "./writeTable.ts";
import type { CellResult } from "../result.ts";
import { readResults } from "../results.ts";

const { values: options } = parseArgs({
  options: { projects: { type: "string" }, write: { type: "boolean", default: false } },
});

/** The plans with random searches. */
const withRandom = planNames.filter((name) => readPlan(name).arms.includes("random"));

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

function examine(project: string, result: CellResult): AnsweredDrafts[] {
  const folder = mkdtempSync(join(tmpdir(), "evo-exam-"));
  try {
    cpSync(project, folder, { recursive: true, verbatimSymlinks: true });
    const file = join(folder, "evotrainer.yaml");
    writeFileSync(file, withValues(readFileSync(file, "utf8"), asInTheTemplate));
    const printed = examIn(folder);
    if ("error" in printed) return [];
    // A random search has no diagnostic that finds a leak, so that the result of its cell says which versions opened one.
    const invalid = new Set(
      result.decisions.flatMap(({ version, leaks }) => (leaks.length > 0 ? [version] : [])),
    );
    return answeredIn(printed, (version) => invalid.has(version));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function examineAll(): Examined[] {
  const all: Examined[] = [];
  for (const name of withRandom) {
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

function row(what: string, examined: readonly Examined[]): string[] {
  const answered = examined.flatMap(({ moments }) => moments);
  const drafts = answered.reduce((n, { moment }) => n + moment.drafts.length, 0);
  return [
    ...[what, String(examined.length), String(answered.length), String(drafts)],
    ...examCells(answered),
  ];
}

function tableOf(all: readonly Examined[]): string {
  const rows = withRandom.flatMap((plan) => {
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
  return tableLines(["random searches", "lineages", "moments", "drafts", ...examHeads], rows).join("\n");
}

const table = tableOf(examineAll());
process.stdout.write(`${table}\n`);
if (options.write) await writeTable("docs/proposers.md", "exam", table);
