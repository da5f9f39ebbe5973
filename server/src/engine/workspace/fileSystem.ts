import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import { silentLog, type Log } from "../../base/log.ts";

/** What is asked of the system about a folder; a test may answer instead. */
export interface FileSystemProbe {
  /** The type of the file system as Linux numbers it. */
  readonly typeOf: (folder: string) => Promise<number>;
  /** Why the folder cannot be written to, as an errno code; undefined when it can. */
  readonly writeError: (folder: string) => Promise<string | undefined>;
}

export const systemProbe: FileSystemProbe = {
  typeOf: async (folder) => (await statfs(folder)).type,
  writeError: (folder) =>
    access(folder, constants.W_OK | constants.X_OK).then(
      () => undefined,
      (e: unknown) => codeOf(e) ?? "unknown",
    ),
};

/** statfs(2): file systems whose locks another machine need not see, or does not see at once. */
const network: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
]);
/** FUSE: sshfs and other network mounts, but local ones as well; whether locks hold is for the lock itself to show. */
const fuse = 0x65735546;

/**
 * Refuses a folder that cannot be written to. It, or the nearest folder above it that exists, is asked.
 * @throws HarnessError unsupportedFileSystem
 */
export async function checkWritable(folder: string, probe = systemProbe): Promise<void> {
  const place = await nearest(folder);
  const code = await probe.writeError(place);
  if (code === "EROFS" || code === "EACCES" || code === "EPERM")
    throw new HarnessError(
      "unsupportedFileSystem",
      `${place} ${code === "EROFS" ? "is on a read-only file system" : "is not writable for this user"} (${code}), and the archive of the project is kept there; clone the project to a local folder that you may write to and work there.`,
    );
}

async function nearest(folder: string): Promise<string> {
  let place = folder;
  while (!(await exists(place)) && dirname(place) !== place) place = dirname(place);
  return place;
}

/**
 * Refuses a folder whose archive could not be kept whole there: read-only or on a network file system.
 * @throws HarnessError unsupportedFileSystem
 */
export async function checkFileSystem(
  folder: string,
  options: { readonly probe?: FileSystemProbe; readonly log?: Log } = {},
): Promise<void> {
  const { probe = systemProbe, log = silentLog } = options;
  await checkWritable(folder, probe);
  const place = await nearest(folder);
  // Other systems number their file systems differently.
  if (process.platform !== "linux" && probe === systemProbe) return;
  const type = (await probe.typeOf(place)) >>> 0;
  const name = network.get(type);
  if (name !== undefined)
    throw new HarnessError(
      "unsupportedFileSystem",
      `${place} is on a network file system (${name}), where two machines could write the archive of the project at once and damage it; clone the project to a local disk and work there.`,
    );
  if (type === fuse)
    log.warn("engine", "archive on FUSE, whose locks may not reach other machines", { folder: place });
}
