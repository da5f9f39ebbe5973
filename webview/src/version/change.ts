import type { VersionChange } from "../../../shared/protocol/views/version.ts";
import { element, linkButton } from "../shared/dom.ts";
import { visibleText } from "../shared/visibleText.ts";

/** The files that two versions differ in, each with its diff behind it. */
export function changedFilesOf(files: VersionChange["files"], open: (path: string) => void): HTMLElement {
  if (files.length === 0) return element("p", "quiet", "The files of both are the same.");
  const list = element("ul", "files");
  for (const { path, change: how } of files) {
    const line = element("li");
    line.append(
      linkButton(visibleText(path), () => open(path)),
      element("span", "quiet", ` ${how}`),
    );
    list.append(line);
  }
  return list;
}
