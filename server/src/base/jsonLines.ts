import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "./errors.ts";

/** The value of a line of JSON; undefined for what is none. */
export function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The values of a file of JSON lines, undefined for a line that is none; empty when there is no file. */
export async function readJsonLines(path: string): Promise<unknown[]> {
  try {
    return (await readFile(path, "utf8")).split("\n").map(jsonOf);
  } catch (e) {
    if (codeOf(e) === "ENOENT") return [];
    throw e;
  }
}

/** Adds a line to such a file, which only its user may read; nothing is ever changed or removed. */
export async function addJsonLine(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // A newline before it as well, so that a line in front of it that a crash tore stays the only one that is lost.
  await appendFile(path, `\n${JSON.stringify(value)}\n`, { mode: 0o600 });
}
