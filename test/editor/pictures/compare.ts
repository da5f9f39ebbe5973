import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shots } from "../launcher/host.ts";
import { differences, overlaps, read, written, type Picture } from "./golden.ts";

const goldenPictures = new URL("golden/", import.meta.url).pathname;
/** The widths of a view, in CSS pixels. */
export const goldenWidths = [360, 500, 1000, 1600];

/** Whether golden pictures are made, not compared. */
export const makesGolden = process.env["EVOTRAINER_WRITE_PICTURES"] === "1";

/** How the names of the screenshots begin that are kept for a person to look at when a golden picture is made. */
export const bitmapsOf = (name: string): string | undefined =>
  makesGolden ? join(shots, `golden-${name}`) : undefined;

/**
 * What differs from the golden pictures of this name, and texts that lie over one another.
 * @throws when there is no golden picture of a width
 */
export function unlikeGolden(name: string, taken: readonly Picture[], isMaking = makesGolden): string[] {
  const file = join(goldenPictures, `${name}.txt`);
  if (isMaking) writeFileSync(file, written(taken, existsSync(file) ? read(readFileSync(file, "utf8")) : []));
  const golden = read(readFileSync(file, "utf8"));
  return taken.flatMap((now) => {
    const one = golden.find(({ width }) => width === now.width);
    assert.ok(one, `${file} has a picture of ${now.width} px`);
    return [...differences(one, now), ...overlaps(now.parts)].map((text) => `${now.width} px: ${text}`);
  });
}
