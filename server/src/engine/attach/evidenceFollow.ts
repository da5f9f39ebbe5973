import type { EvidenceFollow } from "../../../../shared/protocol/results/evidenceFollow.ts";
import { HarnessError } from "../../base/errors.ts";
import { openEvidence } from "../../evidence/contract/readLines.ts";
import { safeName } from "../../evidence/importing/runNames.ts";
import { takeOut } from "../../evidence/ingest/takeOut.ts";
import { countRollouts } from "../../evidence/queries/query.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { readRegistrations } from "../../evidence/store/registrations.ts";
import { numberOf, stringOf } from "../../evidence/store/rows.ts";
import { changeSince, storedPath } from "../../evidence/store/sources.ts";
import { bringIn } from "../importing/importEvidence.ts";
import { projectOrBare, type EvidenceProject } from "../project/bareProject.ts";
import { defineService } from "../workspace/service.ts";
import { forgetFollowed, labelFollowed, labelsFound } from "./followedLabels.ts";
import { unjudgedNotes } from "./unjudged.ts";
import { filesOfStep, metricsAt, newestSteps } from "./standing.ts";

/** Brings in what a run of somebody else wrote so far, and says how the run stands. Doing it again changes nothing. */
export const evidenceFollow = defineService("evidence.follow", {
  repeatable: true,
  async run({ store, root }, { paths, name, compare, ...asked }, { signal, progress }) {
    const version = asked.version ?? (await versionFor(store, paths, name));
    if (compare === version)
      throw new HarnessError(
        "badInput",
        `${version} is the followed run itself; give --compare another version of the archive.`,
      );
    const replaced = await takeOutReplaced(store, paths);
    if (replaced.length > 0) forgetFollowed();
    const { as, passWhen } = asked;
    const { counts, notes } = await bringIn(
      store,
      {
        paths,
        version,
        ...(as === undefined ? {} : { as }),
        ...(passWhen === undefined ? {} : { passWhen }),
      },
      { signal, onProgress: (message) => progress({ message }) },
    );
    const project = await projectOrBare(root, asked.with);
    const split = asked.split ?? (await splitOf(store, version));
    const stands = await standing(store, project, { version, split });
    const last = stands.steps.at(-1);
    const newest = { split: split ?? "train", version } as const;
    const unjudged =
      last === undefined ? [] : await unjudgedNotes(store, { ...newest, atStep: last.step }, passWhen);
    return {
      version,
      split,
      added: { rollouts: counts.rollouts, metrics: counts.metrics },
      quarantined: counts.quarantined,
      problems: counts.problems,
      replaced,
      waiting: counts.waiting.map(({ path }) => path),
      refused: [...notes.refused, ...counts.refused].slice(0, 100),
      unrecognised: notes.unrecognised,
      ...stands,
      notes: [...unjudged, ...project.problems.map((p) => `${p.path}:${p.line}: ${p.message}`)],
    };
  },
});

/** The version that the files are in already, or else a name that none has. */
async function versionFor(store: Store, paths: readonly string[], wished: string): Promise<string> {
  const registered = await readRegistrations(store.path);
  const own = new Set(paths.map((path) => storedPath(store, path)));
  const known = registered.find(({ path }) => own.has(path));
  if (known !== undefined) return known.version;
  const rows = await store.query({
    sql: "SELECT DISTINCT version FROM rollouts UNION SELECT DISTINCT version FROM metrics",
    params: [],
  });
  const taken = new Set([
    ...rows.map((row) => stringOf(row, "version")),
    ...registered.map(({ version }) => version),
  ]);
  const base = safeName(wished);
  for (let n = 1; ; n++) {
    const version = n === 1 ? base : `${base}-${n}`;
    if (!taken.has(version)) return version;
  }
}

/**
 * Takes out what the archive has of files that were cut or replaced, so that they are read from their beginning: somebody who
 * starts a run again in the same folder writes over them. Files that are read as a whole replace their records themselves.
 */
async function takeOutReplaced(store: Store, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  const byStored = new Map(paths.map((path) => [storedPath(store, path), path]));
  const rows = await store.query({
    sql: `SELECT path, consumed, fingerprint FROM sources
          WHERE consumed > 0 AND NOT complete AND path IN (SELECT unnest(from_json(?, '["VARCHAR"]')))`,
    params: [JSON.stringify([...byStored.keys()])],
  });
  const replaced: string[] = [];
  for (const row of rows) {
    const path = byStored.get(stringOf(row, "path")) ?? "";
    const file = await openEvidence(path).catch((e: unknown) => {
      // What is gone by now keeps its records, and the import says so.
      if (HarnessError.is(e, "notFound") || HarnessError.is(e, "badInput")) return undefined;
      throw e;
    });
    if (file === undefined) continue;
    try {
      const consumed = numberOf(row, "consumed");
      if ((await changeSince(file, { consumed, fingerprint: stringOf(row, "fingerprint") })) === undefined)
        continue;
    } finally {
      await file.close();
    }
    await takeOut(store, path);
    replaced.push(path);
  }
  return replaced;
}

type OpenSplit = "train" | "selection";

/** Training is what is watched, where there is any. */
async function splitOf(store: Store, version: string): Promise<OpenSplit | null> {
  const rows = await store.query({
    sql: "SELECT DISTINCT split::VARCHAR AS split FROM rollouts WHERE version = ?",
    params: [version],
  });
  const splits = new Set(rows.map((row) => stringOf(row, "split")));
  return splits.has("train") ? "train" : splits.has("selection") ? "selection" : null;
}

type Standing = Pick<EvidenceFollow, "rollouts" | "steps" | "newestFiles" | "metrics" | "labels">;

/** Labels the new rollouts of a version, and says how its run stands. */
async function standing(
  store: Store,
  project: EvidenceProject,
  { version, split }: { readonly version: string; readonly split: OpenSplit | null },
): Promise<Standing> {
  const within = { split: split ?? "train", version } as const;
  const labels = await labelFollowed(store, project, within);
  const steps = await newestSteps(store, within);
  const last = steps.at(-1);
  return {
    rollouts: (await countRollouts(store, within)).total,
    steps,
    newestFiles: last === undefined ? [] : await filesOfStep(store, { ...within, atStep: last.step }),
    metrics: await metricsAt(store, version),
    labels: labelsFound(labels),
  };
}
