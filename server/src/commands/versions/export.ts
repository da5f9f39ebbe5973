import { resolve } from "node:path";
import { Option } from "commander";
import { counted, plural } from "../../../../shared/words/numbers.ts";
import { HarnessError } from "../../base/errors.ts";
import { readReport } from "../../engine/report/readReport.ts";
import {
  reportFormats,
  reportJson,
  writeCrate,
  writeReportFile,
  type ReportFormat,
} from "../../engine/report/writeReport.ts";
import { findProjectRoot } from "../../engine/workspace/workspace.ts";
import { printResult, type Io } from "../terminal/io.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

type ExportOptions = Given<{
  format: ReportFormat;
  out?: string;
  domain?: string;
  withEvidence: boolean;
  license?: string;
  force: boolean;
}>;

export const addExport: AddVerb = (program, { io, cwd }) => {
  program
    .command("export")
    .description(
      "write a report of the evolution: versions, decisions and what they rest on, approvals, costs",
    )
    .addOption(
      new Option("--format <format>", "one HTML file, a folder as RO-Crate, or JSON")
        .choices(reportFormats)
        .default("html"),
    )
    .option("--out <path>", "the file or folder to write; JSON goes to standard output without it")
    .option("--domain <domain>", "an imported lineage; by default the project's")
    .option(
      "--with-evidence",
      "ro-crate: also copy the evidence files, except those of the audit split",
      false,
    )
    .option("--license <license>", "ro-crate: the licence of the report, as its address or a text")
    .option("--force", "replace the file if it exists", false)
    .action(async (options: ExportOptions) => exportReport(io(), cwd, options));
};

/** `evotrainer export`: a report of an evolution that needs nothing else. */
async function exportReport(io: Io, cwd: string, options: ExportOptions): Promise<void> {
  const { format, out, domain, withEvidence, license, force } = options;
  for (const [name, isGiven] of [
    ["--with-evidence", withEvidence],
    ["--license", license !== undefined],
  ] as const)
    if (isGiven && format !== "ro-crate")
      throw new HarnessError("badInput", `${name} is for a folder; add --format ro-crate.`);
  const root = await findProjectRoot(cwd);
  const report = await readReport(root, domain);
  if (report.versions.length === 0)
    throw new HarnessError("notFound", `${report.project} has no versions yet; run \`evotrainer evolve\`.`);
  if (format === "json" && out === undefined) {
    io.out(reportJson(report));
    return;
  }
  const name = `${report.project}-${report.domain}-report`;
  const path = resolve(cwd, out ?? (format === "html" ? `${name}.html` : name));
  const written =
    format === "ro-crate"
      ? await writeCrate(report, { root, folder: path, withEvidence, license: license ?? null })
      : report;
  if (format !== "ro-crate") await writeReportFile(report, { format, path, replace: force });
  const { warnings, versions } = written;
  printResult(io, { path, format, versions: versions.length, warnings }, (shown) =>
    [
      `${counted(shown.versions, "version")} written to ${shown.path}`,
      ...(warnings.length === 0
        ? []
        : [
            `The report begins with ${counted(warnings.length, "warning")}; read ${plural(warnings.length, "it", "them")} first.`,
          ]),
    ].join("\n"),
  );
}
