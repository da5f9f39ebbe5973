import type { FrozenKeys, ProjectSpec } from "../../../shared/spec/project.ts";
import { didYouMean } from "../base/similar.ts";
import { configScalars, isConfig } from "./configs/configText.ts";
import type { FileSource } from "./source.ts";
import { configFiles, valueSurfaces } from "./surfaces.ts";

/** A path of `surfaces` or `frozen` for which the file has no value. */
interface MissingKey {
  readonly path: string;
  /** A sentence. */
  readonly message: string;
}

/**
 * The keys that evotrainer.yaml names and their files lack. What no file has cannot be changed; a frozen key that is missing
 * is told only where it looks misspelt, because some are named so that nobody adds them. `pathsOf` gives the paths of all
 * values of a file, and undefined where it cannot be read.
 */
function missingKeys(
  project: Pick<ProjectSpec, "surfaces" | "frozen">,
  pathsOf: (file: string) => readonly string[] | undefined,
): MissingKey[] {
  const told = (area: FrozenKeys, why: string, onlyNear: boolean): MissingKey[] => {
    const { file, paths = [] } = area;
    const present = paths.length === 0 ? undefined : pathsOf(file);
    if (present === undefined) return [];
    return paths.flatMap((path): MissingKey[] => {
      if (present.some((other) => other === path || other.startsWith(`${path}.`))) return [];
      const hint = didYouMean(path, present);
      return onlyNear && hint === "" ? [] : [{ path, message: `${file} has no ${path}, ${why}.${hint}` }];
    });
  };
  return [
    ...valueSurfaces(project).flatMap((area) => told(area, "so no version can change it", false)),
    ...project.frozen.flatMap((area) => told(area, "so nothing is frozen there", true)),
  ];
}

/** The same for a project on the disk. */
export async function missingKeysIn(spec: ProjectSpec, tree: FileSource): Promise<MissingKey[]> {
  const files = new Map<string, readonly string[]>();
  for (const file of configFiles(spec)) {
    // A reward has defaults for the keys that its file leaves out.
    if (file.endsWith(".reward.yaml")) continue;
    const text = isConfig(file) ? await tree.read(file) : undefined;
    const values = text === undefined ? undefined : configScalars(file, text);
    if (values !== undefined) files.set(file, [...values.keys()]);
  }
  return missingKeys(spec, (file) => files.get(file));
}
