import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { evidenceFileNames } from "../../../../shared/ledger/closingEntry.ts";
import type { EvolutionReport } from "../../../../shared/report/evolutionReport.ts";
import { codeOf } from "../../base/errors.ts";
import { runsFolder } from "../workspace/archive.ts";
import { parseRunId } from "../workspace/runs.ts";
import { engineFolderOf } from "../workspace/workspace.ts";

const names: ReadonlySet<string> = new Set(evidenceFileNames);

/**
 * The report with copies of the evidence files under `folder`, each as it was when its job had ended; of one that is gone or
 * has changed a warning says so. What was measured on the audit split stays sealed: it is not copied.
 */
export async function copyEvidence(
  root: string,
  report: EvolutionReport,
  folder: string,
): Promise<EvolutionReport> {
  const runs = runsFolder({ engineFolder: engineFolderOf(root) });
  const warnings: string[] = [];
  const evidence: EvolutionReport["evidence"] = [];
  for (const closing of report.evidence) {
    const { run } = closing;
    const work = parseRunId(run)?.work;
    const files: EvolutionReport["evidence"][number]["files"] = [];
    for (const file of closing.files) {
      const path = `evidence/${run}/${file.name}`;
      // The names come from the ledger, and anybody may have written them.
      const isOurs = work !== undefined && !/[\\/]/.test(run) && names.has(file.name);
      if (!isOurs || work === "audit") {
        files.push(file);
        continue;
      }
      const isCopied = await copyClosed(join(runs, run, file.name), join(folder, path), file);
      if (!isCopied)
        warnings.push(
          `${run}/${file.name} is not what it was when its job had ended, or is gone, so it was not copied.`,
        );
      files.push(isCopied ? { ...file, copy: path } : file);
    }
    evidence.push({ ...closing, files });
  }
  const isSealed = report.evidence.some(({ run }) => parseRunId(run)?.work === "audit");
  if (isSealed) warnings.push("The evidence of the audit split was not copied.");
  return { ...report, evidence, warnings: [...report.warnings, ...warnings] };
}

/** Copies as many bytes as the file had when it was closed, if they are the same ones. */
async function copyClosed(
  from: string,
  to: string,
  { bytes, sha256 }: { readonly bytes: number; readonly sha256: string },
): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true });
  const hash = createHash("sha256");
  const read = bytes === 0 ? Readable.from([]) : createReadStream(from, { end: bytes - 1 });
  try {
    await pipeline(
      read,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(to, { mode: 0o644 }),
    );
  } catch (e) {
    if (codeOf(e) !== "ENOENT" && codeOf(e) !== "EISDIR") throw e;
    await rm(to, { force: true });
    return false;
  }
  if (hash.digest("hex") === sha256) return true;
  await rm(to, { force: true });
  return false;
}
