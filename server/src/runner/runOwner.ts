import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { codeOf } from "../base/errors.ts";

/** Beside a job's own files: on which machine it is. */
export const ownerFile = "host.json";
const HostMark = z.object({ host: z.string().nullable() });

/** The host that a run belongs to; null for this machine, undefined when nobody has said. */
export async function readOwner(directory: string): Promise<string | null | undefined> {
  const text = await readFile(join(directory, ownerFile), "utf8").catch((e: unknown) => {
    if (codeOf(e) === "ENOENT") return undefined;
    throw e;
  });
  return text === undefined ? undefined : HostMark.parse(JSON.parse(text)).host;
}
