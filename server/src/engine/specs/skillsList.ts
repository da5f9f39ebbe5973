import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { SkillSpec } from "../../../../shared/spec/skill.ts";
import type { SkillRow, SkillsList } from "../../../../shared/protocol/views/specs.ts";
import { readSpec } from "../../project/readSpec.ts";

const skipped = new Set(["node_modules", ".git", ".evotrainer", ".hg", ".svn", ".venv", "__pycache__"]);
const mostFolders = 5000;

/** The skill specs that lie in a project, with how many of their trials confirmed them; broken ones as problems. */
export async function listSkills(root: string): Promise<SkillsList> {
  const skills: SkillRow[] = [];
  const problems: SkillsList["problems"] = [];
  for (const file of await skillFiles(root)) {
    const path = relative(root, file).split(sep).join("/");
    const read = readSpec(path, await readFile(file, "utf8"), SkillSpec);
    if (!read.ok) {
      problems.push(...read.problems.map((p) => ({ ...p })));
      continue;
    }
    const { name, description, factor, when, validations } = read.value;
    skills.push({
      name,
      description: description ?? null,
      factor,
      targets: when.targets,
      file,
      tried: validations.length,
      confirmed: validations.filter(({ outcome }) => outcome === "confirmed").length,
    });
  }
  return { skills: skills.sort((a, b) => a.name.localeCompare(b.name)), problems };
}

async function skillFiles(root: string): Promise<string[]> {
  const found: string[] = [];
  const folders = [root];
  for (let i = 0; i < folders.length && i < mostFolders; i++) {
    const folder = folders[i] ?? root;
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (entry.isDirectory() && !skipped.has(entry.name)) folders.push(join(folder, entry.name));
      if (entry.isFile() && entry.name.endsWith(".skill.yaml")) found.push(join(folder, entry.name));
    }
  }
  return found;
}
