import type { LineagePage } from "../../../../shared/protocol/views/lineage.ts";
import type { LineageReply } from "../../../../shared/protocol/lsp.ts";
import { messageOf } from "../../base/errors.ts";
import type { LineageOutline } from "../../lineage/lineageOutline.ts";

export type ReadLineage = (root: string) => Promise<LineageOutline>;

/** The project that is asked about, the first one of the workspace when none is named; or why there is none. */
export function projectAsked(
  workspace: { readonly folders: number; readonly projects: readonly string[] },
  asked: string | undefined,
): { readonly root: string } | { readonly type: "noFolder" | "noProject" } {
  const root =
    asked === undefined ? workspace.projects[0] : workspace.projects.find((project) => project === asked);
  if (root !== undefined) return { root };
  return workspace.folders === 0 ? { type: "noFolder" } : { type: "noProject" };
}

/** Answers evotrainer/lineage. */
export async function lineageReply(
  workspace: { readonly folders: number; readonly projects: readonly string[] },
  asked: string | undefined,
  read: (root: string) => Promise<LineagePage>,
): Promise<LineageReply> {
  const project = projectAsked(workspace, asked);
  if ("type" in project) return project;
  const { root } = project;
  try {
    return { type: "lineage", root, page: await read(root) };
  } catch (e) {
    return { type: "unreadable", root, message: messageOf(e) };
  }
}
