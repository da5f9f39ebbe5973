import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { codeOf, HarnessError, messageOf } from "../../base/errors.ts";
import { findEvidenceRoot } from "../../engine/project/bareProject.ts";
import { printResult } from "../terminal/io.ts";
import type { AddVerb } from "../terminal/verb.ts";

/** Where coding agents look for skills, in a project and in the home folder: Claude Code in the first, the others in the second. */
const places = [".claude/skills", ".agents/skills"];

export const addAgents: AddVerb = (program, { io, cwd }) => {
  const agents = program
    .command("agents")
    .description("teach coding agents to read the evidence of a project and to propose");
  agents
    .command("install [dir]")
    .description(
      `copy the skill for coding agents into ${places.join(" and ")} of the project, or of the folder that you name`,
    )
    .option("--home", "into your home folder, for all projects", false)
    .option("--replace", "also where a file differs from the one of this release", false)
    .action(async (dir: string | undefined, o: { home: boolean; replace: boolean }) => {
      if (o.home && dir !== undefined)
        throw new HarnessError("badInput", "Name a folder or say --home, not both.");
      const folder = o.home ? homedir() : dir === undefined ? await findEvidenceRoot(cwd) : resolve(cwd, dir);
      const installed = await installSkill(folder, o);
      printResult(io(), installed, told);
    });
};

interface Installed {
  readonly folder: string;
  /** Files that were written, relative to the folder. */
  readonly written: readonly string[];
  /** Files that were there as this release has them. */
  readonly present: readonly string[];
}

/**
 * Copies the skill into each place where an agent of `folder` looks for it. It writes nothing if a file there differs and
 * may not be replaced. @throws HarnessError badInput
 */
export async function installSkill(
  folder: string,
  { replace }: { readonly replace: boolean },
): Promise<Installed> {
  const skill = await skillFiles();
  const [written, present, differing]: [string[], string[], string[]] = [[], [], []];
  const wanted = places.flatMap((place) => skill.map((file) => ({ ...file, to: `${place}/${file.path}` })));
  for (const { to, text } of wanted) {
    const there = await textAt(join(folder, to));
    if (there === text) present.push(to);
    else if (there === undefined || replace) written.push(to);
    else differing.push(to);
  }
  if (differing.length > 0)
    throw new HarnessError(
      "badInput",
      `${differing.join(" and ")} in ${folder} differ${differing.length === 1 ? "s" : ""} from the skill of this release, so nothing was written; keep what you changed elsewhere, and say --replace.`,
    );
  for (const { to, text } of wanted) if (written.includes(to)) await write(join(folder, to), text);
  return { folder, written, present };
}

/** The files of the skill that comes with EvoTrainer, by their paths in a folder of skills. */
async function skillFiles(): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const from = skillsFolder();
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const paths = entries.filter((e) => e.isFile()).map((e) => join(e.parentPath, e.name));
  return Promise.all(
    paths.sort().map(async (path) => ({
      path: path.slice(from.length + 1).replaceAll("\\", "/"),
      text: await readFile(path, "utf8"),
    })),
  );
}

/** A bundle lies in dist/ beside its copy of the skill; sources have it at the root of the repository. */
function skillsFolder(): string {
  const here = typeof __dirname === "string" ? __dirname : dirname(fileURLToPath(import.meta.url));
  const bundled = resolve(here, "agents");
  return existsSync(bundled) ? bundled : resolve(here, "../../../..", "agents");
}

async function textAt(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (e) {
    if (codeOf(e) === "ENOENT") return undefined;
    throw new HarnessError("badInput", `${path} cannot be read: ${messageOf(e)}.`, { cause: e });
  }
}

async function write(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } catch (e) {
    throw new HarnessError("badInput", `${path} cannot be written: ${messageOf(e)}.`, { cause: e });
  }
}

function told({ folder, written, present }: Installed): string {
  return [
    ...(written.length === 0 ? [] : [`Written in ${folder}:`, ...written.map((path) => `  ${path}`)]),
    ...(present.length === 0
      ? []
      : [`Already there, as this release has it, in ${folder}:`, ...present.map((path) => `  ${path}`)]),
    "A coding agent that starts there now reads evidence and proposes; only a person answers a gate.",
  ].join("\n");
}
