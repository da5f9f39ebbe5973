import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { must, root } from "./process.mjs";

export const vsixFile = join(root, "dist/evotrainer.vsix");

const parts = [
  "package.json",
  ".vscodeignore",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
  "dist",
  "media",
  "syntaxes",
  "schemas",
];

/** The packages that a package needs at run time, with what those need: what is not bundled has to be shipped. */
function* runtimePackages(manifest, seen = new Set()) {
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const folder = join(root, "node_modules", name);
    // Native packages of other platforms are not installed.
    if (seen.has(name) || !existsSync(folder)) continue;
    seen.add(name);
    yield name;
    yield* runtimePackages(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")), seen);
  }
}

/**
 * Packages what is in dist/ into dist/evotrainer.vsix. DuckDB's native library binds the package to this platform, and
 * the package says so. The work is done on a copy that holds the runtime packages alone: the packager asks npm for them,
 * which fails over any stray package of a developer.
 */
export async function packageVsix() {
  const stage = join(root, "out/package");
  rmSync(stage, { recursive: true, force: true });
  rmSync(vsixFile, { force: true });
  mkdirSync(join(stage, "node_modules"), { recursive: true });
  for (const part of parts)
    if (existsSync(join(root, part))) cpSync(join(root, part), join(stage, part), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const name of runtimePackages({ dependencies: manifest.dependencies }))
    cpSync(join(root, "node_modules", name), join(stage, "node_modules", name), {
      recursive: true,
      dereference: true,
    });
  const vsce = join(root, "node_modules/@vscode/vsce/vsce");
  const target = `${process.platform}-${process.arch}`;
  const options = [
    "--out",
    vsixFile,
    "--target",
    target,
    "--allow-missing-repository",
    "--no-rewrite-relative-links",
  ];
  await must("vsce package", process.execPath, [vsce, "package", ...options], { cwd: stage });
  rmSync(stage, { recursive: true, force: true });
  return { file: vsixFile, megabytes: (statSync(vsixFile).size / 1e6).toFixed(1) };
}
