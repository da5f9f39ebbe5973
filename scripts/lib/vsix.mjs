import { cpSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { nativePackage, thisPlatform } from "./nativePackage.mjs";
import { must, root, run } from "./process.mjs";

/** The package for this machine, which the tests and the README install. */
export const vsixFile = join(root, "dist/evotrainer.vsix");

/**
 * What a package may weigh at most, in megabytes: the native library is most of it. More means that something came in that
 * does not belong there.
 */
const budgets = {
  "linux-x64": 30,
  "linux-arm64": 27,
  "darwin-x64": 42,
  "darwin-arm64": 42,
  "win32-x64": 20,
};

const parts = [
  "package.json",
  ".vscodeignore",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
  "dist",
  "media",
  // Pictures of the walkthrough.
  ...["jobs", "gate", "lineage", "version"].map((name) => `docs/images/${name}.png`),
  "syntaxes",
  "schemas",
];

/** The packages without a native part that a package needs at run time: what is not bundled has to be shipped. */
const plainPackages = ["@duckdb/node-bindings", "detect-libc"];

/** Seconds since 1970 of the newest commit, or of the first release where there is no repository. */
async function commitTime() {
  const { code, output } = await run("git", ["log", "-1", "--format=%ct"]);
  return code === 0 ? output.trim() : "1767225600";
}

/**
 * Packages what is in dist/ for a platform. DuckDB's native library binds the package to it, and the package says so. The work
 * is done on a copy that holds the runtime packages alone: the packager asks npm for them, which fails over any stray package of
 * a developer.
 * @param {{ target?: string, preRelease?: boolean, file?: string }} [options] target: as VS Code calls the platform, by default
 *   this machine
 * @returns {Promise<{ file: string, megabytes: number }>}
 * @throws Error for a package above its budget
 */
export async function packageVsix({ target = thisPlatform, preRelease = false, file = vsixFile } = {}) {
  const native = await nativePackage(target);
  const stage = join(root, "out/package");
  rmSync(stage, { recursive: true, force: true });
  rmSync(file, { force: true });
  mkdirSync(join(stage, "node_modules"), { recursive: true });
  for (const part of parts)
    if (existsSync(join(root, part))) cpSync(join(root, part), join(stage, part), { recursive: true });
  const needed = [
    ...plainPackages.map((name) => ({ name, folder: join(root, "node_modules", name) })),
    native,
  ];
  for (const { name, folder } of needed)
    cpSync(folder, join(stage, "node_modules", name), { recursive: true, dereference: true });
  const vsce = join(root, "node_modules/@vscode/vsce/vsce");
  const options = [
    ...["--out", file, "--target", target],
    ...(preRelease ? ["--pre-release"] : []),
    ...["--allow-missing-repository", "--no-rewrite-relative-links"],
  ];
  // Two packages of one commit are the same, byte for byte.
  const env = { SOURCE_DATE_EPOCH: await commitTime() };
  await must("vsce package", process.execPath, [vsce, "package", ...options], { cwd: stage, env });
  rmSync(stage, { recursive: true, force: true });
  const megabytes = statSync(file).size / 1e6;
  const budget = budgets[target] ?? Infinity;
  if (megabytes > budget)
    throw new Error(
      `${file} weighs ${megabytes.toFixed(1)} MB, more than the ${budget} MB of ${target}: see what came in, or raise the budget in scripts/lib/vsix.mjs with the reason.`,
    );
  return { file, megabytes };
}
