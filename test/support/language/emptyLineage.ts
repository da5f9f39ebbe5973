import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { ProjectSpec } from "../../../shared/spec/project.ts";
import type { LineageOutline } from "../../../server/src/lineage/lineageOutline.ts";
import { parseText } from "../../../server/src/language/syntax/parseSpec.ts";
import { projectFileName } from "../../../server/src/language/syntax/specKind.ts";

/** The lineage of a project that has no versions yet: its name and domain, as far as they can be read. */
export async function emptyLineage(root: string): Promise<LineageOutline> {
  const text = await readFile(join(root, projectFileName), "utf8").catch(() => "");
  const spec = ProjectSpec.pick({ name: true, domain: true }).loose().safeParse(parseText(text).value).data;
  return { project: spec?.name ?? basename(root), domain: spec?.domain ?? "", versions: [] };
}
