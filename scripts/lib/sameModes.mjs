import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Lets everybody read the files below a folder, and run those that their owner can run: what was copied has the mask of whoever
 * builds, and a package would keep it.
 */
export function sameModes(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(path, 0o755);
    else if (entry.isFile()) chmodSync(path, (statSync(path).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}
