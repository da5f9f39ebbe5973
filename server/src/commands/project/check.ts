import { inLine, jsonText } from "../../base/plainText.ts";
import { findEvidenceRoot } from "../../engine/project/bareProject.ts";
import { diagnosticsIn } from "../../engine/project/diagnosticFiles.ts";
import { mappingEnding } from "../../evidence/mapping/mapped.ts";
import { workTree } from "../../project/source.ts";
import { findProjectRoot } from "../../engine/workspace/workspace.ts";
import { HarnessError } from "../../base/errors.ts";
import { checkSpecs } from "../../language/checks/checkSpecs.ts";
import { nearestVersion, type VersionFiles } from "../../language/lineage/nearestVersion.ts";
import { allRules } from "../../language/checks/ruleSet.ts";
import { askArchive } from "./askArchive.ts";
import { annotation, sarifLog } from "./checkFormats.ts";
import { missingFiles } from "./missingFiles.ts";
import type { CheckFormat } from "../terminal/choices.ts";
import { exitCodes, printResult, type Io } from "../terminal/io.ts";
import { Option } from "commander";
import { checkFormats } from "../terminal/choices.ts";
import type { AddVerb } from "../terminal/verb.ts";

export const addCheck: AddVerb = (program, { io, cwd, exitWith }) => {
  program
    .command("check")
    .description("check every spec of the project, or of a folder with diagnostics")
    .addOption(new Option("--format <format>", "how to print").choices(checkFormats).default("text"))
    .action(async (o: { format: CheckFormat }) => exitWith(await check(io(), cwd, o)));
};

/** `evotrainer check`: every spec of the project, as the language server sees it. Answers with the exit code. */
export async function check(io: Io, cwd: string, options: { format: CheckFormat }): Promise<number> {
  const root = await checkedRoot(cwd);
  let silent: string | undefined;
  const inSpecs = await checkSpecs(root, {
    parent: await parentOf(root),
    archived: async (questions) => {
      const asked = await askArchive(root, questions);
      if (asked.type === "asked") return asked.archived;
      silent = asked.because;
      return undefined;
    },
  });
  const findings = [...inSpecs, ...(await missingFiles(root))];
  if (silent !== undefined) io.err(`${inLine(notTried(silent))}\n`);
  if (options.format === "github") io.out(findings.map(annotation).join(""));
  else if (options.format === "sarif") io.out(`${jsonText(sarifLog(findings, root), 2)}\n`);
  else
    printResult(options.format === "json" ? { ...io, json: true } : io, findings, (findings) =>
      findings.length === 0
        ? "No problem in any spec."
        : findings
            .map((f) => `${f.file}:${f.line}:${f.column}: ${f.severity}: ${f.message} (${f.code})`)
            .join("\n"),
    );
  return findings.some((f) => f.severity !== "info") ? exitCodes.finding : exitCodes.success;
}

/** The project, or without one the folder that has diagnostics or mappings of its own. @throws HarnessError projectMissing */
async function checkedRoot(cwd: string): Promise<string> {
  const bare = await findEvidenceRoot(cwd);
  const mappings = (await workTree(bare).list(".")).filter((name) => name.endsWith(mappingEnding));
  return mappings.length > 0 || (await diagnosticsIn(bare)).length > 0 ? bare : findProjectRoot(cwd);
}

/** What a check says nothing about when the archive was not asked. */
function notTried(because: string): string {
  const rules = (how: "all" | "part"): string =>
    allRules
      .filter(({ meta }) => meta.archive === how)
      .map(({ meta }) => meta.id)
      .join(", ");
  return `Not tried: ${rules("all")}, and what ${rules("part")} compare with the archive (${because.replace(/[.]$/, "")}).`;
}

/** The version that the work tree goes on from; the specs of a project without a lineage are checked without. */
async function parentOf(root: string): Promise<VersionFiles | undefined> {
  try {
    return await nearestVersion(root);
  } catch (e) {
    if (HarnessError.is(e)) return undefined;
    throw e;
  }
}
