/**
 * Examines the search on lineages that other tools made: `npm run experiment:exam-imported -- [--write] <folder or mapping> ...`.
 * docs/proposers.md.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import type { AnsweredDrafts } from "../../../server/src/proposals/exam/examResult.ts";
import { table as tableLines } from "../../simulation/tableText.ts";
import { answeredIn, examCells, examHeads, examIn } from "./examTable.ts";
import { evotrainer } from "../project.ts";
import { writeTable } from "./writeTable.ts";

const { values: options, positionals } = parseArgs({
  options: { write: { type: "boolean", default: false } },
  allowPositionals: true,
});

const Imported = z.object({
  lineages: z.array(z.object({ format: z.string(), domain: z.string(), versionsAdded: z.int() })),
});

interface Examined {
  readonly format: string;
  readonly domain: string;
  readonly versions: number;
  readonly answered: readonly AnsweredDrafts[];
  /** Why versions cannot be asked about, and how many. */
  readonly leftOut: string;
}

/** Imports everything into a new project, so that nothing of its own can be learned from. */
function examineAll(paths: readonly string[]): Examined[] {
  const folder = mkdtempSync(join(tmpdir(), "evo-exam-"));
  try {
    evotrainer(folder, ["init", join(folder, "project"), "--template", "math"]);
    const project = join(folder, "project");
    return paths.flatMap((path) => {
      const { lineages } = Imported.parse(
        JSON.parse(evotrainer(project, ["--json", "import", resolve(path)], [0, 1])),
      );
      return lineages.map(({ format, domain, versionsAdded }) => ({
        ...{ format, domain, versions: versionsAdded },
        ...examine(project, domain),
      }));
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function examine(project: string, domain: string): Pick<Examined, "answered" | "leftOut"> {
  const printed = examIn(project, "--domain", domain);
  if ("error" in printed)
    return { answered: [], leftOut: printed.error.message.replace(/^.*Its versions: /, "") };
  const leftOut = printed.leftOut.map(({ because, versions }) => `${versions}: ${because}`).join("; ");
  return { answered: answeredIn(printed), leftOut };
}

function row(name: string, format: string, examined: readonly Examined[]): string[] {
  const answered = examined.flatMap((one) => one.answered);
  const drafts = answered.reduce((n, { moment }) => n + moment.drafts.length, 0);
  const versions = examined.reduce((n, one) => n + one.versions, 0);
  return [
    ...[name, format, String(versions), String(answered.length), String(drafts)],
    ...examCells(answered),
  ];
}

const all = examineAll(positionals);
for (const { domain, versions, leftOut } of all)
  process.stderr.write(`${domain}, ${versions} versions, left out: ${leftOut}\n`);
const examined = all.filter(({ answered }) => answered.length > 0);
const table = tableLines(
  ["lineage", "format", "versions", "moments", "drafts", ...examHeads],
  [...examined.map((one) => row(one.domain, one.format, [one])), row("all", "", examined)],
).join("\n");
process.stdout.write(`${table}\n`);
if (options.write) await writeTable("docs/proposers.md", "exam-imported", table);
