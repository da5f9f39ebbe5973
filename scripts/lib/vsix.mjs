import { statSync } from "node:fs";
import { join } from "node:path";
import { must, root } from "./process.mjs";

export const vsixFile = join(root, "dist/evotrainer.vsix");

/**
 * Packages what is in dist/ into dist/evotrainer.vsix. DuckDB's native library binds the package to this platform, and
 * the package says so.
 */
export async function packageVsix() {
  const options = [
    "--out",
    vsixFile,
    "--target",
    `${process.platform}-${process.arch}`,
    "--allow-missing-repository",
    // The links of README.md lead into the repository; where that lies is not fixed yet.
    "--no-rewrite-relative-links",
    "--no-update-package-json",
  ];
  const vsce = join(root, "node_modules/@vscode/vsce/vsce");
  await must("vsce package", process.execPath, [vsce, "package", ...options]);
  return { file: vsixFile, megabytes: (statSync(vsixFile).size / 1e6).toFixed(1) };
}
