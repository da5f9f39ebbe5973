import { access, constants, open, readdir, readFile, stat } from "node:fs/promises";
import { basename, delimiter, join, relative, sep } from "node:path";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { HarnessError } from "../../base/errors.ts";
import { listed } from "../../base/similar.ts";
import type { SpecFinding } from "../../language/checks/checkSpecs.ts";
import { foldersMissed } from "../../language/project/specFolders.ts";
import { findFiles } from "../../language/specs/findSpecs.ts";
import { saysOurs } from "../../language/syntax/specKind.ts";
import { isGlob } from "../../project/frozen/globPath.ts";
import { loadProjectSpec, projectFile } from "../../project/project.ts";
import { here } from "../../engine/workspace/machineNames.ts";
import { missingKeysIn } from "../../project/missingKeys.ts";
import { workTree } from "../../project/source.ts";

/**
 * What evotrainer.yaml names and the project lacks, and files that look like specs and are read by nobody. It looks at the
 * disk, so it is no rule of the editor, which knows texts. A project that cannot be read has findings enough of its own.
 */
export async function missingFiles(root: string): Promise<SpecFinding[]> {
  if (!(await isThere(join(root, projectFile)))) return misnamedIn(root);
  try {
    const tree = workTree(root);
    const spec = await loadProjectSpec(tree);
    const text = (await tree.read(projectFile)) ?? "";
    return [
      ...(await missingNamed(root, spec, text)),
      ...(await missingKeysIn(spec, tree)).map(({ path, message }) => ({
        ...finding(projectFile, "missing-key", message),
        ...placeOf(path, text),
      })),
      ...(await namelessItems(root, spec)),
      ...(await unreadSpecs(root, spec)),
      ...(await unnamedSpecs(root)),
    ];
  } catch (e) {
    if (HarnessError.is(e)) return [];
    throw e;
  }
}

/** Of a folder without a project, files that nobody reads because they end in `.yml`: a project file, and specs. */
async function misnamedIn(root: string): Promise<SpecFinding[]> {
  const names = (await readdir(root)).filter((name) => name.endsWith(".yml")).sort();
  return names.flatMap((name) => {
    const right = name.replace(/yml$/, "yaml");
    if (right !== projectFile && !specLike.test(name)) return [];
    return [finding(name, "spec-place", `${name} is not read: rename it to ${right}.`)];
  });
}

async function missingNamed(root: string, spec: ProjectSpec, text: string): Promise<SpecFinding[]> {
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
      found.push({
        ...finding(projectFile, "missing-file", `There is no ${path}, which is ${what}.`),
        ...placeOf(path, text),
      });
  }
  const [program] = spec.trainer.command;
  if (isOwnProgram(program) && (await isThere(join(root, program))) && !(await mayRun(join(root, program))))
    found.push({
      ...finding(projectFile, "missing-file", `${program} cannot be started: run \`chmod +x ${program}\`.`),
      ...placeOf(program, text),
    });
  return [...found, ...(await missingPrograms(spec, text))];
}

/** Programs that this machine would start and does not have; of other machines `evotrainer doctor` tells. */
async function missingPrograms({ trainer }: ProjectSpec, text: string): Promise<SpecFinding[]> {
  if (process.platform === "win32" || (trainer.hosts ?? [here]).every((host) => host !== here)) return [];
  const found: SpecFinding[] = [];
  for (const [key, [program]] of [
    ["trainer.command", trainer.command],
    ["trainer.smoke.command", trainer.smoke?.command ?? []],
  ] as const) {
    // One in the project's folder is looked for with its other files.
    if (program === undefined || /[${}]|^[^/]+\//.test(program)) continue;
    const folders = program.startsWith("/") ? ["/"] : (process.env["PATH"] ?? "").split(delimiter);
    const places = await Promise.all(folders.map((folder) => mayRun(join(folder, program))));
    if (!places.includes(true))
      found.push({
        ...finding(
          projectFile,
          "missing-file",
          `There is no program ${program} on this machine, which ${key} starts.`,
        ),
        ...placeOf(program, text),
      });
  }
  return found;
}

/** Splits whose first item has no id: the items of a split are known by it. */
async function namelessItems(root: string, { evaluation }: ProjectSpec): Promise<SpecFinding[]> {
  const found: SpecFinding[] = [];
  for (const path of new Set(Object.values(evaluation.splits))) {
    const item = await firstItem(join(root, path));
    if (item === undefined || ["string", "number"].includes(typeof item["id"])) continue;
    const keys = listed(Object.keys(item).slice(0, 8), "and");
    found.push(
      finding(path, "missing-id", `The first item has no \`id\`, which names it; its keys are ${keys}.`),
    );
  }
  return found;
}

/** The first line of a file as an object; undefined where it is none, or longer than an item is. */
async function firstItem(file: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(longestSpec), 0, longestSpec, 0);
    const line = buffer.toString("utf8", 0, bytesRead).trimStart().split("\n", 1).join();
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    // What is no line of JSON is the trainer's to complain about.
    return undefined;
  } finally {
    await handle.close();
  }
}

/** Where a path is first written; the beginning of the file where it is written otherwise. */
function placeOf(path: string, text: string): { readonly line: number; readonly column: number } {
  const lines = text.split("\n");
  const line = lines.findIndex((one) => one.replace(/(^|\s)#.*/, "").includes(path));
  return line === -1
    ? { line: 1, column: 1 }
    : { line: line + 1, column: (lines[line] ?? "").indexOf(path) + 1 };
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
    const folders = foldersMissed(spec, kind, path);
    if (folders === undefined) return [];
    const message = `${path} is not read: it is in none of the folders of \`${kind}s\` (${folders.join(", ")}).`;
    return [finding(path, "spec-place", message)];
  });
}

/** Our kinds as a spec says them, and what its file has to end in. */
const endings: Readonly<Record<string, string>> = {
  ...{ Diagnostic: "diagnostic", Intervention: "intervention", Reward: "reward" },
  ...{ Evidence: "evidence", Lineage: "evidence", Skill: "skill" },
};

/** A spec, or an item, is shorter: what is longer is other data. */
const longestSpec = 64 * 1024;

/** Files that say they are specs of ours by what is in them, and are read by nobody because of their name. */
async function unnamedSpecs(root: string): Promise<SpecFinding[]> {
  const files = await findFiles(root, (name) => /\.ya?ml$/.test(name) && !specLike.test(name));
  const found: SpecFinding[] = [];
  for (const full of files.slice(0, mostFiles)) {
    const path = relative(root, full).split(sep).join("/");
    if (path === projectFile || (await stat(full)).size > longestSpec) continue;
    const text = await readFile(full, "utf8");
    const kind = /^kind:\s*["']?(\w+)/m.exec(text)?.[1] ?? "";
    const ending = Object.hasOwn(endings, kind) ? endings[kind] : undefined;
    if (!saysOurs(text) || (ending === undefined && kind !== "Project")) continue;
    const name = ending === undefined ? `be ${projectFile}` : `end in .${ending}.yaml`;
    // A project in a folder below is another one.
    if (ending === undefined && (path.includes("/") || basename(path) === projectFile)) continue;
    found.push(finding(path, "spec-place", `${path} is not read: its name must ${name}.`));
  }
  return found;
}

/** As many files as are read in well under a second. */
const mostFiles = 2_000;

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
