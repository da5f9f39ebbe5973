import { isTextSurface, type Surface, type TextSurface } from "../../../../shared/spec/surface.ts";
import { globRegExp, isGlob } from "./globPath.ts";
import { followLinks, noLinks } from "./links.ts";

/** One entry of a text surface's `files`: a file, a folder or a pattern. */
export interface TextArea {
  readonly declared: string;
  /** The folder or file that it begins with, up to the first step that is a pattern; "" for the whole project. */
  readonly fixed: string;
  readonly covers: (file: string) => boolean;
}

const known = new WeakMap<TextSurface, readonly TextArea[]>();

/** The entries of a text surface. They are compiled once. */
export function textAreas(surface: TextSurface): readonly TextArea[] {
  const areas = known.get(surface) ?? surface.files.map(areaOf);
  known.set(surface, areas);
  return areas;
}

function areaOf(declared: string): TextArea {
  const path = followLinks(declared, noLinks).to ?? declared;
  const steps = path.split("/");
  const begins = steps.findIndex(isGlob);
  const pattern = globRegExp(path);
  return {
    declared,
    fixed: (begins < 0 ? steps : steps.slice(0, begins)).join("/"),
    covers: (file) => path === "" || pattern.test(file),
  };
}

/** Whether a surface covers a file as a text. Capitals count: a patch names a file exactly. */
export function coversText(surface: Surface, file: string): boolean {
  return isTextSurface(surface) && textAreas(surface).some(({ covers }) => covers(file));
}
