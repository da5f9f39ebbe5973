import { existsSync } from "node:fs";
import { join } from "node:path";
import { skipBecause } from "../base/skip.ts";

const folder = process.env["EVOTRAINER_FIXTURES"] ?? join(import.meta.dirname, "../../../../shared/fixtures");

/** The path of a set of real files; skips the test, or from a `before` hook its suite, where it is missing. */
export function fixture(context: Mocha.Context, set: string): string {
  const path = join(folder, set);
  if (!existsSync(path)) skipBecause(context, `no fixtures: ${set}`);
  return path;
}

/** As `fixture`, but undefined where it is missing. */
export function fixtureOrNone(set: string): string | undefined {
  const path = join(folder, set);
  return existsSync(path) ? path : undefined;
}
