import { existsSync } from "node:fs";
import { join, relative } from "node:path";

/**
 * For tests: the arguments with which Node runs a TypeScript file. Before its tests, `npm test` bundles the files whose
 * comments say that tests run them as programs; elsewhere, and for other files, tsx compiles the file.
 */
export function programArguments(file: string): string[] {
  const bundles = process.env["EVOTRAINER_TEST_BUNDLES"];
  if (bundles !== undefined) {
    const bundle = join(bundles, relative(join(bundles, "../.."), file).replace(/\.ts$/, ".mjs"));
    if (existsSync(bundle)) return [bundle];
  }
  return ["--import", "tsx", file];
}
