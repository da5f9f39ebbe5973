import { createHash, randomBytes } from "node:crypto";
import { lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { isPrivate } from "../workspace/ownerFile.ts";

/** The shortest limit among systems is 104 bytes with the final zero (macOS). */
const longestAddress = 103;

const nameOf = (archive: string): string => createHash("sha256").update(archive).digest("hex").slice(0, 12);

/**
 * An unused address for the owner of an archive to listen on: a socket in a folder that only this user can enter, or a
 * named pipe on Windows. Each owner has its own, so that none ever removes another's; what dead ones left is removed.
 * @throws HarnessError unsupportedFileSystem
 */
export async function newAddress(archive: string): Promise<string> {
  const [name, once] = [nameOf(archive), randomBytes(4).toString("hex")];
  if (process.platform === "win32")
    return `\\\\.\\pipe\\evotrainer-${name}-${randomBytes(16).toString("hex")}`;
  const folder = await privateFolder(`${name}-${once}.sock`.length);
  await removeStale(folder, name);
  return join(folder, `${name}-${once}.sock`);
}

/** Only the holder of the archive's lock may call this: whoever else listened for this archive is no owner any more. */
async function removeStale(folder: string, name: string): Promise<void> {
  for (const file of await readdir(folder))
    if (file.startsWith(`${name}-`)) await rm(join(folder, file), { force: true });
}

async function privateFolder(nameLength: number): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const runtime = process.env["XDG_RUNTIME_DIR"] ?? "";
  const bases = [
    ...(runtime === "" ? [] : [join(runtime, "evotrainer")]),
    ...new Set([tmpdir(), "/tmp"].map((base) => join(base, `evotrainer-${uid}`))),
  ];
  const fits = (folder: string): boolean => Buffer.byteLength(folder) + 1 + nameLength <= longestAddress;
  for (const folder of bases) if (fits(folder) && (await makePrivate(folder))) return folder;
  // Somebody has taken the usual names: a new one cannot be taken.
  for (const base of new Set([tmpdir(), "/tmp"])) {
    if (!fits(join(base, "evotrainer-XXXXXX"))) continue;
    const made = await mkdtemp(join(base, "evotrainer-")).catch(() => undefined);
    if (made !== undefined) return made;
  }
  throw new HarnessError(
    "unsupportedFileSystem",
    `EvoTrainer found no folder where it can make a socket (tried ${bases.join(", ")}); set TMPDIR to a folder that you may write to and that has a short path.`,
  );
}

async function makePrivate(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (e) {
    if (codeOf(e) !== "EEXIST") return false;
  }
  const found = await lstat(folder).catch(() => undefined);
  return found?.isDirectory() === true && isPrivate(found);
}
