import type { Factor, Scalar } from "../../../../shared/spec/common.ts";
import { isBookkeeping } from "../../project/bookkeeping.ts";
import { isHardware } from "../../project/hardware.ts";
import { factorsAt, isFrozen } from "../../project/surfaces.ts";
import { perProject } from "./perProject.ts";

/** A value of a config that is not as the parent has it; undefined on the side that lacks it. */
export type ConfigChange = {
  readonly file: string;
  readonly path: string;
  readonly from: Scalar | undefined;
  readonly to: Scalar | undefined;
  /** Factors whose surfaces cover it; a change of bookkeeping counts for none. */
  readonly factors: readonly Factor[];
  readonly isBookkeeping: boolean;
  readonly isFrozen: boolean;
  readonly isHardware: boolean;
};

/** More differences than these are not listed: the two files have little in common. */
const maxChanges = 2000;

/** What differs between the project's configs and those of its parent, file by file; empty when no parent is known. */
export const configChanges = perProject((project): readonly ConfigChange[] => {
  const { spec, parent } = project;
  if (!spec || !parent) return [];
  const files = new Set([...spec.surfaces, ...spec.frozen].map(({ file }) => file));
  return [...files].flatMap((file) => {
    const [now, before] = [project.read(file), parent.read(file)];
    // A file that is new, gone or broken has no values to compare.
    if (!now || !before || now.problems.length > 0 || before.problems.length > 0) return [];
    return changesOf(scalarsOf(before.value), scalarsOf(now.value)).map(
      ({ path, from, to }): ConfigChange => {
        const place = { file, path };
        const bookkeeping = isBookkeeping(path);
        return {
          ...{ file, path, from, to, isBookkeeping: bookkeeping },
          factors: bookkeeping ? [] : factorsAt(spec, place),
          isFrozen: isFrozen(spec, place),
          isHardware: isHardware(path),
        };
      },
    );
  });
});

/**
 * The factors in which the work tree differs from its parent, each with its changes. A value on the surfaces of several
 * factors counts for one that is changed anyway, else for the first.
 */
export const changedFactors = perProject((project): ReadonlyMap<Factor, readonly ConfigChange[]> => {
  const counted = configChanges(project).filter(({ factors, isFrozen }) => factors.length > 0 && !isFrozen);
  const found = new Map<Factor, ConfigChange[]>();
  const sorted = [...counted].sort((a, b) => a.factors.length - b.factors.length);
  for (const change of sorted) {
    const factor = change.factors.find((f) => found.has(f)) ?? change.factors[0];
    if (factor !== undefined) found.set(factor, [...(found.get(factor) ?? []), change]);
  }
  return found;
});

type Change = Pick<ConfigChange, "path" | "from" | "to">;

function changesOf(before: ReadonlyMap<string, Scalar>, now: ReadonlyMap<string, Scalar>): Change[] {
  const changes: Change[] = [];
  for (const [path, to] of now)
    if (!before.has(path) || !Object.is(before.get(path), to))
      changes.push({ path, from: before.get(path), to });
  for (const [path, from] of before) if (!now.has(path)) changes.push({ path, from, to: undefined });
  return changes.slice(0, maxChanges);
}

/** Every scalar of a document by its dotted path. */
export function scalarsOf(value: unknown): ReadonlyMap<string, Scalar> {
  const found = new Map<string, Scalar>();
  const visit = (at: unknown, path: string): void => {
    if (typeof at === "object" && at !== null) {
      for (const [key, child] of Object.entries(at)) visit(child, path === "" ? key : `${path}.${key}`);
      return;
    }
    if (at === null || typeof at === "string" || typeof at === "number" || typeof at === "boolean")
      found.set(path, at);
  };
  visit(value, "");
  return found;
}
