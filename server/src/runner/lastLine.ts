import { join } from "node:path";
import { readTail } from "./job/evidenceSummary.ts";
import { lastWords } from "./job/failure.ts";

/** The last words of a job: of stderr, else of stdout, else of what Ray kept; a log that was cut lies beside its new start. */
export async function readLastLine(directory: string): Promise<string> {
  for (const name of ["stderr.log", "stderr.log.1", "stdout.log", "stdout.log.1", "ray.log"]) {
    const words = lastWords(await readTail(join(directory, name), 8192));
    if (words !== "") return words;
  }
  return "";
}
