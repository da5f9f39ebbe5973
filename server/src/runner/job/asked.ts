import { hash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Split } from "../../../../shared/model/rollout.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { codeOf } from "../../base/errors.ts";
import { exists, writeFileAtomic } from "../../base/files.ts";
import type { Asked } from "../../evidence/store/runTerms.ts";
import { readItemIds } from "./evidenceSummary.ts";
import { recordPath, recordsFolder, writeRecord } from "./jobRecords.ts";

const Written = z.object({
  commit: z.string(),
  seed: z.int(),
  samples: z.int().positive().nullable(),
  /** By split the digest under which the ids of its items are kept; null when its file names none. */
  splits: z.array(
    z.object({
      split: Split,
      items: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .nullable(),
    }),
  ),
  /** Splits that another run has measured again, by that run. */
  replaced: z.partialRecord(Split, z.string()).optional(),
});

const Ids = z.array(z.string());

/** Writes down what a job is about to be asked for; `projectDirectory` is its checkout, which nobody has worked in yet. */
export async function writeAsked(
  runDirectory: string,
  asked: {
    readonly commit: string;
    readonly seed: number;
    readonly splits: readonly Split[];
    readonly project: ProjectSpec;
    readonly projectDirectory: string;
  },
): Promise<void> {
  const { commit, seed, project, projectDirectory } = asked;
  const splits: z.infer<typeof Written>["splits"] = [];
  for (const split of asked.splits) {
    const ids = await readItemIds(join(projectDirectory, project.evaluation.splits[split]));
    splits.push({ split, items: ids.length === 0 ? null : await keepIds(runDirectory, ids) });
  }
  const samples = project.evaluation.samples ?? null;
  const written: z.infer<typeof Written> = { commit, seed, samples, splits };
  await writeRecord(runDirectory, "asked.json", written);
}

/** The same items are written once, whatever number of runs has them. */
async function keepIds(runDirectory: string, ids: readonly string[]): Promise<string> {
  const text = `${JSON.stringify(ids)}\n`;
  const digest = hash("sha256", text);
  const path = idsPath(runDirectory, digest);
  if (await exists(path)) return digest;
  await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
  await writeFileAtomic(path, text, { mode: 0o600 });
  return digest;
}

const idsPath = (runDirectory: string, digest: string): string =>
  join(recordsFolder(runDirectory), "items", `${digest}.json`);

/** What the job of a run was asked for; null for runs of releases that did not write it down. */
export async function readAsked(runDirectory: string): Promise<Asked | null> {
  const text = await textOf(recordPath(runDirectory, "asked.json"));
  if (text === undefined) return null;
  const { commit, seed, samples, splits, replaced } = Written.parse(JSON.parse(text));
  const items = new Map<Split, ReadonlySet<string> | null>();
  for (const { split, items: digest } of splits)
    items.set(split, digest === null ? null : await readIds(idsPath(runDirectory, digest)));
  const again = Split.options.flatMap((split): [Split, string][] => {
    const by = replaced?.[split];
    return by === undefined ? [] : [[split, by]];
  });
  return { commit, seed, samples, splits: items, replaced: new Map(again) };
}

/** Notes that the run `by` measured a split again: what this run says of it counts no more. */
export async function replaceSplit(runDirectory: string, split: Split, by: string): Promise<void> {
  const text = await textOf(recordPath(runDirectory, "asked.json"));
  if (text === undefined) return;
  const written = Written.parse(JSON.parse(text));
  await writeRecord(runDirectory, "asked.json", {
    ...written,
    replaced: { ...written.replaced, [split]: by },
  });
}

async function readIds(path: string): Promise<ReadonlySet<string> | null> {
  const text = await textOf(path);
  return text === undefined ? null : new Set(Ids.parse(JSON.parse(text)));
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (e) {
    if (codeOf(e) === "ENOENT") return undefined;
    throw e;
  }
}
