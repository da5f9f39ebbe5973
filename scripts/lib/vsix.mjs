import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nativePackage, thisPlatform } from "./nativePackage.mjs";
import { addressFields, linkOptions, repositoryAddress } from "./address.mjs";
import { extensionBudgets } from "./budgets.mjs";
import { commitTime } from "./commitTime.mjs";
import { must, root } from "./process.mjs";
import { sameModes } from "./sameModes.mjs";
import { plainPackages } from "./shipped.mjs";

/** The package for this machine, which the tests and the README install. */
export const vsixFile = join(root, "dist/evotrainer.vsix");

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

/** Packages that were made before lie in dist/ too, and are no part of this one. */
const isNoPackage = (path) => !/\.(vsix|tgz|map)$/.test(path);

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
    if (existsSync(join(root, part)))
      cpSync(join(root, part), join(stage, part), { recursive: true, filter: isNoPackage });
  const manifest = JSON.parse(readFileSync(join(stage, "package.json"), "utf8"));
  const address = repositoryAddress(manifest);
  const named = { ...manifest, ...addressFields(address) };
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(named, undefined, 2)}\n`);
  const needed = [
    ...plainPackages.map((name) => ({ name, folder: join(root, "node_modules", name) })),
    native,
  ];
  for (const { name, folder } of needed)
    cpSync(folder, join(stage, "node_modules", name), { recursive: true, dereference: true });
  sameModes(stage);
  const vsce = join(root, "node_modules/@vscode/vsce/vsce");
  const options = [
    ...["--out", file, "--target", target],
    ...(preRelease ? ["--pre-release"] : []),
    ...linkOptions(address, manifest.version),
  ];
  // Two packages of one commit are the same, byte for byte. A zip file has its times in the zone of whoever makes it.
  const env = { SOURCE_DATE_EPOCH: String(await commitTime()), TZ: "UTC" };
  await must("vsce package", process.execPath, [vsce, "package", ...options], { cwd: stage, env });
  rmSync(stage, { recursive: true, force: true });
  const megabytes = statSync(file).size / 1e6;
  const budget = extensionBudgets[target] ?? Infinity;
  if (megabytes > budget)
    throw new Error(
      `${file} weighs ${megabytes.toFixed(1)} MB, more than the ${budget} MB of ${target}: see what came in, or raise the budget in scripts/lib/budgets.mjs with the reason.`,
    );
  return { file, megabytes };
}
