import type { Factor, Scalar } from "../../../../shared/spec/common.ts";
import { isBookkeeping } from "../../project/bookkeeping.ts";
import { byFactor, changesOf, scalarsOf } from "../../project/configs/configValues.ts";
import { isHardware } from "../../project/hardware.ts";
import { configFiles, factorsAt, isFrozen } from "../../project/surfaces.ts";
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

/** What differs between the project's configs and those of its parent, file by file; empty when no parent is known. */
export const configChanges = perProject((project): readonly ConfigChange[] => {
  const { spec, parent } = project;
  if (!spec || !parent) return [];
  const files = configFiles(spec);
  return files.flatMap((file) => {
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

/** The factors in which the work tree differs from its parent, each with its changes. */
export const changedFactors = perProject((project): ReadonlyMap<Factor, readonly ConfigChange[]> => {
  return byFactor(configChanges(project).filter(({ isFrozen }) => !isFrozen));
});
