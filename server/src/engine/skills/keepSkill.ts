import { lstat, mkdir, readFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { stringify } from "yaml";
import { Name } from "../../../../shared/spec/common.ts";
import type { SkillSpec } from "../../../../shared/spec/skill.ts";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { writeFileAtomic } from "../../base/files.ts";
import { parseYaml } from "../../base/yaml.ts";
import { skillOf } from "../../memory/skills/fromVersion.ts";
import { isSameTemplate, mergedValidations, recordOf } from "../../memory/skills/record.ts";
import { skillsFolder } from "../../project/project.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";
import { openDomain } from "../proposals/openDomain.ts";
import { doubtsIn, type PlacedSkill } from "../skillRecords/placedSkills.ts";
import { knownSkills, skillNamed } from "./knownSkills.ts";
import {
  libraryFolder,
  librarySkills,
  projectSkills,
  readSkillFile,
  type SkillFile,
} from "../skillRecords/skillFiles.ts";

/** Where a skill that somebody saves or imports is written, in the project. */
const folder = skillsFolder.split("/");

/** A skill that was written into a file. */
export interface KeptSkill {
  readonly name: string;
  /** From the project's folder where it lies there, else from the root of the machine. */
  readonly file: string;
  /** How many versions stand in it as validations. */
  readonly validations: number;
}

/**
 * Writes the skill that a version proves into the project, because somebody asks for it: nothing is committed.
 * @throws HarnessError notFound, badInput with the reason why the version proves none
 */
export async function saveSkill(
  root: string,
  { version: asked, name }: { readonly version: string; readonly name?: string },
): Promise<KeptSkill> {
  const { lineage, domain } = await openDomain(root);
  const version = versionIn(lineage, asked);
  const doubtsOf = doubtsIn(lineage);
  const made = skillOf(version, { domain, ...doubtsOf(version) });
  if (made.type === "refused")
    throw new HarnessError("badInput", `${asked} cannot become a skill: ${made.reason}`);
  const spec = { ...made.skill, name: nameOf(name ?? made.skill.name) };
  const { skills } = await projectSkills(root);
  const same = skills.find((one) => isSameTemplate(one.spec, spec));
  if (same !== undefined)
    throw new HarnessError(
      "badInput",
      `${shown(root, same.file)} holds this change already, as the skill ${same.spec.name}.`,
    );
  const twin = skills.find((one) => one.spec.name === spec.name);
  if (twin !== undefined)
    throw new HarnessError(
      "badInput",
      `${shown(root, twin.file)} is another skill of the name ${spec.name}; give this one another name with --name.`,
    );
  const { validations } = recordOf(made.skill, lineage, doubtsOf);
  return written(root, {
    spec: { ...spec, validations: [...validations] },
    file: await newFile(root, spec.name),
  });
}

/** Writes a skill with its whole record into the user's library, or into a file. @throws HarnessError notFound, badInput */
export async function exportSkill(
  root: string,
  { name, to }: { readonly name: string; readonly to?: string },
): Promise<KeptSkill> {
  const { spec, record } = skillNamed(await knownSkills(root), name);
  const file = to ?? join(libraryFolder(), `${name}.skill.yaml`);
  const there = await lstat(file).catch(() => null);
  // The intervention is one of this project, and means nothing in another.
  const { intervention: _, ...own } = spec;
  const mine: SkillSpec = { ...own, validations: [...record.validations] };
  const before = there === null ? null : await readSkillFile(file);
  if (to === undefined) await mkdir(dirname(file), { recursive: true });
  return written(root, { spec: before === null ? mine : joined(mine, before, file), file });
}

/**
 * Takes a skill into the project: one of the user's library by its name, or a file. What is taken is what the schema knows, and
 * nothing of it is run. @throws HarnessError notFound, badInput, specInvalid
 */
export async function importSkill(
  root: string,
  { name, file }: { readonly name: string; readonly file: string },
): Promise<KeptSkill> {
  const { skills: library, problems } = await librarySkills();
  const found = library.find(({ spec }) => spec.name === name)?.spec;
  const broken = problems.find(({ path }) => path.endsWith(`${sep}${name}.skill.yaml`));
  if (found === undefined && broken !== undefined)
    throw new HarnessError("specInvalid", `${broken.path}:${broken.line}: ${broken.message}`);
  const spec = found ?? (await readSkillFile(file, name));
  const { skills } = await projectSkills(root);
  const twin = skills.find((one) => one.spec.name === spec.name);
  return written(
    root,
    twin === undefined
      ? { spec, file: await newFile(root, spec.name) }
      : { spec: joined(twin.spec, spec, shown(root, twin.file)), file: twin.file },
  );
}

/** Takes a skill out of use, in its file. @throws HarnessError notFound, badInput */
export async function retireSkill(
  root: string,
  { name, because }: { readonly name: string; readonly because: string },
): Promise<KeptSkill> {
  if (because.trim() === "")
    throw new HarnessError("badInput", `Say why ${name} is retired: --because "…" must not be empty.`);
  const { file, spec, record } = skillNamed(await knownSkills(root), name);
  if (file === null) throw unsaved({ spec });
  if (spec.retired !== undefined)
    throw new HarnessError("badInput", `${name} is retired already. ${record.retired ?? ""}`);
  const document = parseYaml(await readFile(file, "utf8"));
  document.set("retired", { because: because.trim() });
  await writeFileAtomic(file, document.toString({ lineWidth: 0 }));
  return { name, file: shown(root, file), validations: spec.validations.length };
}

const unsaved = ({ spec }: Pick<PlacedSkill, "spec">): HarnessError =>
  new HarnessError(
    "badInput",
    `No file holds ${spec.name} yet, so it cannot be retired. ${spec.source ?? "A kept version"} proves it; write it with \`evotrainer skills save\` first, or revert that version.`,
  );

/** Two files of one skill as one, with the validations of both. @throws HarnessError badInput where they are two skills */
function joined(mine: SkillSpec, other: SkillSpec, file: string): SkillSpec {
  if (mine.name !== other.name || !isSameTemplate(mine, other))
    throw new HarnessError(
      "badInput",
      `${file} is another skill (${other.name}, which changes something else); rename one of them, or name another file.`,
    );
  const retired = mine.retired ?? other.retired;
  return {
    ...mine,
    validations: mergedValidations(mine.validations, other.validations),
    ...(retired === undefined ? {} : { retired }),
  };
}

/** @throws HarnessError badInput */
function nameOf(asked: string): string {
  const name = Name.safeParse(asked);
  if (name.success) return name.data;
  throw new HarnessError(
    "badInput",
    `${asked} is no name for a skill. ${name.error.issues[0]?.message ?? ""}`,
  );
}

/** The path of a skill that is new to the project. @throws HarnessError badInput where it would leave the project, or exists */
async function newFile(root: string, name: string): Promise<string> {
  let at = root;
  for (const step of folder) {
    at = join(at, step);
    const found = await lstat(at).catch(() => null);
    if (found === null) await mkdir(at);
    else if (!found.isDirectory())
      throw new HarnessError(
        "badInput",
        `${shown(root, at)} is no folder of the project (a link may lead out of it), so no skill is written there; make it a folder.`,
      );
  }
  const file = join(at, `${name}.skill.yaml`);
  if ((await lstat(file).catch(() => null)) === null) return file;
  throw new HarnessError("badInput", `${shown(root, file)} exists already; mend it or remove it first.`);
}

async function written(root: string, { spec, file }: SkillFile): Promise<KeptSkill> {
  try {
    await writeFileAtomic(file, stringify(spec, { lineWidth: 0 }));
  } catch (e) {
    const code = codeOf(e);
    if (code !== "ENOENT" && code !== "EACCES" && code !== "ENOTDIR" && code !== "EROFS") throw e;
    throw new HarnessError(
      "badInput",
      `${file} cannot be written (${code}); name a file in a folder of yours.`,
      {
        cause: e,
      },
    );
  }
  return { name: spec.name, file: shown(root, file), validations: spec.validations.length };
}

function shown(root: string, file: string): string {
  const inside = relative(root, file);
  return inside.startsWith("..") || inside === file ? file : inside.split(sep).join("/");
}
