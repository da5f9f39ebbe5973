import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { globRegExp, isGlob } from "./globPath.ts";
import { followLinks, noLinks, type Links } from "./links.ts";

interface Declared {
  readonly evaluation: Pick<ProjectSpec["evaluation"], "splits" | "files">;
}

/** Everything that must be identical in every version, as it is declared: files, folders and patterns, and two splits. */
export function evaluationFiles({ evaluation }: Declared): string[] {
  const { splits, files } = evaluation;
  return [...new Set([...files, splits.selection, splits.audit])];
}

/** The declared evaluation with the train split: everything that no job may change. */
export function evaluationPaths(project: Declared): string[] {
  return [...new Set([...evaluationFiles(project), project.evaluation.splits.train])].sort();
}

/** Files that the evaluation stands for: one, a folder with all that is in it, or those of a pattern. */
interface Area {
  readonly declared: string;
  readonly covers: (path: string) => boolean;
  /** Why what it covers is part of the evaluation, as a clause. */
  readonly because: string;
}

/** Says why a file is part of the evaluation, as a clause; undefined for one that is not. */
export type FrozenBy = (file: string) => string | undefined;

/** What the declared evaluation really is: what its folders, patterns and links stand for counts as it does itself. */
export function frozenBy(project: Declared, links: Links = noLinks): FrozenBy {
  const areas = evaluationFiles(project).flatMap((declared) => areasOf(declared, links));
  return (file) => {
    // The path itself and where it leads: what is asked for may be a link as well.
    for (const path of new Set([plain(file), followLinks(file, links).to ?? plain(file)])) {
      const area = areas.find(({ covers }) => covers(folded(path)));
      if (area !== undefined) return area.declared === file ? "it belongs to the evaluation" : area.because;
    }
    return undefined;
  };
}

/** As `frozenBy`, of paths as a commit has them, and with the train split: the declared path that stands for one. */
export function evaluationOf(project: Declared, links: Links): (path: string) => string | undefined {
  const areas = evaluationPaths(project).flatMap((declared) => areasOf(declared, links));
  return (path) => {
    const name = folded(path);
    return areas.find(({ covers }) => covers(name))?.declared;
  };
}

/** Why a surface may not be one, in a sentence: what is frozen stays as it is in every version. */
export function frozenSurface(file: string, because: string): string {
  return `${file} is frozen, because ${because}, so no version may change it: take it out of \`surfaces\` or out of \`evaluation\` in evotrainer.yaml.`;
}

/** Names that are one file on some machine are one here: a version is the same on every machine. */
export const folded = (path: string): string => path.normalize("NFC").toLowerCase();

/** Without what leads to the same place. */
const plain = (path: string): string => followLinks(path, noLinks).to ?? path;

function place(path: string, declared: string, because: string): Area {
  const name = folded(path);
  const covers = (at: string): boolean => name === "" || at === name || at.startsWith(`${name}/`);
  return { declared, covers, because };
}

function areasOf(declared: string, links: Links): Area[] {
  const path = plain(declared);
  const because = `it belongs to the evaluation (${declared})`;
  if (!isGlob(path)) return [place(path, declared, because), ...linkedAreas([path], declared, links)];
  const steps = path.split("/");
  const begins = steps.findIndex(isGlob);
  const fixed = steps.slice(0, begins).join("/");
  const { to: real = fixed, over } = followLinks(fixed, links);
  const below = (folder: string): string =>
    [folder, ...steps.slice(begins)].filter((s) => s !== "").join("/");
  const patterns = [...new Set([below(fixed), below(real)])].map((p) => globRegExp(folded(p)));
  const covers = (at: string): boolean => patterns.some((pattern) => pattern.test(at));
  const linked = links.below(real).filter((link) => covers(folded(link)));
  return [
    { declared, covers, because },
    ...wayAreas(over, declared),
    ...linkedAreas(linked, declared, links),
  ];
}

const wayAreas = (over: readonly string[], declared: string): Area[] =>
  over.map((link) => place(link, declared, `the evaluation (${declared}) goes over this link`));

/** The links on the way to some paths and in those folders, and where they lead. */
function linkedAreas(paths: readonly string[], declared: string, links: Links): Area[] {
  const areas: Area[] = [];
  const left = [...paths];
  const seen = new Set<string>();
  for (const at of left) {
    const { to, over } = followLinks(at, links);
    areas.push(...wayAreas(over, declared));
    if (to === undefined || seen.has(to)) continue;
    seen.add(to);
    const last = over.at(-1);
    // A link to a folder above itself stands for nothing new, and would make everything in it the evaluation.
    if (last !== undefined && `${at}/`.startsWith(to === "" ? "" : `${to}/`)) continue;
    if (last !== undefined)
      areas.push(place(to, declared, `${last}, a link that belongs to the evaluation, leads to it`));
    left.push(...links.below(to));
  }
  return areas;
}
