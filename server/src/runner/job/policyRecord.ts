import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { dataDigest } from "../../project/identity/dataDigest.ts";
import { assertOwnPolicy } from "../confine/ownPolicy.ts";
import { recordPath, writeRecord } from "./jobRecords.ts";

// What a policy was when its job had ended. A later job is to be given the same, or what it measures is another policy.

const PolicyRecord = z.object({ policy: z.string(), digest: z.string() });

/** What no job starts from: it is not read, because a job may have left a link to everything, or a file without end. */
const unread = "";

/** Writes down what the policy of a run is; false where no job may start from it. It is read once: later its files are read again only if somebody touched them. */
export async function notePolicy(runDirectory: string, policy: string): Promise<boolean> {
  const digest = (await isReadable(policy)) ? await digestOf(runDirectory, policy) : unread;
  await writeRecord(runDirectory, "policy.json", { policy, digest });
  return digest !== unread;
}

/** Whether nothing is there that a later job would wait for, such as a pipe. */
export async function isFileOrFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined || found.isFile() || found.isDirectory();
}

/** More than this in files that take hardly any room on the disk are holes, which take hours to read. */
const holeBytes = 2 ** 36;

async function isReadable(policy: string): Promise<boolean> {
  try {
    await assertOwnPolicy(policy);
    let holes = 0;
    for (const path of await pathsBelow(policy)) {
      const { size, blocks } = await stat(path);
      holes += Math.max(0, size - blocks * 512);
    }
    return holes < holeBytes;
  } catch (e) {
    if (HarnessError.is(e, "badInput") || ["ENOENT", "ENAMETOOLONG"].includes(codeOf(e) ?? "")) return false;
    throw e;
  }
}

async function pathsBelow(policy: string): Promise<string[]> {
  if (!(await stat(policy)).isDirectory()) return [policy];
  const entries = await readdir(policy, { recursive: true, withFileTypes: true });
  return entries.filter((e) => e.isFile()).map((e) => join(e.parentPath, e.name));
}

/**
 * A policy that a job is to start from leads nowhere else, and one that lies in the folder of its run is what its job left.
 * @throws HarnessError badInput for any other
 */
export async function assertPolicy(policy: string): Promise<void> {
  await assertOwnPolicy(policy);
  const runDirectory = dirname(policy);
  const noted = await readPolicyRecord(runDirectory);
  if (noted?.policy !== policy) return;
  if (noted.digest === unread)
    throw new HarnessError(
      "badInput",
      `The policy ${policy} held links to other files, or sparse files, when its job ended, so no job starts from it; make the trainer save plain files to EVO_POLICY_OUT.`,
    );
  if ((await isReadable(policy)) && noted.digest === (await digestOf(runDirectory, policy))) return;
  throw new HarnessError(
    "badInput",
    `The policy ${policy} is not what its job left there: somebody changed it after the job had ended, so no job starts from it. Put the files back as they were, or train anew with \`evotrainer evolve --restart\`.`,
  );
}

async function digestOf(runDirectory: string, policy: string): Promise<string> {
  const cache = recordPath(runDirectory, "policyFiles.json");
  await mkdir(dirname(cache), { recursive: true, mode: 0o700 });
  return dataDigest(policy, cache);
}

/** Undefined for a policy of an earlier release, or one that no run of the project made. */
async function readPolicyRecord(runDirectory: string): Promise<z.infer<typeof PolicyRecord> | undefined> {
  const text = await readFile(recordPath(runDirectory, "policy.json"), "utf8").catch((e: unknown) => {
    if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR") return undefined;
    throw e;
  });
  return text === undefined ? undefined : PolicyRecord.parse(JSON.parse(text));
}
