import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { isWithin } from "./jobView.ts";

/**
 * A policy that an earlier job left may hold links to anything on this machine, which a later job would then be given.
 * @throws HarnessError badInput for one that leads out of the policy
 */
export async function assertOwnPolicy(policy: string): Promise<void> {
  const folder = await realpath(dirname(policy)).catch(() => undefined);
  if (folder === undefined) return;
  const own = join(folder, basename(policy));
  for (const path of [own, ...(await linksBelow(own))]) {
    const real = await realpath(path).catch(() => own);
    if (!isWithin(real, own))
      throw new HarnessError(
        "badInput",
        `The policy ${policy} holds a link to ${real}, which is no part of it, so no job starts from it; make the trainer save the file itself to EVO_POLICY_OUT.`,
      );
  }
}

async function linksBelow(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((e) => e.isSymbolicLink()).map((e) => join(e.parentPath, e.name));
  } catch (e) {
    if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR") return [];
    if (codeOf(e) === "ENAMETOOLONG")
      throw new HarnessError(
        "badInput",
        `The policy ${folder} has folders nested so deeply that their paths are too long to read, so no job starts from it; make the trainer save it with fewer nested folders.`,
      );
    throw e;
  }
}
