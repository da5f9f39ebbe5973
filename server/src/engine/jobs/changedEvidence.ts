import { stat } from "node:fs/promises";
import { join } from "node:path";
import { closingId, evidenceFileNames, type Closing } from "../../../../shared/ledger/closingEntry.ts";
import { evidenceChangeText, isTold, type EvidenceChange } from "../../../../shared/words/closedEvidence.ts";
import { codeOf } from "../../base/errors.ts";
import { digestFile, stampOf } from "../../base/fileDigest.ts";
import type { Ledger } from "../../lineage/ledger.ts";
import { firstSigned, idsOf, versionIds } from "../../lineage/trust/signedEntry.ts";
import { findClosing } from "../../runner/job/closeRun.ts";
import { readStamps, writeStamps } from "../../runner/job/stamps.ts";
import { runsFolder } from "../workspace/archive.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import { jobNames } from "./lookUp.ts";

/** A run is closed once. By folder. */
const closings = new Map<string, Closing>();

/**
 * What became of the evidence of closed runs after their jobs had ended, in the order of their names: one sentence for
 * each file. Without a ledger by the engine's own records. A file is read only when it was moved since it was closed.
 */
export async function changedEvidence(root: string, ledger?: Pick<Ledger, "read">): Promise<string[]> {
  const runs = await jobNames(runsFolder({ engineFolder: engineFolderOf(root) }));
  const log = (await ledger?.read())?.entries;
  const entries = log?.withIds(runs.flatMap((run) => idsOf(closingId(run))));
  const versions = new Set([...(entries?.values() ?? [])].flatMap(({ version }) => versionIds(version)));
  const begun = log?.withIds([...versions]);
  const sentences: string[] = [];
  for (const run of runs) {
    const told = firstSigned(
      idsOf(closingId(run)).map((id) => entries?.get(id)),
      (id) => begun?.get(id),
    );
    const changes = await changesOf(root, run, told?.type === "closing" ? told : undefined);
    sentences.push(...changes.map(evidenceChangeText));
  }
  return sentences;
}

/** The same of one run, as one text; undefined when nothing became of its files. */
export async function changedEvidenceOf(root: string, run: string): Promise<string | undefined> {
  const changes = await changesOf(root, run, undefined);
  return changes.length === 0 ? undefined : changes.map(evidenceChangeText).join(" ");
}

async function changesOf(root: string, run: string, told: Closing | undefined): Promise<EvidenceChange[]> {
  const directory = join(runsFolder({ engineFolder: engineFolderOf(root) }), run);
  const closing = told ?? closings.get(directory) ?? (await findClosing(undefined, run, directory));
  if (closing?.run !== run) return [];
  closings.set(directory, closing);
  const changes: EvidenceChange[] = [];
  for (const file of evidenceFileNames) {
    const change = await changeOf(directory, file, closing);
    if (change !== undefined && isTold(change)) changes.push(change);
  }
  return changes;
}

async function changeOf(
  directory: string,
  name: string,
  { run, files }: Closing,
): Promise<EvidenceChange | undefined> {
  const path = join(directory, name);
  const now = await stat(path, { bigint: true }).catch((e: unknown) => {
    if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR") return undefined;
    throw e;
  });
  // What is gone can add nothing; a rebuild says that it is gone.
  if (now === undefined) return undefined;
  const closed = files.find((file) => file.name === name);
  const counts = closed?.bytes ?? 0;
  const bytes = Number(now.size);
  const of = { run, file: name, counts, bytes };
  if (bytes !== counts) return { ...of, what: bytes > counts ? "grown" : "changed" };
  const stamp = stampOf(now);
  if (closed === undefined || stamp === closed.stamp) return undefined;
  const seen = await readStamps(directory);
  if (seen[name] === stamp) return undefined;
  const digest = await digestFile(path);
  if (digest?.sha256 !== closed.sha256) return { ...of, what: "changed" };
  // A copy of the project: its files need not be read again the next time.
  await writeStamps(directory, { ...seen, [name]: stamp });
  return undefined;
}
