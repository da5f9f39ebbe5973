import { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { RewardSpec } from "../../../../shared/spec/reward.ts";
import type { Factor } from "../../../../shared/spec/common.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { z } from "zod";
import { HarnessError } from "../../base/errors.ts";
import { listed } from "../../base/similar.ts";
import { parseYaml } from "../../base/yaml.ts";
import { isBookkeeping } from "../../project/bookkeeping.ts";
import { byFactor, changesOf, scalarsOf } from "../../project/configValues.ts";
import { loadProject, loadProjectSpec, loadReward, projectFile } from "../../project/project.ts";
import { readSpec } from "../../project/readSpec.ts";
import type { FileSource } from "../../project/source.ts";
import { configFiles, factorsAt, isFrozen } from "../../project/surfaces.ts";

/** A file as a version would have it; null where it would be gone. */
export interface OutcomeFile {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

const specSchemas: readonly (readonly [string, z.ZodType])[] = [
  [".intervention.yaml", InterventionSpec],
  [".diagnostic.yaml", DiagnosticSpec],
  [".reward.yaml", RewardSpec],
];

/**
 * Why files may not become a version of their parent, one sentence each: every spec stays valid, frozen values and the
 * evaluation stay as they are, and one factor changes, inside the surfaces that the parent declares.
 */
export async function outcomeProblems(base: FileSource, files: readonly OutcomeFile[]): Promise<string[]> {
  const changed = files.filter(({ before, after }) => before !== after);
  if (changed.length === 0) return ["Nothing would differ from the parent."];
  const after = withFiles(base, changed);
  try {
    const spec = await loadProjectSpec(base);
    const was = await loadProject(base);
    const is = await loadProject(after);
    await loadReward(after, is.spec);
    const known = new Set(was.problems.map((p) => `${p.path}: ${p.message}`));
    const problems = [
      ...is.problems.filter((p) => !known.has(`${p.path}: ${p.message}`)).map(placed),
      ...changed.flatMap(specProblems),
      ...protocolProblems(was.spec, is.spec),
      ...factorProblems(spec, changed),
    ];
    return [...new Set(problems)];
  } catch (e) {
    if (HarnessError.is(e)) return [e.message];
    throw e;
  }
}

const placed = (p: { readonly path: string; readonly line: number; readonly message: string }): string =>
  `${p.path}:${p.line}: ${p.message}`;

/** The files of a source with some of them replaced. */
function withFiles(base: FileSource, files: readonly OutcomeFile[]): FileSource {
  const replaced = new Map(files.map((f) => [f.path, f.after]));
  return {
    name: "the outcome",
    read: (path) => {
      const text = replaced.get(path);
      return text === undefined ? base.read(path) : Promise.resolve(text ?? undefined);
    },
    async list(folder) {
      const inFolder = (path: string): boolean => path.slice(0, path.lastIndexOf("/")) === folder;
      const present = new Set([...(await base.list(folder)), ...[...replaced.keys()].filter(inFolder)]);
      return [...present].filter((path) => replaced.get(path) !== null).sort();
    },
  };
}

function specProblems({ path, after }: OutcomeFile): string[] {
  if (after === null) return [];
  const schema = specSchemas.find(([suffix]) => path.endsWith(suffix))?.[1];
  if (schema !== undefined) {
    const read = readSpec(path, after, schema);
    return read.ok ? [] : [placed(read.problems[0])];
  }
  if (!isConfig(path)) return [];
  const [error] = parseYaml(after, { prettyErrors: true }).errors;
  return error === undefined ? [] : [`${path} is no valid YAML: ${error.message.split("\n", 1)[0] ?? ""}`];
}

/** What says how a version is measured is never part of a change. */
function protocolProblems(was: ProjectSpec, is: ProjectSpec): string[] {
  const parts = ["evaluation", "metric", "surfaces", "frozen", "domain"] as const;
  return parts
    .filter((part) => JSON.stringify(was[part]) !== JSON.stringify(is[part]))
    .map(
      (part) =>
        `${projectFile} would have other ${part}, so that the version could not be compared with its parent.`,
    );
}

interface Changed {
  readonly file: string;
  readonly path: string;
  readonly factors: readonly Factor[];
  readonly bookkeeping: boolean;
}

function factorProblems(spec: ProjectSpec, files: readonly OutcomeFile[]): string[] {
  const problems: string[] = [];
  const changes: Changed[] = files.flatMap((file) => placesOf(file, spec));
  for (const change of changes) {
    const place = change.path === "" ? change.file : `${change.path} in ${change.file}`;
    if (isFrozen(spec, change)) problems.push(`${place} is frozen: it must stay as the parent has it.`);
    else if (change.factors.length === 0 && !change.bookkeeping)
      problems.push(`${place} is on no declared surface, so that no version may change it.`);
  }
  const factors = byFactor(changes);
  if (problems.length === 0 && factors.size === 0)
    problems.push("Only bookkeeping would differ from the parent, which is no change to train.");
  if (factors.size > 1)
    problems.push(
      `${factors.size} factors would change (${listed([...factors.keys()], "and")}); a version changes one.`,
    );
  return problems;
}

/** The values of a config that differ; the file as a whole where it has no values to compare. */
function placesOf({ path, before, after }: OutcomeFile, spec: ProjectSpec): Changed[] {
  const isHarnessSpec =
    specSchemas.some(([suffix]) => path.endsWith(suffix)) && !configFiles(spec).includes(path);
  const changed = (at: string): Changed => {
    const bookkeeping = isBookkeeping(at) || isHarnessSpec;
    const factors = bookkeeping ? [] : factorsAt(spec, { file: path, path: at });
    return { file: path, path: at, factors, bookkeeping };
  };
  if (!isConfig(path) || before === null || after === null) return [changed("")];
  const [from, to] = [before, after].map((text) => {
    const document = parseYaml(text);
    return document.errors.length > 0 ? undefined : scalarsOf(document.toJS());
  });
  if (from === undefined || to === undefined) return [changed("")];
  return changesOf(from, to).map((c) => changed(c.path));
}

const isConfig = (path: string): boolean => /\.(ya?ml|json)$/.test(path);
