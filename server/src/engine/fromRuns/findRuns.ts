import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { isConfigName, readConfig } from "./readers/registry.ts";
import type { ReadConfig } from "./readers/reader.ts";

/** A file that says how a run was started. */
export interface FoundConfig extends ReadConfig {
  /** Absolute. */
  readonly file: string;
  readonly text: string;
}

/** A run that is there: what it wrote, and what it says of how it was started. */
export interface FoundRun {
  /** As the folder or file is called. */
  readonly name: string;
  /** Absolute: where its evidence lies. */
  readonly path: string;
  readonly configs: readonly FoundConfig[];
  /** Milliseconds since 1970: when it was last written to. */
  readonly at: number;
}

export interface Found {
  /** Launch scripts and settings that were named themselves. */
  readonly configs: readonly FoundConfig[];
  /** In the order in which they were named; those of one folder from the oldest on. */
  readonly runs: readonly FoundRun[];
}

/** Longer files are no launch scripts and no settings. */
const longest = 1_000_000;
/** What is called so lies in a run's folder. */
const partsOfRuns =
  /^(\.hydra|rollouts?|rollout_data|validation\w*|val_data|completions|checkpoint-\d+|evals?)$/;
const isEvidence = (name: string): boolean => /\.(jsonl|parquet|pkl)$/.test(name);

/** What is at and below the given paths. @throws HarnessError notFound, badInput */
export async function findRuns(paths: readonly string[]): Promise<Found> {
  const configs: FoundConfig[] = [];
  const runs: FoundRun[] = [];
  for (const path of paths) {
    const at = await timeOf(path);
    if (!at.isFolder) {
      const config = await configAt(path);
      if (config !== undefined) configs.push(config);
      else if (isEvidence(path))
        runs.push({ name: basename(path).replace(/\.\w+$/, ""), path, configs: [], at: at.time });
      else
        throw new HarnessError(
          "badInput",
          `${path} is neither a launch script nor settings nor rollouts that EvoTrainer knows; name the folder of a run, a launch script (*.sh) that gives two or more settings (key=value or --key value), or settings (*.yaml, *.toml).`,
        );
      continue;
    }
    for (const folder of await runFolders(path)) runs.push(await runIn(folder));
  }
  return { configs, runs };
}

async function timeOf(path: string): Promise<{ readonly isFolder: boolean; readonly time: number }> {
  try {
    const found = await stat(path);
    return { isFolder: found.isDirectory(), time: found.mtimeMs };
  } catch (e) {
    if (codeOf(e) === undefined) throw e;
    throw new HarnessError(
      "notFound",
      `There is no ${path}; give --from the folders of runs and their launch script.`,
      {
        cause: e,
      },
    );
  }
}

/** The folder itself where it holds parts of a run, otherwise those below it that do, from the oldest on. */
async function runFolders(folder: string): Promise<string[]> {
  if (await isRun(folder)) return [folder];
  const below: { readonly path: string; readonly time: number }[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && (await isRun(path))) below.push({ path, time: (await runIn(path)).at });
  }
  below.sort((a, b) => a.time - b.time || (a.path < b.path ? -1 : 1));
  return below.length === 0 ? [folder] : below.map(({ path }) => path);
}

async function isRun(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.some((entry) =>
    entry.isDirectory()
      ? partsOfRuns.test(entry.name)
      : isEvidence(entry.name) || /\.(sh|toml)$/.test(entry.name),
  );
}

async function runIn(folder: string): Promise<FoundRun> {
  const entries = await readdir(folder, { withFileTypes: true });
  const own = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const configs: FoundConfig[] = [];
  // The whole configuration first: what the run was started with is said more exactly by its overrides.
  for (const name of [".hydra/config.yaml", ".hydra/overrides.yaml", ...own.sort()]) {
    const config = await configAt(join(folder, name));
    if (config !== undefined) configs.push(config);
  }
  const times = await Promise.all(entries.map(async ({ name }) => (await timeOf(join(folder, name))).time));
  return { name: basename(folder), path: folder, configs, at: Math.max(0, ...times) };
}

async function configAt(path: string): Promise<FoundConfig | undefined> {
  const named = path.replaceAll("\\", "/");
  if (!isConfigName(named)) return undefined;
  try {
    if ((await stat(path)).size > longest) return undefined;
    const text = await readFile(path, "utf8");
    const config = readConfig(named, text);
    return config && { ...config, file: path, text };
  } catch (e) {
    if (codeOf(e) === undefined) throw e;
    return undefined;
  }
}
