import { ArchiveFacts } from "../../../../shared/protocol/views/archiveFacts.ts";
import { HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import { placeOf } from "../../engine/workspace/place.ts";
import { questionKey, type Question } from "../../language/archive/triedConditions.ts";
import type { Archived } from "../../language/checks/checkSpecs.ts";

/** What the archive of a project says, or in a few words why it says nothing. */
export type Asked =
  | { readonly type: "asked"; readonly archived: Archived }
  | { readonly type: "notAsked"; readonly because: string };

/** Questions in one request; its schema allows no more. */
const mostTries = 1000;

/** Asks the archive of a project, whoever owns it, and makes none where there is none. */
export async function askArchive(root: string, questions: readonly Question[]): Promise<Asked> {
  const place = placeOf(root);
  if (!(await exists(place.archive))) return { type: "notAsked", because: "there is no archive" };
  // The database library takes longer to load than all specs to check: only where it is needed.
  const { withEngine } = await import("../../engine/owner/withEngine.ts");
  try {
    return await withEngine(place, async (engine) => {
      const facts = ArchiveFacts.parse(await engine.request("archive.facts", {}));
      const tries = questions.slice(0, mostTries);
      const { tried } = await engine.request("diagnostics.try", { tries });
      const known = tries.flatMap((question, i) => {
        const found = tried[i];
        return found ? [[questionKey(question), found] as const] : [];
      });
      return { type: "asked" as const, archived: { facts, tried: new Map(known) } };
    });
  } catch (e) {
    if (!HarnessError.is(e)) throw e;
    return { type: "notAsked", because: e.message };
  }
}
