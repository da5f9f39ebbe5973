import type { Factor } from "../../../shared/spec/common.ts";
import type { ProjectSpec } from "../../../shared/spec/project.ts";
import { followLinks, noLinks, type Links } from "./frozen/links.ts";
import { untouchable, type Untouchable } from "./frozen/untouchable.ts";
import { factorsAt, isText } from "./surfaces.ts";
import type { FilePatch } from "./patch/readPatch.ts";

/** Whose patch it is: the name and the factor of its intervention. */
interface Claimed {
  readonly name: string;
  readonly factor: Factor;
}

/** Why no version may have a text otherwise than its parent, in a sentence; undefined for one that it may. */
export function textRefusal(
  project: ProjectSpec,
  file: string,
  { links = noLinks, because = untouchable(project, links) }: { links?: Links; because?: Untouchable } = {},
): string | undefined {
  const reason = because(file);
  if (reason !== undefined) return `${file} must stay as it is in the parent, because ${reason}.`;
  const [link] = followLinks(file, links).over;
  if (link === file) return `${file} is a symbolic link; name the file that it leads to.`;
  return link === undefined
    ? undefined
    : `${file} lies behind the symbolic link ${link}; name the file by the path that the link leads to.`;
}

/**
 * Why a patch may not be applied, one sentence each: it must stay on surfaces of its one factor, and leave the evaluation, the
 * data and what git and EvoTrainer read alone.
 */
export function patchViolations(
  project: ProjectSpec,
  { name, factor }: Claimed,
  files: readonly FilePatch[],
  links: Links = noLinks,
): string[] {
  const because = untouchable(project, links);
  return files.flatMap(({ path }) => {
    const refusal = textRefusal(project, path, { links, because });
    if (refusal !== undefined) return [refusal];
    if (!isText(project, path))
      return [
        `${path} is on no surface of the kind text, so no patch may change it. Add it to \`surfaces\` in evotrainer.yaml, or leave it alone.`,
      ];
    const factors = factorsAt(project, { file: path, path: "" });
    return factors.includes(factor)
      ? []
      : [
          `${path} belongs to ${factors.join(", ")}, but ${name} says it changes ${factor}; split it into one intervention per factor.`,
        ];
  });
}
