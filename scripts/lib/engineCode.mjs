import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Keeps beside the bundle of the engine what V8 makes of it (see server/src/loadEngine.cjs), and what the engine reads in the
 * library of diagnostics (see server/src/project/library.ts). Without them all works the same, later.
 * @param {string} dist folder of the bundle
 */
export function keepEngineCode(dist) {
  // A process that has loaded a verb has compiled what every verb needs.
  const { status, stderr } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), dist], {
    encoding: "utf8",
  });
  if (status !== 0 || !existsSync(join(dist, "engine.cache")))
    throw new Error(`The code of ${join(dist, "engine.cjs")} could not be kept:\n${stderr}`);
}

async function main(dist) {
  const { scriptOf, exportsOf, digestOf } = createRequire(import.meta.url)("../../server/src/loadEngine.cjs");
  const file = join(dist, "engine.cjs");
  const source = readFileSync(file);
  const script = scriptOf(file, source);
  process.argv = [process.argv[0], join(dist, "cli.cjs"), "lineage", "--help"];
  process.stdout.write = () => true;
  const { cli, database, library, libraryPatterns } = exportsOf(script, file);
  await cli();
  await database();
  writeFileSync(join(dist, "engine.cache"), Buffer.concat([digestOf(source), script.createCachedData()]));
  writeFileSync(join(dist, "library/diagnostics.json"), await library());
  writeFileSync(join(dist, "library/patterns.json"), await libraryPatterns());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2]);
