import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf } from "../../server/src/base/errors.ts";

const manifest = fileURLToPath(new URL("yamlServer", import.meta.url));
const folder = fileURLToPath(new URL("../../out/bench/yaml-language-server-1.25.0", import.meta.url));

/** Where yaml-language-server is installed, or why it could not be. */
export type YamlServer = { readonly modules: string } | { readonly skipped: string };

/**
 * Installs yaml-language-server 1.25.0, once, into out/ of the clone: the product and its own packages stay as they are.
 * Versions are those of bench/language/yamlServer/package-lock.json.
 */
export function ensureYamlServer(): YamlServer {
  const modules = join(folder, "node_modules");
  if (existsSync(modules)) return { modules };
  const work = `${folder}.partial-${process.pid}`;
  try {
    mkdirSync(work, { recursive: true });
    cpSync(manifest, work, { recursive: true });
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd: work,
      stdio: ["ignore", "ignore", "inherit"],
      timeout: 120_000,
    });
    rmSync(folder, { recursive: true, force: true });
    renameSync(work, folder);
    return { modules };
  } catch (error) {
    return { skipped: `yaml-language-server 1.25.0 could not be installed: ${messageOf(error)}` };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
