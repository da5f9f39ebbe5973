import type { ProjectSpec } from "../../../../shared/spec/project.ts";

const isIn = (path: string, folder: string): boolean =>
  path.startsWith(`${folder.replace(/^(\.\/)+|\/+$/g, "")}/`) || folder === ".";

/** The folders in which specs of a kind are read, where that depends on the folder and the path is in none of them. */
export function foldersMissed(spec: ProjectSpec, kind: string, path: string): readonly string[] | undefined {
  const folders = kind === "diagnostic" || kind === "intervention" ? spec[`${kind}s`] : undefined;
  return folders === undefined || folders.some((folder) => isIn(path, folder)) ? undefined : folders;
}
