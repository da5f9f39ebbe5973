import { createHash } from "node:crypto";
import type { MeasuredOn } from "../../../../shared/ledger/measures.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { recallBytes } from "../../lineage/commitMemory.ts";
import { isLink, isSubmodule } from "../../lineage/checkouts/treeAt.ts";
import type { Repository } from "../../lineage/repository.ts";
import { readFileAt } from "../../lineage/versions.ts";
import { isBookkeeping } from "../bookkeeping.ts";
import { configFramework, configScalars, isConfig } from "../configs/configText.ts";
import { scalarsOf } from "../configs/configValues.ts";
import { loadProjectSpec, projectFile } from "../project.ts";
import { configFiles, factorsAt, isText, valueSurfaces } from "../surfaces.ts";
import { committedFiles, type CommittedFile } from "./evaluationEntries.ts";

/** What a number means is another in a release that makes it in another way: such digests are made again. */
export const identitySchema = 1;

type Part = keyof MeasuredOn["parts"];

/** What one version is measured on: a digest for each file or setting, by the part that it belongs to. */
export type MeasuredFiles = Readonly<Record<Part, ReadonlyMap<string, string>>>;

/**
 * What a commit says about how its version is measured, read from git's objects: the items, the evaluator, the protocol,
 * and all other files except what surfaces cover, which is what versions may differ in.
 * @throws HarnessError projectMissing, projectInvalid
 */
export async function measuredFiles(repository: Repository, commit: string): Promise<MeasuredFiles> {
  const project = await loadProjectSpec({
    name: `commit ${commit.slice(0, 8)}`,
    read: (path) => readFileAt(repository, commit, path),
    list: () => Promise.resolve([]),
  });
  const { selection, audit } = project.evaluation.splits;
  const isItems = ({ declared }: CommittedFile): boolean => declared === selection || declared === audit;
  const found = { items: new Map(), evaluator: new Map(), environment: new Map() } as const satisfies Record<
    Exclude<Part, "protocol">,
    Map<string, string>
  >;
  const configs = new Set(configFiles(project));
  const whole = new Set(
    valueSurfaces(project)
      .filter((s) => s.paths === undefined)
      .map(({ file }) => file),
  );
  const { train } = project.evaluation.splits;
  for (const entry of await committedFiles(repository, commit, project)) {
    const { file, mode, oid, declared } = entry;
    const is = `${mode} ${oid}`;
    if (isItems(entry)) found.items.set(file, is);
    else if (declared !== undefined && declared !== train) found.evaluator.set(file, is);
    else if (whole.has(file) || isText(project, file) || isPassedOver(file)) continue;
    else
      found.environment.set(file, configs.has(file) ? await withoutSurfaces(repository, project, entry) : is);
  }
  return { ...found, protocol: protocolOf(project) };
}

/** Specs that only EvoTrainer reads (evotrainer.yaml counts as the protocol), and files for people. */
function isPassedOver(file: string): boolean {
  const name = file.slice(file.lastIndexOf("/") + 1);
  return (
    file === projectFile ||
    /\.(intervention|diagnostic|reward|skill|evidence)\.ya?ml$/.test(name) ||
    /^(readme|licen[cs]e|notice|changelog|contributing|authors|code_of_conduct)(\.\w+)?$/i.test(name) ||
    /^\.(gitignore|gitattributes|gitmodules|editorconfig|mailmap)$/.test(name) ||
    /(^|\/)\.(github|vscode|idea)\//.test(file)
  );
}

/** A digest of what versions may not differ in of a config; of the whole file where it has no values. */
async function withoutSurfaces(
  repository: Repository,
  project: ProjectSpec,
  entry: CommittedFile,
): Promise<string> {
  const { mode, oid, file } = entry;
  const is = `${mode} ${oid}`;
  if (!isConfig(file) || isLink(entry) || isSubmodule(entry)) return is;
  const text = String(await recallBytes(repository, ["cat-file", "blob", oid]));
  const values = configScalars(file, text);
  if (values === undefined) return is;
  const around = configFramework(file, text);
  const fixed = [...values].filter(
    ([path]) => !isBookkeeping(path) && factorsAt(project, { file, path }).length === 0,
  );
  const told = around === "" ? sortedByName(fixed) : [sortedByName(fixed), around];
  return `${mode} values ${sha256(JSON.stringify(told))}`;
}

/** What evotrainer.yaml says about measuring, value by value; what a surface covers is left out here as well. */
function protocolOf(project: ProjectSpec): ReadonlyMap<string, string> {
  const { evaluation, metric, trainer } = project;
  const { command, seeds, budgetSeconds, start, environment, data } = trainer;
  const { splits, files, samples } = evaluation;
  const told = {
    evaluation: { splits, files: [...files].sort(), ...(samples === undefined ? {} : { samples }) },
    metric,
    trainer: { command, seeds, budgetSeconds, start, environment, data: [...data].sort() },
  };
  const values = [...scalarsOf(told)].filter(
    ([path]) => factorsAt(project, { file: projectFile, path }).length === 0,
  );
  return new Map(values.map(([path, value]) => [path, JSON.stringify(value)]));
}

/** The digests that the ledger keeps of what a version was measured on; `data` is what git does not have. */
export function measuredOn(files: MeasuredFiles, data: Readonly<Record<string, string>>): MeasuredOn {
  const parts = {
    items: digestOf(files.items),
    evaluator: digestOf(files.evaluator),
    protocol: digestOf(files.protocol),
    environment: digestOf(files.environment),
  };
  const digest = sha256(JSON.stringify([identitySchema, parts, sortedByName(Object.entries(data))]));
  return { schema: identitySchema, digest, parts, data: { ...data } };
}

const digestOf = (files: ReadonlyMap<string, string>): string =>
  sha256(JSON.stringify(sortedByName([...files])));

function sortedByName<T>(entries: readonly (readonly [string, T])[]): (readonly [string, T])[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
