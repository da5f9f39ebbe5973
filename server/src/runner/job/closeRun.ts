import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClosedFile } from "../../../../shared/ledger/closing.ts";
import { closingId, evidenceFileNames, type Closing } from "../../../../shared/ledger/closingEntry.ts";
import { digestFile } from "../../base/fileDigest.ts";
import { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { openLedger, readSignedEntry } from "../../lineage/ledger.ts";
import type { Repository } from "../../lineage/repository.ts";
import { unsigned } from "../../lineage/trust/signature.ts";
import { recordPath, writeRecord } from "./jobRecords.ts";
import { evidenceFiles, summariseEvidence, type EvidenceSummary } from "./evidenceSummary.ts";

export interface RunToClose {
  readonly repository: Repository;
  readonly domain: string;
  readonly version: string;
  readonly run: string;
  /** Where its evidence files are on this machine. */
  readonly directory: string;
}

/**
 * Closes a run whose job has ended: writes into the ledger what each evidence file is, and says what they hold. From then
 * on nothing else of these files counts. Rollouts are read once for both. A run that is closed stays as it was closed.
 */
export async function closeRun(run: RunToClose): Promise<EvidenceSummary> {
  const { repository, directory } = run;
  // The ledger is asked only where this was done before; it refuses a second closing.
  const known = existsSync(recordPath(directory, "closing.json"))
    ? await findClosing(repository, run.run, directory)
    : undefined;
  if (known !== undefined) return summariseEvidence(directory, { end: endsOf(known) });
  const files: ClosedFile[] = [];
  const evidence = await summariseEvidence(directory, {
    onRead: ({ bytes, sha256, stamp }) =>
      files.push({ name: evidenceFiles.rollouts, bytes, sha256, ...marked(stamp) }),
  });
  for (const name of evidenceFileNames) {
    if (name === evidenceFiles.rollouts) continue;
    const digest = await digestFile(join(directory, name));
    if (digest === undefined) continue;
    files.push({ name, bytes: digest.bytes, sha256: digest.sha256, ...marked(digest.stamp) });
  }
  const closing: Closing = {
    id: closingId(run.run),
    at: new Date().toISOString(),
    domain: run.domain,
    type: "closing",
    version: run.version,
    run: run.run,
    files,
  };
  try {
    await openLedger(repository).append([closing]);
  } catch (e) {
    // Another engine closed it at the same moment: what that one wrote down holds.
    const other = HarnessError.is(e, "ledgerInvalid") ? await readClosing(repository, run.run) : undefined;
    if (other === undefined) throw e;
    await writeRecord(directory, "closing.json", other);
    return summariseEvidence(directory, { end: endsOf(other) });
  }
  await writeRecord(directory, "closing.json", closing);
  return evidence;
}

const marked = (stamp: string | undefined): { stamp?: string } => (stamp === undefined ? {} : { stamp });

const endsOf =
  ({ files }: Closing) =>
  (name: string): number =>
    files.find((file) => file.name === name)?.bytes ?? 0;

/**
 * What a run's files were when its job had ended, by the ledger, or by the engine's own record where the ledger has lost
 * it; undefined when the run was not closed.
 */
export async function findClosing(
  repository: Repository | undefined,
  run: string,
  directory: string,
): Promise<Closing | undefined> {
  const told = repository === undefined ? undefined : await readClosing(repository, run);
  if (told !== undefined) return told;
  const text = await readFile(recordPath(directory, "closing.json"), "utf8").catch((e: unknown) => {
    if (codeOf(e) === "ENOENT") return undefined;
    throw e;
  });
  const entry = text === undefined ? undefined : LedgerEntry.parse(JSON.parse(text));
  return entry?.type === "closing" && entry.run === run ? entry : undefined;
}

/** The same, by the ledger alone: an entry that no trusted key signed could keep the evidence of a run from counting. */
async function readClosing(repository: Repository, run: string): Promise<Closing | undefined> {
  const signed = await readSignedEntry(repository, closingId(run));
  const entry = signed && unsigned(signed);
  return entry?.type === "closing" && entry.run === run ? entry : undefined;
}
