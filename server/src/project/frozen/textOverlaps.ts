import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { TextSurface } from "../../../../shared/spec/surface.ts";
import { textAreas, type TextArea } from "./textAreas.ts";
import { evaluationPaths, frozenSurface } from "./frozenPaths.ts";
import { isGlob } from "./globPath.ts";
import { followLinks, noLinks, type Links } from "./links.ts";
import { untouchable, type Untouchable } from "./untouchable.ts";

type Declared = Pick<ProjectSpec, "evaluation" | "frozen">;

/**
 * Why an entry of a text surface may not stand there, each with its place in `files`: it covers something that no version may
 * change, as it is declared or as it lies there. A file that a patch adds later is held against the same list then.
 */
export function textOverlaps(
  project: Declared,
  surface: TextSurface,
  links: Links = noLinks,
): { readonly index: number; readonly message: string }[] {
  const because = untouchable(project, links);
  return textAreas(surface).flatMap((area, index) => {
    const message = overlapOf(project, area, because, links);
    return message === undefined ? [] : [{ index, message }];
  });
}

function overlapOf(
  project: Declared,
  area: TextArea,
  because: Untouchable,
  links: Links,
): string | undefined {
  const { declared, fixed, covers } = area;
  const own = fixed === "" ? undefined : because(fixed);
  if (own !== undefined) return frozenSurface(declared, own);
  for (const path of [...protectedPaths(project, links), ...(links.held?.(fixed) ?? []).map((h) => h.path)]) {
    const reason = covers(path) ? because(path) : undefined;
    if (reason !== undefined)
      return `${declared} covers ${path}, which no version may change, because ${reason}: narrow it in \`surfaces\` in evotrainer.yaml, or move the file.`;
  }
  return undefined;
}

/** Declared paths that are no patterns, where they lead, and evotrainer.yaml. */
function protectedPaths(project: Declared, links: Links): string[] {
  const declared = [...evaluationPaths(project), ...project.frozen.map(({ file }) => file)].filter(
    (path) => !isGlob(path),
  );
  const led = declared.flatMap((path) => followLinks(path, links).to ?? []);
  return [...new Set([...led, ...declared, "evotrainer.yaml"])];
}
