import type { ResultOf } from "../../engine/services/services.ts";
import { counted, size } from "../../../../shared/words/numbers.ts";
import { HarnessError } from "../../base/errors.ts";
import { meantVersion } from "../../base/meantVersion.ts";
import { findEvidenceRoot } from "../../engine/project/bareProject.ts";
import { placeOf } from "../../engine/workspace/place.ts";
import { ownVersions } from "../../engine/workspace/ownVersions.ts";
import { runTerms } from "../../engine/workspace/runTerms.ts";
import { compactStore } from "../../evidence/store/compact.ts";
import { rebuildStore } from "../../evidence/archive/store.ts";
import { inspect, type Inspection } from "../terminal/inspect.ts";
import { exitCodes, printResult, type Io } from "../terminal/io.ts";
import { table } from "../terminal/table.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

export const addArchive: AddVerb = (program, { io, cwd, exitWith }) => {
  const archive = program
    .command("archive")
    .description("the index over all evidence: what it holds, and how much disk space it takes");
  archive
    .command("status", { isDefault: true })
    .description("size, rows per version, missing files")
    .action(async () => status(io(), cwd));
  archive
    .command("forget [version]")
    .description("drop a version's evidence from the archive; the files stay")
    .option("--run <run>", "one run instead")
    .option("--delete-files", "also delete its files in .evotrainer", false)
    .action(async (version: string | undefined, o: Given<{ run?: string; deleteFiles: boolean }>) =>
      forgetEvidence(io(), cwd, { ...(version === undefined ? {} : { version }), ...o }),
    );
  archive
    .command("trim <version...>")
    .description("drop the text of a version's training rollouts; scores, labels and features stay")
    .option("--before <date>", "only of rollouts that began before")
    .action(async (versions: string[], o: Given<{ before?: string }>) =>
      trimText(io(), cwd, { versions, ...o }),
    );
  archive
    .command("compact")
    .description("free the disk space of what was dropped")
    .action(async () => compact(io(), cwd));
  archive
    .command("rebuild")
    .description("rebuild the archive from the registered files")
    .action(async () => exitWith(await rebuild(io(), cwd)));
};

/** `evotrainer archive`: how large it is, what is in it, and what compaction would give back. */
export async function status(io: Io, cwd: string): Promise<void> {
  await inspect(cwd, async ({ engine }) => {
    const s = await engine.request("archive.status", {});
    printResult(io, s, (s) =>
      [
        `${s.path}: ${size(s.archiveBytes)}, of which compaction would free ${size(s.reclaimableBytes)}`,
        `${counted(s.evidenceFiles, "evidence file")}, ${size(s.evidenceBytes)}; ${s.missingFiles.length === 0 ? "none is gone" : `${counted(s.missingFiles.length, "is", "are")} gone: a rebuild would lose what came from them`}`,
        ...s.missingFiles.slice(0, 10).map((path) => `  gone: ${path}`),
        ...(s.versions.length === 0
          ? ["Nothing was imported or trained yet."]
          : ["", versionsTable(io, s.versions)]),
      ].join("\n"),
    );
  });
}

function versionsTable(io: Io, versions: ResultOf<"archive.status">["versions"]): string {
  return table(
    [
      ["version", "files", "rollouts", "turns", "without text", "metrics", "quarantined"],
      ...versions.map((v) => [
        v.version,
        ...[v.files, v.rollouts, v.turns, v.trimmedTurns, v.metrics, v.quarantined].map(String),
      ]),
    ],
    [1, 2, 3, 4, 5, 6],
    io,
  );
}

/** A version of which the archive holds anything, be it quarantined lines alone. */
async function archivedVersion({ engine }: Inspection, asked: string): Promise<string> {
  const { versions } = await engine.request("archive.status", {});
  return meantVersion(
    asked,
    versions.map(({ version }) => version),
  );
}

/** `evotrainer archive forget`: drops a version or a run; a rebuild does not bring it back. */
export async function forgetEvidence(
  io: Io,
  cwd: string,
  options: { version?: string; run?: string; deleteFiles: boolean },
): Promise<void> {
  const { version, run, deleteFiles } = options;
  if ((version === undefined) === (run === undefined))
    throw new HarnessError("badInput", "Say what to forget: a version, or --run <run>.");
  await inspect(cwd, async (inspection) => {
    const { engine } = inspection;
    const target =
      version === undefined ? { run: run ?? "" } : { version: await archivedVersion(inspection, version) };
    const r = await engine.request("archive.forget", { target, deleteFiles });
    printResult(io, r, (r) =>
      [
        `Forgot ${counted(r.rollouts, "rollout")}, ${counted(r.turns, "turn")}, ${counted(r.metrics, "metric value")} and ${counted(r.quarantined, "quarantined line")} of ${counted(r.sources.length, "file")}; \`evotrainer archive compact\` frees the disk space.`,
        ...r.deletedFiles.map((path) => `deleted ${path}`),
        ...r.keptFiles.map(({ path, reason }) => `kept ${path}: ${reason}`),
      ].join("\n"),
    );
  });
}

/** `evotrainer archive trim`: drops the text of training rollouts, keeps scores, labels and features. */
export async function trimText(
  io: Io,
  cwd: string,
  options: { versions: readonly string[]; before?: string },
): Promise<void> {
  const { versions, before } = options;
  const started = before === undefined ? undefined : new Date(before);
  if (started !== undefined && Number.isNaN(started.getTime()))
    throw new HarnessError("badInput", `--before takes a date, such as 2026-01-31, not ${String(before)}.`);
  await inspect(cwd, async (inspection) => {
    const { engine } = inspection;
    const named: string[] = [];
    for (const version of versions) named.push(await archivedVersion(inspection, version));
    const r = await engine.request("archive.trim", {
      versions: named,
      ...(started === undefined ? {} : { startedBefore: started.toISOString() }),
    });
    printResult(
      io,
      r,
      (r) =>
        `Dropped the text of ${counted(r.turns, "turn")} in ${counted(r.rollouts, "training rollout")}; \`evotrainer archive compact\` frees the disk space, \`evotrainer archive rebuild\` brings the text back.`,
    );
  });
}

/** `evotrainer archive compact`: gives the room of what was dropped back to the disk. */
export async function compact(io: Io, cwd: string): Promise<void> {
  const { archive, evidenceRoot } = placeOf(await findEvidenceRoot(cwd));
  const r = await compactStore({ path: archive, evidenceRoot });
  printResult(io, r, (r) => `${size(r.before)} before, ${size(r.after)} now.`);
}

/** `evotrainer archive rebuild`: makes the archive anew from the registered files. */
export async function rebuild(io: Io, cwd: string): Promise<number> {
  const place = placeOf(await findEvidenceRoot(cwd));
  const { archive, evidenceRoot } = place;
  const { store, reports, missing, imported } = await rebuildStore({
    path: archive,
    evidenceRoot,
    termsOf: runTerms(place),
    isOwnVersion: ownVersions(place),
  });
  await store.close();
  const rows = reports.reduce((n, r) => n + r.rows, 0) + imported;
  printResult(io, { files: reports.length, records: rows, missing }, ({ missing }) =>
    [
      `Read ${counted(rows, "record")} again.`,
      ...missing.map(({ path, reason }) => `left out ${path}: ${reason}`),
    ].join("\n"),
  );
  return missing.length > 0 ? exitCodes.finding : exitCodes.success;
}
