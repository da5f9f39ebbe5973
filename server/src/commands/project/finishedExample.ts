import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { z } from "zod";
import { HarnessError, messageOf } from "../../base/errors.ts";
import { privateFolder } from "../../base/files.ts";
import { openRepository } from "../../lineage/repository.ts";
import { distrustKey, trustedByName, trustKey } from "../../lineage/trust/trustedKeys.ts";

/**
 * A project that has evolved, in one file: its repository as a bundle, and of its folder `.evotrainer` what the archive is made
 * of again and what the jobs left. `scripts/finishedExample.ts` writes it.
 */
export const FinishedProject = z.strictObject({
  /** The public key that signed its ledger. The private one was deleted when the file was made: nobody signs with it any more. */
  key: z.string(),
  /** A bundle of git with all branches, in base64. */
  bundle: z.base64(),
  /** Texts by their path in `.evotrainer`; `projectMark` stands for the project's folder. */
  texts: z.record(z.string(), z.string()),
  /** Files that are no text, in base64. */
  binaries: z.record(z.string(), z.base64()),
});
export type FinishedProject = z.infer<typeof FinishedProject>;

/** Stands for the project's folder in the texts: JSON writes some folders with escapes. */
export const projectMark = "<project>";

const decompressed = promisify(brotliDecompress);
const run = promisify(execFile);

/** What `evotrainer trust` calls the key of the finished example. */
export const exampleSigner = "the finished example";

/**
 * Lays a finished project into an empty folder, and trusts the key that signed its ledger: otherwise all that the ledger says
 * would be somebody's claim. @throws HarnessError badInput, gitFailed
 */
export async function layOut(file: string, folder: string): Promise<void> {
  const { key, bundle, texts, binaries } = await readFinished(file);
  await addRepository(folder, Buffer.from(bundle, "base64"));
  const inJson = JSON.stringify(folder).slice(1, -1);
  const engineFolder = join(folder, ".evotrainer");
  await privateFolder(engineFolder);
  const put = async (path: string, content: string | Buffer): Promise<void> => {
    const at = join(engineFolder, path);
    await mkdir(dirname(at), { recursive: true, mode: 0o700 });
    await writeFile(at, content, { mode: 0o600 });
  };
  for (const [path, text] of Object.entries(texts)) await put(path, text.replaceAll(projectMark, inJson));
  for (const [path, bytes] of Object.entries(binaries)) await put(path, Buffer.from(bytes, "base64"));
  await trustSigner(key);
}

/** The example of another release has another key, which takes the place of the one before. */
async function trustSigner(key: string): Promise<void> {
  const before = trustedByName().find(({ name }) => name === exampleSigner);
  if (before?.key === key) return;
  if (before !== undefined) await distrustKey(before.key);
  await trustKey({ key, name: exampleSigner });
}

async function readFinished(file: string): Promise<FinishedProject> {
  try {
    const text = (await decompressed(await readFile(file))).toString("utf8");
    return FinishedProject.parse(JSON.parse(text));
  } catch (e) {
    throw new HarnessError(
      "badInput",
      `${file} is no finished example of this release (${messageOf(e)}); install EvoTrainer again.`,
      { cause: e },
    );
  }
}

/** All branches of the bundle, with the first one checked out. */
async function addRepository(folder: string, bundle: Buffer): Promise<void> {
  const stage = await mkdtemp(join(tmpdir(), "evotrainer-init-"));
  const git = (...args: string[]) => run("git", args, { cwd: folder });
  try {
    const file = join(stage, "finished.bundle");
    await writeFile(file, bundle);
    await git("init", "--quiet", "--initial-branch=main");
    await git("fetch", "--quiet", "--update-head-ok", file, "+refs/heads/*:refs/heads/*");
    await git("reset", "--quiet", "--hard");
    // The engine's folder is to be no change of the repository.
    await openRepository(folder);
  } catch (e) {
    throw new HarnessError("gitFailed", `git failed in ${folder}: ${messageOf(e)}`, { cause: e });
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}
