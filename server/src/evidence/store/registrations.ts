import { appendFile, readFile } from "node:fs/promises";
import { z } from "zod";
import { Split } from "../../../../shared/model/rollout.ts";
import { codeOf } from "../../base/errors.ts";
import { diskError } from "../../base/files.ts";
import { evidenceKinds, type EvidenceKind } from "../contract/parse.ts";

/** What a file is registered as. A run of null means that the file holds several runs, each line names its own. */
export interface SourceKey {
  readonly path: string;
  readonly kind: EvidenceKind;
  readonly run: string | null;
  readonly version: string;
  /** How a foreign file is read; left out for a file of the contract. */
  readonly imported?: Imported | undefined;
}

/** What brings a foreign file in again when the archive is rebuilt. */
export interface Imported {
  readonly format: string;
  /** The path that stands for the run: files with the same one are of the same run. */
  readonly runPath: string;
  readonly split?: Split | undefined;
  /** CEL that decides rollouts whose source has no verdict. */
  readonly passWhen?: string | undefined;
  /** The text of the mapping file that reads it. */
  readonly mapping?: string | undefined;
  /** What the ids of its records begin with, where another file of the run is called the same. */
  readonly stem?: string | undefined;
  /** Where the file holds several runs: what each is called in the archive, by what the file calls it. */
  readonly runs?: Readonly<Record<string, string>> | undefined;
  /** Whether each of these is a version of its own. */
  readonly runsAreVersions?: boolean | undefined;
}

/** The runs of a file: a file of the contract that holds several names them line by line. */
export const runsOfKey = ({ run, path, imported }: SourceKey): readonly string[] =>
  imported?.runs === undefined ? [run ?? path] : Object.values(imported.runs);

/** The run and the version of what a file says of a run, by what it calls the run. */
export function placeOfRun(
  { run, path, version, imported }: SourceKey,
  called: string | undefined,
): { readonly run: string; readonly version: string } {
  const name = called === undefined ? undefined : imported?.runs?.[called];
  if (name === undefined) return { run: run ?? path, version };
  return { run: name, version: imported?.runsAreVersions === true ? name : version };
}

const Registration = z.object({
  path: z.string().min(1),
  kind: z.enum(evidenceKinds),
  run: z.string().min(1).nullable(),
  version: z.string().min(1),
  imported: z
    .object({
      format: z.string().min(1),
      runPath: z.string(),
      split: Split.optional(),
      passWhen: z.string().optional(),
      mapping: z.string().optional(),
      stem: z.string().optional(),
      runs: z.record(z.string(), z.string().min(1)).optional(),
      runsAreVersions: z.boolean().optional(),
    })
    .optional(),
});

/** The list of registered files beside the database: it outlives the database, which is rebuilt from it. */
export function registrationsPath(databasePath: string): string {
  return `${databasePath.replace(/\.duckdb$/, "")}.sources.jsonl`;
}

/** Every registered file in the order of registration; a torn last line was never acted on and is left out. */
export async function readRegistrations(databasePath: string): Promise<SourceKey[]> {
  const byPath = new Map<string, SourceKey>();
  for (const line of (await registrationLines(databasePath)).split("\n")) {
    const value = parseOrNull(line);
    const parsed = Registration.safeParse(value);
    // A file that was imported anew in another way keeps its place and is read in that way.
    if (parsed.success) byPath.set(parsed.data.path, parsed.data);
    const forgotten = Forgotten.safeParse(value);
    if (forgotten.success && forgotten.data.run === undefined) byPath.delete(forgotten.data.forget);
  }
  return [...byPath.values()];
}

/** A line of the registrations that takes a file out again, or one run of a file that holds several. */
const Forgotten = z.object({ forget: z.string().min(1), run: z.string().min(1).optional() });
export interface Forgotten {
  readonly forget: string;
  readonly run?: string;
}

/** Notes that files, or runs of them, are not to be brought back. @throws HarnessError diskFull */
export async function forgetRegistrations(
  databasePath: string,
  forgotten: readonly Forgotten[],
): Promise<void> {
  await append(databasePath, forgotten);
}

/** The runs of a file that holds several which are not to be read any more, since it was last registered. */
export async function forgottenRuns(databasePath: string, path: string): Promise<ReadonlySet<string>> {
  const runs = new Set<string>();
  for (const line of (await registrationLines(databasePath)).split("\n")) {
    const { success, data } = Forgotten.safeParse(parseOrNull(line));
    if (!success || data.forget !== path) continue;
    if (data.run === undefined) runs.clear();
    else runs.add(data.run);
  }
  return runs;
}

/** The files that were forgotten at some time, or runs of them. */
export async function forgottenPaths(databasePath: string): Promise<ReadonlySet<string>> {
  const paths = new Set<string>();
  for (const line of (await registrationLines(databasePath)).split("\n")) {
    if (!line.includes('"forget"')) continue;
    const { success, data } = Forgotten.safeParse(parseOrNull(line));
    if (success) paths.add(data.forget);
  }
  return paths;
}

/** Adds files to the list in one write. @throws HarnessError diskFull */
export async function registerFiles(databasePath: string, keys: readonly SourceKey[]): Promise<void> {
  // Only what a rebuild needs, whatever else the key carries.
  const fields = keys.map(({ path, kind, run, version, imported }) => ({
    path,
    kind,
    run,
    version,
    imported,
  }));
  if (fields.length > 0) await append(databasePath, fields);
}

async function append(databasePath: string, records: readonly object[]): Promise<void> {
  const registrations = registrationsPath(databasePath);
  try {
    // Begins with a newline as well, so that a torn line of an earlier crash cannot swallow this one.
    const lines = records.map((record) => `${JSON.stringify(record)}\n`).join("");
    await appendFile(registrations, `\n${lines}`, { flush: true, mode: 0o600 });
  } catch (e) {
    throw diskError(e, registrations);
  }
}

async function registrationLines(databasePath: string): Promise<string> {
  try {
    return await readFile(registrationsPath(databasePath), "utf8");
  } catch (e) {
    if (codeOf(e) === "ENOENT") return "";
    throw e;
  }
}

function parseOrNull(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
