import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { addressFields, repositoryAddress } from "./address.mjs";
import { npmBudget } from "./budgets.mjs";
import { noticesFile } from "./notices.mjs";
import { must, root } from "./process.mjs";
import { sameModes } from "./sameModes.mjs";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** What npm installs for the command line alone: nothing of the editor's. */
const npmFile = join(root, `dist/evotrainer-${manifest.version}.tgz`);

const ofTheCommandLine = (name) => /\.(cjs|sh)$/.test(name) && !name.startsWith("client");

/**
 * Makes the npm package of the command line out of dist/. @throws Error for a package above its budget
 * @returns {Promise<{ file: string, megabytes: number }>}
 */
export async function packageForNpm() {
  const stage = join(root, "out/npm");
  rmSync(stage, { recursive: true, force: true });
  rmSync(npmFile, { force: true });
  mkdirSync(join(stage, "dist"), { recursive: true });
  for (const name of ["README.md", "CHANGELOG.md", "LICENSE"]) cpSync(join(root, name), join(stage, name));
  cpSync(join(root, "schemas"), join(stage, "schemas"), { recursive: true });
  // Messages and the README name the pages.
  for (const name of readdirSync(join(root, "docs")))
    if (name.endsWith(".md")) cpSync(join(root, "docs", name), join(stage, "docs", name));
  cpSync(noticesFile, join(stage, basename(noticesFile)));
  for (const name of readdirSync(join(root, "dist")))
    if (ofTheCommandLine(name) || ["examples", "library", "agents"].includes(name))
      cpSync(join(root, "dist", name), join(stage, "dist", name), { recursive: true });
  const { name, version, description, license, keywords, bin, engines } = manifest;
  const packaged = {
    ...{ name, version, description, license, keywords, bin },
    ...addressFields(repositoryAddress(manifest)),
    engines: { node: engines.node },
    // The rest is in the bundles.
    dependencies: { "@duckdb/node-bindings": manifest.dependencies["@duckdb/node-bindings"] },
  };
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(packaged, undefined, 2)}\n`);
  sameModes(stage);
  await must("npm pack", "npm", ["pack", "--silent", "--pack-destination", join(root, "dist")], {
    cwd: stage,
  });
  rmSync(stage, { recursive: true, force: true });
  const megabytes = statSync(npmFile).size / 1e6;
  if (megabytes > npmBudget)
    throw new Error(
      `${npmFile} weighs ${megabytes.toFixed(1)} MB, more than ${npmBudget} MB: see what came in, or raise the budget in scripts/lib/budgets.mjs with the reason.`,
    );
  return { file: npmFile, megabytes };
}
