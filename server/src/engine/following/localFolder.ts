import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { filesUnder } from "../../evidence/importing/discover.ts";
import { mayBeEvidence, type FollowedFolder, type SeenFile } from "./followedFolder.ts";

/** A folder of this machine. Its files are read where they are. */
export function localFolder(path: string): FollowedFolder {
  return {
    async look(signal) {
      const seen: SeenFile[] = [];
      // A folder that cannot be read yet may be readable at the next look.
      for await (const file of filesUnder([path], () => undefined)) {
        if (signal.aborted) throw new HarnessError("cancelled", `Stopped following ${path}.`);
        if (!mayBeEvidence(basename(file))) continue;
        const found = await stat(file, { bigint: true }).catch((e: unknown) => {
          if (codeOf(e) === undefined) throw e;
          return undefined;
        });
        if (found?.isFile() !== true) continue;
        const quietFor = Math.max(0, (Date.now() - Number(found.mtimeMs)) / 1000);
        seen.push({ path: file, stamp: `${found.ino} ${found.size} ${found.mtimeNs}`, quietFor });
      }
      return seen;
    },
    close: () => undefined,
  };
}
