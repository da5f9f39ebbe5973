import { messageOf } from "../../base/errors.ts";
import type { VersionFiles } from "../lineage/nearestVersion.ts";
import type { Checks } from "./session/checks.ts";
import type { Session } from "./session/session.ts";

export type ReadParent = (root: string) => Promise<VersionFiles | undefined>;

/**
 * Reads what the projects go on from, in a workspace that is trusted: git can be made to run anything. The function that
 * it gives is to be called when that may have changed.
 */
export function followParents(
  session: Session,
  readParent: ReadParent | undefined,
  checks: Checks,
): () => void {
  const { index, log } = session;
  async function read(readOne: ReadParent): Promise<void> {
    for (const root of index.projects)
      try {
        index.noteParent(root, await readOne(root));
      } catch (e) {
        index.noteParent(root, undefined);
        log.info("parent", "unknown", { root, message: messageOf(e) });
      }
    await checks.checkAll();
  }
  return () => {
    if (session.trusted && readParent) void read(readParent);
  };
}
