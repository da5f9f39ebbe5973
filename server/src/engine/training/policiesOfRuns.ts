import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import type { Fleet } from "../../runner/fleet/fleet.ts";
import { policyPath, runFolder, runId, type RunName } from "../workspace/runs.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Where runs are, here and on hosts. */
interface Runs {
  readonly workspace: Workspace;
  readonly fleet: Pick<Fleet, "elsewhereOf">;
}

/** Works that make a policy: training, and for the base version its measurement. */
const making = ["train", "selection"] as const;

/** Whether a run has left a policy, here or on its host. */
export async function hasPolicy({ workspace, fleet }: Runs, name: RunName): Promise<boolean> {
  if (await exists(policyPath(workspace, name))) return true;
  const elsewhere = await fleet.elsewhereOf(runId(name));
  return (await elsewhere?.hasPolicy(runId(name))) === true;
}

/** The policy of the same seed, or of the first seed where the version that a job starts from was not trained with it. */
export async function policyFor(
  runs: Runs & { readonly seedsOf: (version: string) => Promise<readonly number[]> },
  from: string,
  seed: number,
): Promise<string> {
  const seeds = await runs.seedsOf(from);
  return policyOf(runs, from, seeds.includes(seed) ? seed : (seeds[0] ?? seed));
}

/** A trained version's policy, or the base version's, whose measurement made it; brought here if it is not. @throws HarnessError notFound */
async function policyOf(runs: Runs, version: string, seed: number): Promise<string> {
  for (const work of making) {
    const path = policyPath(runs.workspace, { version, work, seed });
    if (await exists(path)) return path;
  }
  for (const work of making) {
    const path = await bring(runs, { version, work, seed });
    if (path !== undefined) return path;
  }
  throw new HarnessError(
    "notFound",
    `The policy of ${version} for seed ${seed} is missing under ${runFolder(runs.workspace, "")}; the trainer must write it to EVO_POLICY_OUT.`,
  );
}

/** Brings the policies of versions that are decided to be kept here, before the decision is written down. */
export async function bringKept(
  runs: Runs & { readonly seedsOf: (version: string) => Promise<readonly number[]> },
  entries: readonly LedgerEntry[],
): Promise<void> {
  for (const entry of entries)
    if (entry.type === "decision" && (entry.decision === "keep" || entry.decision === "base"))
      for (const seed of await runs.seedsOf(entry.version))
        for (const work of making) {
          const name = { version: entry.version, work, seed };
          // The host of an older run may have left evotrainer.yaml since.
          if (await exists(policyPath(runs.workspace, name))) continue;
          const elsewhere = await runs.fleet.elsewhereOf(runId(name));
          if (elsewhere?.policies === "kept") await bring(runs, name);
        }
}

async function bring({ workspace, fleet }: Runs, name: RunName): Promise<string | undefined> {
  const path = policyPath(workspace, name);
  // A run that never was here has no folder to bring anything into.
  if (!(await exists(runFolder(workspace, runId(name))))) return undefined;
  const elsewhere = await fleet.elsewhereOf(runId(name));
  await elsewhere?.fetchPolicy(runId(name), path);
  return (await exists(path)) ? path : undefined;
}
