import { access, constants, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { HarnessError } from "../../base/errors.ts";
import type { SpecFinding } from "../../language/checks/checkSpecs.ts";
import { findFiles } from "../../language/specs/findSpecs.ts";
import { isGlob } from "../../project/frozen/globPath.ts";
import { loadProjectSpec, projectFile } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";

/**
 * What evotrainer.yaml names and the project lacks, and files that look like specs and are read by nobody. It looks at the
 * disk, so it is no rule of the editor, which knows texts. A project that cannot be read has findings enough of its own.
 */
export async function missingFiles(root: string): Promise<SpecFinding[]> {
  try {
    const spec = await loadProjectSpec(workTree(root));
    return [...(await missingNamed(root, spec)), ...(await unreadSpecs(root, spec))];
  } catch (e) {
    if (HarnessError.is(e)) return [];
    throw e;
  }
}

async function missingNamed(root: string, spec: ProjectSpec): Promise<SpecFinding[]> {
  const { splits, files } = spec.evaluation;
  const named = [
    ...Object.entries(splits).map(([split, path]) => ({ path, what: `the ${split} split` })),
    ...files.filter((path) => !isGlob(path)).map((path) => ({ path, what: "part of the evaluation" })),
    ...spec.surfaces.flatMap((surface) =>
      "file" in surface && !isGlob(surface.file)
        ? [{ path: surface.file, what: `a surface of ${surface.factor}` }]
        : [],
    ),
    ...scriptsOf(spec).map((path) => ({ path, what: "what trainer.command starts" })),
  ];
  const found: SpecFinding[] = [];
  const seen = new Set<string>();
  for (const { path, what } of named) {
    if (seen.has(path)) continue;
    seen.add(path);
    if (!(await isThere(join(root, path))))
      found.push(finding(projectFile, "missing-file", `There is no ${path}, which is ${what}.`));
  }
  const [program] = spec.trainer.command;
  if (isOwnProgram(program) && (await isThere(join(root, program))) && !(await mayRun(join(root, program))))
    found.push(
      finding(projectFile, "missing-file", `${program} cannot be started: run \`chmod +x ${program}\`.`),
    );
  return found;
}

/** Words of the command that are files of the project by their look: a path with an ending, without a placeholder. */
const scriptsOf = ({ trainer }: ProjectSpec): string[] =>
  trainer.command.filter(
    (word, i) => (i === 0 && isOwnProgram(word)) || /^[\w.][\w./-]*\.(py|mjs|cjs|js|ts|sh)$/.test(word),
  );

/** A program that is started by its path in the project. */
const isOwnProgram = (word: string | undefined): word is string =>
  word !== undefined && !word.startsWith("/") && word.includes("/") && !/[${}]/.test(word);

const specLike = /\.(diagnostic|intervention|reward|evidence|skill)\.ya?ml$/;

/** Specs that nobody reads, because of their ending or because of their folder. */
async function unreadSpecs(root: string, spec: ProjectSpec): Promise<SpecFinding[]> {
  const found = await findFiles(root, (name) => specLike.test(name));
  return found.flatMap((full) => {
    const kind = specLike.exec(full)?.[1] ?? "";
    const path = relative(root, full).split(sep).join("/");
    if (path.endsWith(".yml"))
      return [finding(path, "spec-place", `${path} is not read: its name must end in .${kind}.yaml.`)];
    const folders = kind === "diagnostic" || kind === "intervention" ? spec[`${kind}s`] : undefined;
    if (folders === undefined || folders.some((folder) => isIn(path, folder))) return [];
    const message = `${path} is not read: it is in none of the folders of \`${kind}s\` (${folders.join(", ")}).`;
    return [finding(path, "spec-place", message)];
  });
}

const isIn = (path: string, folder: string): boolean =>
  path.startsWith(`${folder.replace(/^(\.\/)+|\/+$/g, "")}/`) || folder === ".";

const finding = (file: string, code: string, message: string): SpecFinding => ({
  ...{ file, code, message },
  ...{ line: 1, column: 1, severity: "warning" },
});

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const mayRun = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
