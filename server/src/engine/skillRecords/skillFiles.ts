import { lstat, readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { SkillSpec } from "../../../../shared/spec/skill.ts";
import { HarnessError } from "../../base/errors.ts";
import { configurations } from "../../lineage/trust/userFolder.ts";
import { readSpec, type SpecProblem } from "../../project/readSpec.ts";

const skipped = new Set(["node_modules", ".git", ".evotrainer", ".hg", ".svn", ".venv", "__pycache__"]);
const mostFolders = 5000;
const suffix = ".skill.yaml";
/** A library from elsewhere may hold anything; what is larger is no skill that somebody wrote. */
const mostBytes = 256 * 1024;
const mostFiles = 1000;

export interface SkillFile {
  readonly spec: SkillSpec;
  readonly file: string;
}

export interface SkillFiles {
  readonly skills: readonly SkillFile[];
  readonly problems: readonly SpecProblem[];
}

/** The user's own skills, for all projects: EVOTRAINER_SKILLS, or a folder of the user's configurations. */
export function libraryFolder(env: NodeJS.ProcessEnv = process.env): string {
  const named = env["EVOTRAINER_SKILLS"] ?? "";
  return named === "" ? join(configurations(env), "evotrainer", "skills") : named;
}

/** The skill specs that lie in a project; broken ones as problems. */
export async function projectSkills(root: string): Promise<SkillFiles> {
  return readSkills(await skillFiles(root), (file) => relative(root, file).split(sep).join("/"));
}

/** Those of the user's library. They are data like any other spec: nothing in them is ever run. */
export async function librarySkills(): Promise<SkillFiles> {
  const folder = libraryFolder();
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files = entries.filter((e) => e.isFile() && e.name.endsWith(suffix)).map((e) => join(folder, e.name));
  return readSkills(files.sort(), (file) => file);
}

/** One skill file. @throws HarnessError notFound, badInput for what is no small file, specInvalid for what is no skill */
export async function readSkillFile(file: string, named = file): Promise<SkillSpec> {
  const read = await readOne(file, named);
  if (!("problems" in read)) return read;
  const [{ path, line, message }] = read.problems;
  throw new HarnessError("specInvalid", `${path}:${line}: ${message}`);
}

async function readSkills(files: readonly string[], named: (file: string) => string): Promise<SkillFiles> {
  const skills: SkillFile[] = [];
  const problems: SpecProblem[] = [];
  for (const [i, file] of files.entries()) {
    const path = named(file);
    if (i >= mostFiles) {
      problems.push({ path, line: 1, message: `Only the first ${mostFiles} skill files are read.` });
      break;
    }
    try {
      const read = await readOne(file, path);
      const twin = "problems" in read ? undefined : skills.find(({ spec }) => spec.name === read.name);
      if ("problems" in read) problems.push(...read.problems);
      else if (twin === undefined) skills.push({ spec: read, file });
      else
        problems.push({
          ...{ path, line: 1 },
          message: `The name ${read.name} is already used by ${named(twin.file)}; rename one of them.`,
        });
    } catch (e) {
      // A file may be removed, or closed to us, while others are read.
      if (!HarnessError.is(e)) throw e;
      problems.push({ path, line: 1, message: e.message });
    }
  }
  return { skills: skills.sort((a, b) => a.spec.name.localeCompare(b.spec.name)), problems };
}

type Broken = Exclude<ReturnType<typeof readSpec<SkillSpec>>, { readonly ok: true }>;

async function readOne(file: string, named: string): Promise<SkillSpec | Broken> {
  const found = await lstat(file).catch(() => null);
  if (found === null)
    throw new HarnessError("notFound", `There is no file ${named}; give the path of a *${suffix}.`);
  if (!found.isFile())
    throw new HarnessError("badInput", `${named} is not a plain file; no skill is read from it.`);
  if (found.size > mostBytes)
    throw new HarnessError(
      "badInput",
      `${named} has ${found.size} bytes; a skill has at most ${mostBytes}, so it is not read.`,
    );
  const text = await readFile(file, "utf8").catch((e: unknown) => {
    throw new HarnessError("badInput", `${named} cannot be read; no skill is taken from it.`, { cause: e });
  });
  const read = readSpec(named, text, SkillSpec);
  return read.ok ? read.value : read;
}

async function skillFiles(root: string): Promise<string[]> {
  const found: string[] = [];
  const folders = [root];
  for (let i = 0; i < folders.length && i < mostFolders; i++) {
    const folder = folders[i] ?? root;
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (entry.isDirectory() && !skipped.has(entry.name)) folders.push(join(folder, entry.name));
      if (entry.isFile() && entry.name.endsWith(suffix)) found.push(join(folder, entry.name));
    }
  }
  return found;
}
