import { basename, dirname, posix } from "node:path";
import type { LineageMapping } from "../../../../shared/spec/lineageMapping.ts";
import { HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import { unreadable, type Refuse } from "../../reading/walkFolder.ts";
import { findExperiments, isAiScientist, isBesideStages, readAiScientist } from "./aiScientist.ts";
import { isJournal, readAide } from "./aide.ts";
import { isAutoresearch, readAutoresearch } from "./autoresearch.ts";
import { findDgmRuns, isDgmNode, readDgm } from "./dgm.ts";
import type { DetectedLineage } from "./foreign.ts";
import { listFiles, type ListedFile } from "./listing.ts";
import { besides, isLineageMapping, parseMapping, readMapped } from "./mapping.ts";
import { findOpenevolveRuns, isBesidePrograms, readOpenevolve } from "./openevolve.ts";
import { isPiAutoresearch, readPiAutoresearch } from "./piAutoresearch.ts";
import { readHead, readText } from "./readSource.ts";
import { isShinka, shinkaRefusal } from "./shinka.ts";

export const lineageFormats = [
  "autoresearch",
  "pi-autoresearch",
  "openevolve",
  "aide",
  "ai-scientist-v2",
  "dgm",
  "shinka",
  "mapping",
] as const;
export type LineageFormat = (typeof lineageFormats)[number];

/**
 * The lineages of other tools among `paths` (files, or folders that are searched). A mapping (`*.evidence.yaml`, kind
 * Lineage) among them says how to read the other files that are named beside it, or the one that it names itself.
 * A file or a folder that cannot be read is told to `refuse`; the rest is looked at.
 * @throws HarnessError notFound, badInput, specInvalid for a mapping that breaks its schema
 */
export async function detectLineage(
  paths: readonly string[],
  options: { format?: LineageFormat; refuse?: Refuse } = {},
): Promise<DetectedLineage[]> {
  const { refuse } = options;
  const files = await listFiles(paths, refuse);
  const mapped = await findMapped(files, refuse);
  const rest = files.filter((f) => !mapped.claimed.has(f.path));
  const found: DetectedLineage[] = [...mapped.found];
  const only = (format: LineageFormat): boolean => options.format === undefined || options.format === format;

  if (only("openevolve"))
    for (const [root, members] of findOpenevolveRuns(rest))
      found.push({
        type: "readable",
        format: "openevolve",
        name: root === "" ? "openevolve" : basename(root),
        files: members.map((f) => f.name),
        beside: namesBelow(root, rest, isBesidePrograms),
        read: () => readOpenevolve(root, members),
      });
  if (only("dgm")) found.push(...(await findDgm(rest, options.format === "dgm", refuse)));
  const journals: ListedFile[] = [];
  for (const file of rest) {
    const context = { only, journals, forced: file.named ? options.format : undefined };
    const one = await lookAt(file, refuse, () => detectFile(file, context));
    if (one !== undefined) found.push(one);
  }
  for (const [root, members] of findExperiments(journals))
    found.push({
      type: "readable",
      format: "ai-scientist-v2",
      name: root === "" ? "experiment" : basename(root),
      files: members.map((f) => f.name),
      beside: namesBelow(root, rest, isBesideStages),
      read: () => readAiScientist(root, members),
    });
  return found;
}

/** Of a file that a mapping names, in the names of the listing. */
const nameBeside = (name: string, path: string): string => posix.join(posix.dirname(name), path);

const namesBelow = (
  root: string,
  files: readonly ListedFile[],
  isMeant: (name: string) => boolean,
): string[] =>
  files.map((f) => f.name).filter((name) => (root === "" || name.startsWith(`${root}/`)) && isMeant(name));

/** What a look at a file gives; nothing when the file cannot be read, which `refuse` is told. */
async function lookAt<T>(
  file: ListedFile,
  refuse: Refuse | undefined,
  look: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await look();
  } catch (e) {
    const reason = unreadable(e, "file");
    if (reason === undefined || refuse === undefined) throw e;
    refuse(file.path, reason);
    return undefined;
  }
}

async function findDgm(
  files: readonly ListedFile[],
  forced: boolean,
  refuse: Refuse | undefined,
): Promise<DetectedLineage[]> {
  const isNode = async (f: ListedFile): Promise<boolean> => isDgmNode(await readHead(f.path));
  const runs = await findDgmRuns(
    files,
    async (f) => (forced && f.named) || (await lookAt(f, refuse, () => isNode(f))) === true,
  );
  return runs.map((run) => ({
    type: "readable",
    format: "dgm",
    name: run.root === "." ? "dgm" : basename(run.root),
    files: [...(run.ledger === undefined ? [] : [run.ledger]), ...run.nodes].map((f) => f.name),
    beside: run.patches.map((f) => f.name),
    read: () => readDgm(run),
  }));
}

interface FileContext {
  readonly only: (format: LineageFormat) => boolean;
  /** Those of AI-Scientist-v2, which are read together. */
  readonly journals: ListedFile[];
  /** The format that was asked for, of a file that was named itself. */
  readonly forced: LineageFormat | undefined;
}

/** Only files whose name may be one of ours are opened: a folder may hold gigabytes of evidence. */
async function detectFile(file: ListedFile, context: FileContext): Promise<DetectedLineage | undefined> {
  const { only, forced } = context;
  const { name } = file;
  const readable = (
    format: LineageFormat,
    read: (f: ListedFile) => ReturnType<typeof readAide>,
  ): DetectedLineage => ({
    type: "readable",
    format,
    name: basename(dirname(file.path)),
    files: [name],
    read: () => read(file),
  });
  if (forced === "autoresearch") return readable("autoresearch", readAutoresearch);
  if (forced === "pi-autoresearch") return readable("pi-autoresearch", readPiAutoresearch);
  if (forced === "aide") return readable("aide", readAide);
  if (/\.(sqlite3?|db)$/i.test(name)) {
    if (!only("shinka") || !(await isShinka(file.path))) return undefined;
    return {
      type: "refused",
      format: "shinka",
      name: basename(name),
      files: [name],
      reason: shinkaRefusal(name),
    };
  }
  if (/\.tsv$/i.test(name) && (file.named || /results/i.test(basename(name)))) {
    if (!only("autoresearch") || !isAutoresearch(name, await readHead(file.path))) return undefined;
    return readable("autoresearch", readAutoresearch);
  }
  if (/\.jsonl$/i.test(name) && (file.named || /autoresearch/i.test(basename(name)))) {
    if (!only("pi-autoresearch") || !isPiAutoresearch(name, await readHead(file.path))) return undefined;
    return readable("pi-autoresearch", readPiAutoresearch);
  }
  return /journal[^/]*\.json$/i.test(name)
    ? detectJournal(file, context, () => readable("aide", readAide))
    : undefined;
}

async function detectJournal(
  file: ListedFile,
  { only, journals, forced }: FileContext,
  readable: () => DetectedLineage,
): Promise<DetectedLineage | undefined> {
  const head = await readHead(file.path, 1_048_576);
  if (forced !== "ai-scientist-v2" && !isJournal(file.name, head)) return undefined;
  if (forced === "ai-scientist-v2" || isAiScientist(head)) {
    if (only("ai-scientist-v2")) journals.push(file);
    return undefined;
  }
  return only("aide") ? readable() : undefined;
}

async function findMapped(
  files: readonly ListedFile[],
  refuse: Refuse | undefined,
): Promise<{ found: DetectedLineage[]; claimed: Set<string> }> {
  const mappings: { file: ListedFile; mapping: LineageMapping }[] = [];
  for (const file of files) {
    if (!/\.evidence\.ya?ml$/i.test(file.name)) continue;
    const text = await lookAt(file, refuse, () => readText(file.path, file.name, 1_048_576));
    if (text !== undefined && isLineageMapping(file.name, text.value))
      mappings.push({ file, mapping: parseMapping(text.value, file.name) });
  }
  const claimed = new Set(mappings.map(({ file }) => file.path));
  const found: DetectedLineage[] = [];
  const others = files.filter((f) => f.named && !claimed.has(f.path));
  for (const { file, mapping } of mappings) {
    // Files that are named beside the mapping win over the one that it names itself.
    const asked = file.named && mappings.length === 1 ? others : [];
    const sources =
      asked.length > 0 ? asked : mapping.source === undefined ? [] : [besides(file.path, mapping.source)];
    if (sources.length === 0)
      throw new HarnessError(
        "badInput",
        `The mapping ${file.name} names no source; name the ledger beside it, or write source: in it.`,
      );
    for (const source of sources) {
      if (!(await exists(source.path)))
        throw new HarnessError(
          "notFound",
          `There is no file ${source.name} beside the mapping ${file.name}.`,
        );
      claimed.add(source.path);
      found.push({
        type: "readable",
        format: "mapping",
        name: sources.length === 1 ? mapping.name : `${mapping.name}-${basename(source.name)}`,
        files: [file.name, source.name],
        beside: mapping.outcomes === undefined ? [] : [nameBeside(file.name, mapping.outcomes.source)],
        read: () => readMapped(mapping, source, file.path),
      });
    }
  }
  return { found, claimed };
}
