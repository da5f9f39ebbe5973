import { existsSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { isWithin } from "./jobView.ts";

/** Folders of this machine in whose place a confined job has an empty one (docs/confinement.md). */
const emptied = (): string[] => ["/tmp", "/var/tmp", "/dev/shm", tmpdir()];

/**
 * What a confined job of this machine asked for and did not see, although it exists: a path in a temporary folder that it named
 * in its last words, or the program that it should have started.
 * @param said what the job, or whoever started it, wrote
 * @param program the first word of its command
 * @param path where programs are looked for, as in PATH
 */
export function unseenPath(
  said: readonly string[],
  { program, path }: { readonly program: string; readonly path: string },
): string | undefined {
  const named = said.flatMap((text) => text.match(/\/[^\s:'"`,;()]+/g) ?? []);
  const found = [...named, programFile(program, path)];
  return found.find((file) => file !== undefined && existsSync(file) && isEmptied(file));
}

function programFile(program: string, path: string): string | undefined {
  if (program.includes("/")) return isAbsolute(program) ? program : undefined;
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));
}

/** The program of a virtual environment elsewhere may be a link into a temporary folder. */
const isEmptied = (file: string): boolean =>
  [file, realpathSync(file)].some((place) => emptied().some((folder) => isWithin(place, folder)));
