import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { LineageReport } from "../../../../shared/ledger/lineage.ts";
import { EvolutionReport, type ReportedVersion } from "../../../../shared/report/evolutionReport.ts";
import { counted, plural } from "../../../../shared/words/numbers.ts";
import { release } from "../../base/release.ts";
import type { EntryLog } from "../../lineage/entries/entryLog.ts";
import { buildLineage, wholeRecord } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { openRepository } from "../../lineage/repository.ts";
import { sharedLedger } from "../../lineage/sharedLedger.ts";
import { allJobs, spendingOf } from "../jobs/jobList.ts";
import { readLineageReport } from "../versions/lineageReport.ts";
import { costsOf, diagnosticsOf, proposersOf, sealedOf, selectionOf } from "./figures.ts";
import { reportedVersion } from "./reportedVersion.ts";

/** The schema of the project's specs, as every spec names it. */
const apiVersion = "evotrainer/v1";

/**
 * All that git and the folders of runs know of an evolution; with `domain`, of an imported lineage. Reads only, and works while
 * another process owns the archive.
 * @throws HarnessError projectMissing, projectInvalid, notFound for a domain that is not there, and those of openRepository
 */
export async function readReport(root: string, asked?: string): Promise<EvolutionReport> {
  const shown = await readLineageReport(root, asked);
  const { entries, head } = await sharedLedger(await openRepository(root, { readOnly: true })).read();
  const { project, domain } = shown;
  const records = buildLineage(entries, domain).versions.map(wholeRecord);
  const byName = new Map(shown.versions.map((version) => [version.name, version]));
  const versions = records.flatMap((record) => {
    const view = byName.get(record.name);
    return view === undefined ? [] : [reportedVersion(record, view)];
  });
  const own = new Set(records.map(({ name }) => name));
  return EvolutionReport.parse({
    schema: 1,
    tool: { name: "EvoTrainer", release },
    made: new Date().toISOString(),
    ...{ project, domain },
    ledger: head ?? null,
    specs: {
      commit: records.findLast(({ parent }) => parent === null)?.commit ?? null,
      apiVersion,
      diagnostics: diagnosticsOf(records),
    },
    versions,
    selection: selectionOf(records),
    sealed: sealedOf(records),
    calibration: records.flatMap(({ calibration }) => calibration ?? []),
    procedure: [...entries].filter((entry) => isOf(entry, "procedure", domain)),
    costs: costsOf(versions, await machinesOf(root, own)),
    proposers: proposersOf(versions),
    evidence: closingsOf(entries, domain, own),
    warnings: warningsOf(shown, records, versions),
  } satisfies Record<keyof EvolutionReport, unknown>);
}

function isOf<T extends LedgerEntry["type"]>(
  entry: LedgerEntry,
  type: T,
  domain: string,
): entry is Extract<LedgerEntry, { type: T }> {
  return entry.type === type && entry.domain === domain;
}

function closingsOf(
  entries: EntryLog,
  domain: string,
  own: ReadonlySet<string>,
): EvolutionReport["evidence"] {
  const closings = new Map<string, EvolutionReport["evidence"][number]>();
  for (const entry of entries) {
    if (!isOf(entry, "closing", domain) || !own.has(entry.version) || closings.has(entry.run)) continue;
    const files = entry.files.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256, copy: null }));
    closings.set(entry.run, { at: entry.at, version: entry.version, run: entry.run, files });
  }
  return [...closings.values()];
}

async function machinesOf(
  root: string,
  own: ReadonlySet<string>,
): Promise<EvolutionReport["costs"]["machines"]> {
  const rows = (await allJobs(root)).filter(({ version }) => own.has(version));
  const spent = await spendingOf(root, rows);
  return spent
    .filter(({ jobs }) => jobs > 0)
    .map(({ host, jobs, hours, cost }) => ({ host, jobs, hours, cost }));
}

function warningsOf(
  { notices = [], quarantined = [], changedEvidence = [], versions: told }: LineageReport,
  records: readonly VersionRecord[],
  versions: readonly ReportedVersion[],
): string[] {
  const claimed = versions.filter(({ claims }) => claims.length > 0).map(({ name }) => name);
  const oneSeed = versions.filter(isKeptByOneSeed).map(({ name }) => name);
  const unconfined = records.flatMap(({ name, evidence }) => {
    const why = evidence.selection?.measuredOn?.unconfined ?? evidence.audit?.measuredOn?.unconfined;
    return why === undefined ? [] : [`A job of ${name} was not confined: ${why}`];
  });
  const untold = records.filter(
    ({ evidence, origin }) => origin === undefined && evidence.selection?.measuredOn === undefined,
  );
  return [
    ...notices,
    ...told.flatMap(({ name, held }) =>
      held === true
        ? [
            `${name} is held: its gain may be a shortcut, and no person has approved it, so it is not promoted.`,
          ]
        : [],
    ),
    ...quarantined.map(({ path, reason }) => `The ledger's entry ${path} is not used: ${reason}`),
    ...changedEvidence,
    ...(claimed.length === 0
      ? []
      : [
          `What the ledger says of ${claimed.join(", ")} is partly a claim: nobody whose key is trusted on this machine signed it.`,
        ]),
    ...(oneSeed.length === 0
      ? []
      : [
          `${oneSeed.join(", ")} ${plural(oneSeed.length, "was", "were")} kept on one seed only: nobody knows how much another training run would differ.`,
        ]),
    ...unconfined,
    ...(untold.length === 0
      ? []
      : [
          `The ledger does not say what ${counted(untold.length, "version")} ${plural(untold.length, "was", "were")} measured on: ${untold.map(({ name }) => name).join(", ")}.`,
        ]),
  ];
}

/** Of what claims to be better; the baseline is kept as what all are compared with. */
function isKeptByOneSeed({ decisions, hypothesis }: ReportedVersion): boolean {
  const last = decisions.at(-1);
  if (last?.decision !== "keep" || hypothesis === null) return false;
  if (last.stage !== null) return last.stage === "one_seed";
  return last.comparison?.seeds !== undefined && Math.min(...last.comparison.seeds) === 1;
}
