import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { must, root } from "./process.mjs";

const scope = "@duckdb/node-bindings";

/** The platforms of VS Code that DuckDB has a native library for, and how it calls them. */
const platforms = {
  "linux-x64": "linux-x64",
  "linux-arm64": "linux-arm64",
  "darwin-x64": "darwin-x64",
  "darwin-arm64": "darwin-arm64",
  "win32-x64": "win32-x64",
  "win32-arm64": "win32-arm64",
  "alpine-x64": "linux-x64-musl",
  "alpine-arm64": "linux-arm64-musl",
};

export const thisPlatform = `${process.platform}-${process.arch}`;

/** The platforms that a release is made for. */
export const released = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"];

/** The package with DuckDB's native library for a platform. */
export const nativeName = (target) => `${scope}-${platforms[target]}`;

/** @throws Error that says which platforms there are, and why there is no package for all of them */
export function refuseUnknownPlatform(target) {
  if (Object.hasOwn(platforms, target)) return;
  const why =
    target === "universal"
      ? "One package for all platforms would bring DuckDB's native library for each of them, more than 400 MB unpacked."
      : `There is no platform ${target}.`;
  throw new Error(`${why} Name one of ${Object.keys(platforms).join(", ")}, or all.`);
}

/**
 * The package with DuckDB's native library for a platform, in a folder that holds it unpacked. That of another platform comes
 * from the registry once, and has to be what package-lock.json says. @throws Error
 * @returns {Promise<{ name: string, folder: string }>}
 */
export async function nativePackage(target) {
  refuseUnknownPlatform(target);
  const name = nativeName(target);
  const installed = join(root, "node_modules", name);
  if (existsSync(installed)) return { name, folder: installed };
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const { version, integrity } = lock.packages[`node_modules/${name}`] ?? {};
  if (version === undefined)
    throw new Error(`package-lock.json has no ${name}; run npm install and commit the file.`);
  const kept = join(root, "out/native", `${platforms[target]}-${version}`);
  if (!existsSync(kept)) await fetchInto(kept, { name, version, integrity });
  return { name, folder: kept };
}

async function fetchInto(kept, { name, version, integrity }) {
  const into = `${kept}.part`;
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  const said = await must(
    `fetching ${name}`,
    "npm",
    ["pack", "--json", "--pack-destination", into, `${name}@${version}`],
    {
      cwd: into,
      limit: 600_000,
    },
  );
  const [{ filename }] = JSON.parse(said.slice(said.indexOf("[")));
  const archive = join(into, filename.replace("@", "").replace("/", "-"));
  const found = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
  if (found !== integrity)
    throw new Error(
      `${name}@${version} of the registry is not the one that package-lock.json names: ${found} instead of ${integrity}.`,
    );
  await must(`unpacking ${name}`, "tar", ["-xzf", archive, "-C", into]);
  renameSync(join(into, "package"), kept);
  rmSync(into, { recursive: true, force: true });
}
