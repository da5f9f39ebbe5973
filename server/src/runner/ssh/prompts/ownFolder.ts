import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

/** A folder for sockets that only we can enter; undefined when somebody else made it, and on Windows. */
export function ownFolder(): string | undefined {
  if (process.platform === "win32") return undefined;
  const { uid } = userInfo();
  // Short: the path of a socket may have about a hundred characters.
  const base = tmpdir().length > 40 ? "/tmp" : tmpdir();
  const folder = join(base, `evotrainer-ssh-${uid}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // A link that somebody laid may lead anywhere, also to a folder that is ours.
    const found = lstatSync(folder);
    const isOurs = found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0;
    return isOurs ? folder : undefined;
  } catch {
    return undefined;
  }
}
