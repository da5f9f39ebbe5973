import type { LineageView } from "../../../shared/protocol/lineage.ts";
import type { LineageReply } from "../../../shared/protocol/lsp.ts";
import { messageOf } from "../base/errors.ts";

export type ReadLineage = (root: string) => Promise<LineageView>;

/** Answers evotrainer/lineage: for the project asked for, or for the first one of the workspace. */
export async function lineageReply(
  workspace: { readonly folders: number; readonly projects: readonly string[] },
  asked: string | undefined,
  readLineage: ReadLineage,
): Promise<LineageReply> {
  const root =
    asked === undefined ? workspace.projects[0] : workspace.projects.find((project) => project === asked);
  if (root === undefined) return workspace.folders === 0 ? { type: "noFolder" } : { type: "noProject" };
  try {
    return { type: "lineage", root, view: await readLineage(root) };
  } catch (e) {
    return { type: "unreadable", root, message: messageOf(e) };
  }
}
