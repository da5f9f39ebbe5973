import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EvolutionReport } from "../../../../shared/report/evolutionReport.ts";
import { codeOf, HarnessError, messageOf } from "../../base/errors.ts";
import { writeFileAtomic } from "../../base/files.ts";
import { jsonText } from "../../base/plainText.ts";
import { loadProjectSpec } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { copyEvidence } from "./copyEvidence.ts";
import { reportPage } from "./html/page.ts";
import { roCrate } from "./roCrate.ts";

export const reportFormats = ["html", "ro-crate", "json"] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** The report as a JSON document. */
/** The report as JSON that shows codes in a terminal as codes. */
export const reportJson = (report: EvolutionReport): string => `${jsonText(report, 2)}\n`;

/** Writes the report into one file, which must not be there yet unless it may be replaced. @throws HarnessError badInput */
export async function writeReportFile(
  report: EvolutionReport,
  {
    format,
    path,
    replace,
  }: { readonly format: "html" | "json"; readonly path: string; readonly replace: boolean },
): Promise<void> {
  const found = await statOf(path);
  if (found !== undefined && (!replace || !found.isFile()))
    throw new HarnessError(
      "badInput",
      found.isFile()
        ? `${path} exists already; give another name with --out, or replace it with --force.`
        : `${path} is not a file; give a file name with --out.`,
    );
  await orSay(path, () =>
    writeFileAtomic(path, format === "html" ? reportPage(report) : reportJson(report), { mode: 0o644 }),
  );
}

export interface CrateOptions {
  readonly root: string;
  /** A folder that is not there, or is empty. */
  readonly folder: string;
  readonly withEvidence: boolean;
  readonly license: string | null;
}

/** Writes the report as an RO-Crate. The folder is there when it is whole, or not at all. @throws HarnessError badInput */
export async function writeCrate(report: EvolutionReport, options: CrateOptions): Promise<EvolutionReport> {
  const { root, folder, withEvidence, license } = options;
  await refuseFull(folder);
  const partial = `${folder}.${process.pid}.part`;
  const { command } = (await loadProjectSpec(workTree(root))).trainer;
  return orSay(folder, async () => {
    try {
      await mkdir(partial, { recursive: true });
      const written = withEvidence ? await copyEvidence(root, report, partial) : report;
      const files = [
        { path: "report.html", type: "text/html", says: "The report to read and to print." },
        { path: "report.json", type: "application/json", says: "The same for programs." },
      ];
      const crate = roCrate(written, { files, trainer: command.join(" "), license });
      await writeFile(join(partial, "report.html"), reportPage(written));
      await writeFile(join(partial, "report.json"), reportJson(written));
      await writeFile(join(partial, "ro-crate-metadata.json"), `${JSON.stringify(crate, null, 2)}\n`);
      await rename(partial, folder);
      return written;
    } catch (e) {
      await rm(partial, { recursive: true, force: true });
      throw e;
    }
  });
}

async function refuseFull(folder: string): Promise<void> {
  const found = await statOf(folder);
  if (found === undefined) return;
  if (!found.isDirectory() || (await readdir(folder)).length > 0)
    throw new HarnessError(
      "badInput",
      `${folder} ${found.isDirectory() ? "is not empty" : "is a file"}; name a new folder with --out.`,
    );
}

async function statOf(path: string) {
  return stat(path).catch((e: unknown) => {
    if (codeOf(e) === "ENOENT") return undefined;
    throw e;
  });
}

async function orSay<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (e) {
    if (HarnessError.is(e)) throw e;
    throw new HarnessError("badInput", `The report cannot be written to ${path}: ${messageOf(e)}.`, {
      cause: e,
    });
  }
}
