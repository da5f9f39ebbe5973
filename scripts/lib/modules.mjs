import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { must, root, seconds } from "./process.mjs";

const isLink = (path) => {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
};

/**
 * Installs node_modules from package-lock.json when they are missing or belong to another lock file. A node_modules
 * that is a link is shared with another checkout and left alone.
 */
export async function installModules(say) {
  const modules = join(root, "node_modules");
  if (isLink(modules)) {
    if (!existsSync(modules))
      throw new Error(`node_modules is a link to a folder that is gone; remove the link and run again.`);
    return;
  }
  const stamp = join(modules, ".evotrainer-lock-hash");
  const hash = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  say(`installing the packages of package-lock.json into ${modules} (npm ci)`);
  const start = performance.now();
  await must("npm ci", "npm", ["ci", "--no-audit", "--no-fund"]);
  writeFileSync(stamp, hash);
  say(`packages installed in ${seconds(start)}`);
}
