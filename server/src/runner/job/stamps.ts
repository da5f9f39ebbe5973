import { readFile } from "node:fs/promises";
import { z } from "zod";
import { codeOf } from "../../base/errors.ts";
import { recordPath, writeRecord } from "./jobRecords.ts";

const Stamps = z.record(z.string(), z.string());
type Stamps = z.infer<typeof Stamps>;

/** Marks of files of a closed run that were read, and found to be as they were closed, although their first mark is gone. */
export async function readStamps(runDirectory: string): Promise<Stamps> {
  try {
    const parsed = Stamps.safeParse(
      JSON.parse(await readFile(recordPath(runDirectory, "stamps.json"), "utf8")),
    );
    return parsed.success ? parsed.data : {};
  } catch (e) {
    if (codeOf(e) === "ENOENT" || e instanceof SyntaxError) return {};
    throw e;
  }
}

/** Keeps such marks; where nothing can be written, the files are read again the next time. */
export async function writeStamps(runDirectory: string, stamps: Stamps): Promise<void> {
  try {
    await writeRecord(runDirectory, "stamps.json", stamps);
  } catch (e) {
    if (!["EACCES", "EPERM", "EROFS"].includes(codeOf(e) ?? "")) throw e;
  }
}
