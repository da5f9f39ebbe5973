import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { released, nativeName } from "./nativePackage.mjs";
import { root } from "./process.mjs";

/** The packages without a native part that a package needs at run time: what is not bundled has to be shipped. */
export const plainPackages = ["@duckdb/node-bindings", "detect-libc"];

/** Its library is compiled into the scanner of lines, which is committed as a module of WebAssembly. */
const compiledIn = "assemblyscript";

const jsonOf = (file) => JSON.parse(readFileSync(file, "utf8"));

/**
 * @typedef {{ name: string, version: string, license: string, folder: string | undefined }} Shipped
 *   folder: where it is installed; undefined for the native library of another platform
 */

/**
 * Every package of others of which something is in a package that `npm run package` makes, by name.
 * @param {Record<string, { outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }> }>} metas
 *   what esbuild says of each bundle (out/meta.json)
 * @returns {Shipped[]}
 */
export function shippedPackages(metas) {
  const folders = new Set([...plainPackages, compiledIn].map((name) => join("node_modules", name)));
  for (const { outputs } of Object.values(metas))
    for (const { inputs } of Object.values(outputs))
      for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
        // node_modules may be a link to those of another clone.
        const [folder] =
          /node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file.replaceAll("\\", "/")) ??
          [];
        if (folder !== undefined && bytesInOutput > 0) folders.add(folder);
      }
  const installed = [...folders].map((path) => {
    const folder = join(root, path);
    const { name, version, license } = jsonOf(join(folder, "package.json"));
    return { name, version, license, folder };
  });
  const lock = jsonOf(join(root, "package-lock.json"));
  const native = released.map((platform) => {
    const name = nativeName(platform);
    const { version, license } = lock.packages[`node_modules/${name}`];
    const folder = join(root, "node_modules", name);
    return { name, version, license, folder: existsSync(folder) ? folder : undefined };
  });
  const idOf = ({ name, version }) => `${name}@${version}`;
  const all = new Map([...installed, ...native].map((one) => [idOf(one), one]));
  return [...all.values()].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

/** What `shippedPackages` reads, as the last build wrote it. */
export const builtMetas = () => jsonOf(join(root, "out/meta.json"));

/** The texts of a package that say under which terms it may be passed on, without repetition. */
export function licenseTexts(folder) {
  const names = readdirSync(folder).filter((name) =>
    /^(licen[cs]e|notices?|copying|copyrightnotice|thirdpartynotices)(\.(md|txt))?$/i.test(name),
  );
  return names.sort().map((name) => readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trim());
}
