import { InterventionSpec } from "../../../shared/spec/intervention.ts";
import { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { RewardSpec } from "../../../shared/spec/reward.ts";
import type { Factor } from "../../../shared/spec/common.ts";
import type { ProjectSpec } from "../../../shared/spec/project.ts";
import type { z } from "zod";
import { HarnessError } from "../base/errors.ts";
import { listed } from "../base/similar.ts";
import { parseYaml } from "../base/yaml.ts";
import { isBookkeeping } from "../project/bookkeeping.ts";
import { isConfig, placedFormat } from "../project/configs/configText.ts";
import { byFactor } from "../project/configs/configValues.ts";
import { loadProject, loadReward, projectFile } from "../project/project.ts";
import { readSpec } from "../project/readSpec.ts";
import type { FileSource } from "../project/source.ts";
import { frozenBy, type FrozenBy } from "../project/frozen/frozenPaths.ts";
import type { Links } from "../project/frozen/links.ts";
import { lineEndProblem } from "../project/patch/lineEnds.ts";
import { textRefusal } from "../project/patchViolations.ts";
import { configFiles, factorsHere, frozenText, isText } from "../project/surfaces.ts";
import { differenceOf, type OutcomeFile } from "./difference/difference.ts";
import { readsEvidence } from "../project/harnessPlaces.ts";

const specSchemas: readonly (readonly [string, z.ZodType])[] = [
  [".intervention.yaml", InterventionSpec],
  [".diagnostic.yaml", DiagnosticSpec],
  [".reward.yaml", RewardSpec],
];

/**
 * Why files may not become a version of their parent, one sentence each: every spec stays valid, frozen values and the
 * evaluation stay as they are, and one factor changes, inside the surfaces that the parent declares. `merged` are the
 * factors that a merge may bring along together.
 */
export async function outcomeProblems(
  base: FileSource,
  files: readonly OutcomeFile[],
  merged: readonly Factor[] = [],
): Promise<string[]> {
  const changed = files.filter(({ before, after }) => before !== after);
  if (changed.length === 0) return ["Nothing would differ from the parent."];
  const after = withFiles(base, changed);
  try {
    const was = await loadProject(base);
    const is = await loadProject(after);
    await loadReward(after, is.spec);
    const known = new Set(was.problems.map((p) => `${p.path}: ${p.message}`));
    const places = placesOf(was.spec, changed);
    const links = await base.links?.();
    const misplaced = [
      ...textProblems(was.spec, changed, links),
      ...placeProblems(was.spec, places, frozenBy(was.spec, links)),
    ];
    const problems = [
      ...is.problems.filter((p) => !known.has(`${p.path}: ${p.message}`)).map(placed),
      ...changed.flatMap(specProblems),
      ...protocolProblems(was.spec, is.spec),
      ...misplaced,
      ...factorProblems(places, misplaced.length === 0, merged),
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
  if (!isConfig(path) || placedFormat(path) !== undefined) return [];
  const [error] = parseYaml(after, { prettyErrors: true }).errors;
  return error === undefined ? [] : [`${path} is not valid YAML: ${error.message.split("\n", 1)[0] ?? ""}`];
}

/** What says how a version is measured is never part of a change. */
function protocolProblems(was: ProjectSpec, is: ProjectSpec): string[] {
  const parts = ["evaluation", "metric", "surfaces", "frozen", "domain"] as const;
  return parts
    .filter((part) => JSON.stringify(was[part]) !== JSON.stringify(is[part]))
    .map(
      (part) =>
        `${part} in ${projectFile} would change, so the version could not be compared with its parent.`,
    );
}

/** Files that change as texts: none may be what no version changes, and all stay texts. */
function textProblems(spec: ProjectSpec, files: readonly OutcomeFile[], links: Links | undefined): string[] {
  const configs = configFiles(spec);
  const texts = files.filter(({ path }) => isText(spec, path) && !configs.includes(path));
  return texts.flatMap(({ path, before, after }) => {
    const refusal = textRefusal(spec, path, links === undefined ? {} : { links });
    if (refusal !== undefined) return [refusal];
    const lineEnds = after === null ? undefined : lineEndProblem(path, before, after);
    if (after?.includes("\0") === true) return [`${path} would hold a zero byte; only texts can be changed.`];
    return lineEnds === undefined ? [] : [lineEnds];
  });
}

interface Changed {
  readonly file: string;
  readonly path: string;
  readonly factors: readonly Factor[];
  readonly bookkeeping: boolean;
}

/** Frozen values, the files of the evaluation and what is on no surface stay as they are. */
function placeProblems(spec: ProjectSpec, changes: readonly Changed[], by: FrozenBy): string[] {
  const configs = configFiles(spec);
  return changes.flatMap((change) => {
    const place = change.path === "" ? change.file : `${change.path} in ${change.file}`;
    const frozen = frozenText(spec, change, by);
    if (frozen !== undefined) return [frozen];
    // The rest of a launch script is commands, and nothing tries them.
    if (change.path === "" && configs.includes(change.file) && placedFormat(change.file) !== undefined)
      return [`More than the values of ${change.file} would change; a version may only change its values.`];
    return change.factors.length === 0 && !change.bookkeeping
      ? [
          `${place} is not on a declared surface. Add it to \`surfaces\` in ${projectFile}, or undo that change.`,
        ]
      : [];
  });
}

function factorProblems(changes: readonly Changed[], isPlaced: boolean, merged: readonly Factor[]): string[] {
  const factors = [...byFactor(changes).keys()];
  if (factors.length > 1 && !factors.every((factor) => merged.includes(factor)))
    return [`${factors.length} factors would change (${listed(factors, "and")}); a version changes one.`];
  return isPlaced && factors.length === 0
    ? ["Only bookkeeping would differ from the parent, so there is nothing to train."]
    : [];
}

/** The one factor that a sound change is of; null where none is, or where a merge brings several. */
export function factorOf(spec: ProjectSpec, files: readonly OutcomeFile[]): Factor | null {
  const [first, ...others] = factorsOf(spec, files);
  return others.length > 0 ? null : (first ?? null);
}

/** Every factor that a change is of. */
export function factorsOf(spec: ProjectSpec, files: readonly OutcomeFile[]): Factor[] {
  return [...byFactor(placesOf(spec, files)).keys()];
}

function placesOf(spec: ProjectSpec, files: readonly OutcomeFile[]): Changed[] {
  const configs = configFiles(spec);
  return differenceOf(files).map(({ file, path }) => {
    const isSpec =
      specSchemas.some(([suffix]) => file.endsWith(suffix)) &&
      !configs.includes(file) &&
      !readsEvidence(spec, { file, path });
    const bookkeeping = (isBookkeeping(path) && configs.includes(file)) || isSpec;
    return { file, path, bookkeeping, factors: bookkeeping ? [] : factorsHere(spec, { file, path }) };
  });
}
