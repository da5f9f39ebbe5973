import { mkdirSync, statSync } from "node:fs";
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
    const stat = statSync(folder);
    return stat.uid === uid && (stat.mode & 0o077) === 0 ? folder : undefined;
  } catch {
    return undefined;
  }
}
