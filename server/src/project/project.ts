import { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { InterventionSpec } from "../../../shared/spec/intervention.ts";
import { ProjectSpec } from "../../../shared/spec/project.ts";
import { RewardSpec } from "../../../shared/spec/reward.ts";
import { SkillSpec } from "../../../shared/spec/skill.ts";
import type { z } from "zod";
import { noProjectFile } from "../../../shared/words/refusals.ts";
import { HarnessError } from "../base/errors.ts";
import { inDomain, libraryProblems, usedDiagnostics } from "./library.ts";
import { lineAt, readSpec, type SpecProblem } from "./readSpec.ts";
import type { FileSource } from "./source.ts";

export const projectFile = "evotrainer.yaml";
/** Where a project keeps its skills. */
export const skillsFolder = "harness/skills";

/** A spec and the file it came from. */
export interface Loaded<T> {
  readonly path: string;
  readonly text: string;
  readonly spec: T;
}

export interface Project {
  readonly spec: ProjectSpec;
  /** Its own, then those of the library that it uses; all with the thresholds of its domain. */
  readonly diagnostics: readonly Loaded<DiagnosticSpec>[];
  readonly interventions: readonly Loaded<InterventionSpec>[];
  readonly skills: readonly Loaded<SkillSpec>[];
  /** Diagnostics and interventions that could not be read: the rest of the project still works. */
  readonly problems: readonly SpecProblem[];
}

/**
 * Reads `evotrainer.yaml` and the specs of its folders.
 * @throws HarnessError projectMissing, projectInvalid
 */
export async function loadProject(source: FileSource): Promise<Project> {
  const spec = await loadProjectSpec(source);
  const problems: SpecProblem[] = await libraryMistakes(source, spec);
  const own = await loadFolder(source, spec.diagnostics, ".diagnostic.yaml", DiagnosticSpec, problems);
  return {
    spec,
    diagnostics: withLibrary(own, spec),
    interventions: await loadFolder(
      source,
      spec.interventions,
      ".intervention.yaml",
      InterventionSpec,
      problems,
    ),
    // A skill that cannot be read is not used; `check` and `skills list` say what is wrong with it.
    skills: await loadFolder(source, [skillsFolder], ".skill.yaml", SkillSpec, []),
    problems,
  };
}

/** A project's own diagnostics, and the shipped ones that none of them replaces. */
function withLibrary(
  own: readonly Loaded<DiagnosticSpec>[],
  { library, domain }: ProjectSpec,
): Loaded<DiagnosticSpec>[] {
  const names = new Set(own.map(({ spec }) => spec.name));
  return [
    ...own.map((loaded) => ({ ...loaded, spec: inDomain(loaded.spec, domain) })),
    ...usedDiagnostics(library, domain).filter(({ spec }) => !names.has(spec.name)),
  ];
}

async function libraryMistakes(source: FileSource, { library }: ProjectSpec): Promise<SpecProblem[]> {
  const mistakes = libraryProblems(library);
  if (mistakes.length === 0) return [];
  const text = (await source.read(projectFile)) ?? "";
  return mistakes.map(({ path, message }) => ({
    path: projectFile,
    line: lineAt(text, path),
    message: `${path.join(".")}: ${message}`,
  }));
}

/** @throws HarnessError projectMissing, projectInvalid */
export async function loadProjectSpec(source: FileSource): Promise<ProjectSpec> {
  const text = await source.read(projectFile);
  if (text === undefined)
    throw new HarnessError("projectMissing", noProjectFile(projectFile, source.folder ?? source.name));
  const read = readSpec(projectFile, text, ProjectSpec);
  if (!read.ok) throw new HarnessError("projectInvalid", describeProblems(read.problems));
  return read.value;
}

/**
 * Reads the reward spec that the project names, or undefined when it names none.
 * @throws HarnessError specInvalid, notFound
 */
export async function loadReward(source: FileSource, spec: ProjectSpec): Promise<RewardSpec | undefined> {
  if (spec.reward === undefined) return undefined;
  const text = await source.read(spec.reward);
  if (text === undefined)
    throw new HarnessError(
      "notFound",
      `${projectFile} names ${spec.reward} as the reward, but it is not in ${source.name}.`,
    );
  const read = readSpec(spec.reward, text, RewardSpec);
  if (!read.ok) throw new HarnessError("specInvalid", describeProblems(read.problems));
  return read.value;
}

/** One sentence per problem: file, line, what is wrong. */
export function describeProblems(problems: readonly SpecProblem[]): string {
  const [first, ...rest] = problems;
  if (first === undefined) return "";
  const more = rest.length > 0 ? ` (and ${rest.length} more; \`evotrainer check\` lists them)` : "";
  return `${first.path}:${first.line}: ${first.message}${more}`;
}

async function loadFolder<T extends { readonly name: string }>(
  source: FileSource,
  folders: readonly string[],
  suffix: string,
  schema: z.ZodType<T>,
  problems: SpecProblem[],
): Promise<Loaded<T>[]> {
  const loaded = new Map<string, Loaded<T>>();
  for (const folder of folders)
    for (const path of await source.list(folder)) {
      if (!path.endsWith(suffix)) continue;
      const text = (await source.read(path)) ?? "";
      const read = readSpec(path, text, schema);
      if (!read.ok) {
        problems.push(...read.problems);
        continue;
      }
      const twin = loaded.get(read.value.name);
      if (twin !== undefined)
        problems.push({
          path,
          line: 1,
          message: `The name ${read.value.name} is already used by ${twin.path}; rename one of them.`,
        });
      else loaded.set(read.value.name, { path, text, spec: read.value });
    }
  return [...loaded.values()];
}
