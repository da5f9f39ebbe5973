import type { Factor } from "../../../../shared/spec/common.ts";
import type { Edit } from "../../../../shared/spec/edit.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { isConfig } from "../../project/configs/configText.ts";
import type { EditedFile } from "../../project/editedFiles.ts";
import { factorsAt, factorsHere, isText, valueSurfaces } from "../../project/surfaces.ts";
import { differenceOf } from "./difference.ts";
import { unifiedDiff } from "./unifiedDiff.ts";

/** What files differ in, as an intervention says it. */
export interface FileEdits {
  readonly edit: readonly Edit[];
  /** That of the first change; null where it is on no surface, so that the checks refuse it by its name. */
  readonly factor: Factor | null;
}

/** Other values where only values of a config differ, and lines everywhere else. */
export function editsOf(spec: ProjectSpec, files: readonly EditedFile[]): FileEdits {
  const edit = files.flatMap((file) => valuesOf(spec, file) ?? linesOf(file));
  const factors = edit.flatMap((one) =>
    "patch" in one
      ? files
          .filter((file) => one.patch.includes(`/${file.path}\n`))
          .flatMap((file) => factorsAt(spec, { file: file.path, path: "" }))
      : factorsHere(spec, one),
  );
  return { edit, factor: factors[0] ?? null };
}

/** Undefined where more than values differs, or the file is declared as a text alone. */
function valuesOf(spec: ProjectSpec, file: EditedFile): Edit[] | undefined {
  const { path, before, after } = file;
  if (!isConfig(path) || before === null || after === null) return undefined;
  if (isText(spec, path) && !valueSurfaces(spec).some((surface) => surface.file === path)) return undefined;
  const edits: Edit[] = [];
  for (const change of differenceOf([file])) {
    if (change.path === "" || change.from === undefined || change.to === undefined) return undefined;
    edits.push({ file: path, path: change.path, from: change.from, to: change.to });
  }
  return edits;
}

function linesOf(file: EditedFile): Edit[] {
  const patch = unifiedDiff(file);
  return patch === "" ? [] : [{ patch }];
}
