import { basename } from "node:path";
import { cut, firstLine, type ForeignLineage, type ForeignNode, type ForeignProblem } from "./foreign.ts";
import { groupBy, type ListedFile } from "./listing.ts";
import { finite, isRecord, parseJson, readText, textOf } from "./readSource.ts";
import { directionOf, timeIn } from "./vocabulary.ts";

const program = /^(?:(.*)\/)?(?:checkpoints\/)?checkpoint_(\d+)\/programs\/[^/]+\.json$/;
const metadata = /^(?:(.*)\/)?(?:checkpoints\/)?checkpoint_(\d+)\/metadata\.json$/;

/** Copies of the best program, which is in its checkpoint as well. */
export const isBesidePrograms = (name: string): boolean => /(?:^|\/)best_program(?:_info)?\.\w+$/.test(name);

/** The runs of openevolve among the files: the folder of each, and its files. */
export function findOpenevolveRuns(files: readonly ListedFile[]): Map<string, ListedFile[]> {
  const withPrograms = groupBy(files, ({ name }) => rootOf(program, name));
  const withMetadata = groupBy(files, ({ name }) => rootOf(metadata, name));
  return new Map(
    [...withPrograms].map(([root, programs]) => [root, [...programs, ...(withMetadata.get(root) ?? [])]]),
  );
}

function rootOf(pattern: RegExp, name: string): string | undefined {
  const match = pattern.exec(name);
  return match === null ? undefined : (match[1] ?? "").replace(/(^|\/)checkpoints$/, "");
}

/** What one checkpoint says of the population. */
export interface Checkpoint {
  readonly number: number;
  readonly programs: { readonly file: string; readonly value: unknown }[];
  metadata: unknown;
}

/** The checkpoints of one run, merged: each holds only the population of its time, so ancestors lie in earlier ones. */
export async function readOpenevolve(root: string, files: readonly ListedFile[]): Promise<ForeignLineage> {
  const checkpoints = new Map<number, Checkpoint>();
  const problems: ForeignProblem[] = [];
  for (const file of files) {
    const number = Number((program.exec(file.name) ?? metadata.exec(file.name))?.[2] ?? NaN);
    const text = await readText(file.path, file.name);
    const json = parseJson(text.value, file.name);
    problems.push(...text.problems, ...json.problems);
    if (json.value === undefined) continue;
    const checkpoint = checkpoints.get(number) ?? { number, programs: [], metadata: undefined };
    checkpoints.set(number, checkpoint);
    if (program.test(file.name)) checkpoint.programs.push({ file: file.name, value: json.value });
    else checkpoint.metadata = json.value;
  }
  const lineage = mergeCheckpoints(root === "" ? "openevolve" : basename(root), [...checkpoints.values()]);
  return { ...lineage, problems: [...problems, ...lineage.problems] };
}

interface Seen {
  readonly value: Readonly<Record<string, unknown>>;
  readonly file: string;
  readonly checkpoints: number[];
}

/** Pure: one node for each program that any checkpoint still has. */
export function mergeCheckpoints(name: string, unordered: readonly Checkpoint[]): ForeignLineage {
  const checkpoints = [...unordered].sort((a, b) => a.number - b.number);
  const seen = new Map<string, Seen>();
  const problems: ForeignProblem[] = [];
  for (const { number, programs } of checkpoints)
    for (const { file, value } of programs) {
      const id = isRecord(value) ? textOf(value["id"]) : undefined;
      if (id === undefined || !isRecord(value)) {
        problems.push({ file, line: null, reason: "it is not a program: it has no id" });
        continue;
      }
      const before = seen.get(id)?.checkpoints ?? [];
      // The latest counts: a program may be measured again.
      seen.set(id, { value, file, checkpoints: [...before, number] });
    }
  const last = checkpoints.at(-1);
  const final = last === undefined ? undefined : populationOf(last);
  const nodes = [...seen.entries()]
    .map(([id, s]) => nodeOf(id, s, { final, last: last?.number ?? 0 }))
    .sort(byIteration(seen));
  const names = [...new Set(nodes.flatMap((n) => Object.keys(n.metrics)))];
  return {
    name,
    format: "openevolve",
    nodes,
    metrics: Object.fromEntries(
      names.map((m) => [
        m,
        { direction: m === "combined_score" ? ("higher" as const) : directionOf(m), unit: null },
      ]),
    ),
    problems,
    missing: [],
    notes: [
      `${checkpoints.length} checkpoints merged (${checkpoints.map((c) => c.number).join(", ")}): each has only the population of its time.`,
      "openevolve decides by survival: a program in the last population counts as kept, one that was evicted as pruned.",
    ],
    gaps: {},
    repository: null,
  };
}

function byIteration(seen: ReadonlyMap<string, Seen>): (a: ForeignNode, b: ForeignNode) => number {
  const iteration = (n: ForeignNode): number => finite(seen.get(n.key)?.value["iteration_found"]) ?? 0;
  return (a, b) =>
    iteration(a) - iteration(b) || (a.at ?? 0) - (b.at ?? 0) || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
}

interface Population {
  readonly members: ReadonlyMap<string, number | null>;
  readonly archive: ReadonlySet<string>;
  readonly best: string | undefined;
}

/** Who is in the population of a checkpoint, with the island; undefined when it does not say. */
function populationOf({ metadata: value, programs }: Checkpoint): Population | undefined {
  const members = new Map<string, number | null>();
  for (const { value: p } of programs)
    if (isRecord(p) && typeof p["id"] === "string") members.set(p["id"], null);
  if (!isRecord(value))
    return members.size === 0 ? undefined : { members, archive: new Set(), best: undefined };
  const islands = Array.isArray(value["islands"]) ? value["islands"] : [];
  for (const [i, island] of islands.entries())
    if (Array.isArray(island)) for (const id of island) if (typeof id === "string") members.set(id, i);
  const archive = Array.isArray(value["archive"]) ? value["archive"] : [];
  return {
    members,
    archive: new Set(archive.filter((id) => typeof id === "string")),
    best: textOf(value["best_program_id"]),
  };
}

const endings = new Map([
  ["python", "py"],
  ["rust", "rs"],
  ["javascript", "js"],
  ["typescript", "ts"],
  ["cpp", "cpp"],
  ["c++", "cpp"],
  ["c", "c"],
  ["java", "java"],
  ["go", "go"],
  ["r", "r"],
  ["julia", "jl"],
  ["cuda", "cu"],
  ["metal", "metal"],
]);

function nodeOf(
  id: string,
  { value, file, checkpoints }: Seen,
  { final, last }: { final: Population | undefined; last: number },
): ForeignNode {
  const details = isRecord(value["metadata"]) ? value["metadata"] : {};
  const raw = isRecord(value["metrics"]) ? value["metrics"] : {};
  const error = textOf(raw["error"]);
  const { metrics, unknowns } = measured(raw, error !== undefined);
  const parent = textOf(value["parent_id"]);
  const changes = textOf(details["changes"]);
  const code = textOf(value["code"]);
  const language = textOf(value["language"])?.toLowerCase() ?? "python";
  const iteration = finite(value["iteration_found"]);
  const decision = decisionOf(id, { isRoot: parent === undefined, final });
  return {
    key: id,
    label: `i${iteration ?? 0}-${id.replace(/^([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/, "$1")}`,
    parents: parent === undefined ? [] : [parent],
    title: firstLine(changes ?? (parent === undefined ? "Initial program" : "Changes not recorded")),
    at: timeIn(value["timestamp"]),
    metrics,
    primary: "combined_score" in metrics ? "combined_score" : (Object.keys(metrics)[0] ?? null),
    status: null,
    decision,
    reason: cut(
      reasonOf(id, { checkpoints, final, last, migrant: details["migrant"] === true, error, changes }),
    ),
    failure: error === undefined ? null : { class: "crash", message: cut(error, 500), seconds: null },
    files: code === undefined ? {} : { [`program.${endings.get(language) ?? "txt"}`]: code },
    commit: null,
    unknowns,
    from: { file, line: null },
  };
}

function measured(
  raw: Readonly<Record<string, unknown>>,
  failed: boolean,
): Pick<ForeignNode, "metrics" | "unknowns"> {
  const unknowns: { field: string; reason: string }[] = [];
  const metrics: Record<string, number | null> = {};
  for (const [name, value] of Object.entries(raw)) {
    if (name === "error") continue;
    const number = finite(value);
    // A program that could not be run has zeros where its measurements would be.
    const isFiller = failed && number === 0;
    if (isFiller)
      unknowns.push({ field: name, reason: "the evaluation failed, so the 0 is not a measurement" });
    else if (number === null) unknowns.push({ field: name, reason: "it is not a number" });
    metrics[name] = isFiller ? null : number;
  }
  return { metrics, unknowns };
}

function decisionOf(
  id: string,
  { isRoot, final }: { isRoot: boolean; final: Population | undefined },
): ForeignNode["decision"] {
  if (isRoot) return "base";
  if (final === undefined) return null;
  return final.members.has(id) || final.archive.has(id) ? "keep" : "prune";
}

function reasonOf(
  id: string,
  facts: {
    checkpoints: readonly number[];
    final: Population | undefined;
    last: number;
    migrant: boolean;
    error: string | undefined;
    changes: string | undefined;
  },
): string {
  const { final, last } = facts;
  const parts: string[] = [];
  if (final?.best === id) parts.push(`The best program at checkpoint ${last}.`);
  if (final !== undefined) {
    const island = final.members.get(id);
    const place = typeof island === "number" ? `, island ${island}` : "";
    const archived = final.archive.has(id) ? " and in the archive" : "";
    parts.push(
      final.members.has(id) || final.archive.has(id)
        ? `In the population at checkpoint ${last}${place}${archived}.`
        : `Evicted: no longer in the population at checkpoint ${last}; last written in checkpoint ${Math.max(...facts.checkpoints)}.`,
    );
  }
  if (facts.migrant) parts.push("A migrant: a copy of its parent on another island.");
  if (facts.error !== undefined) parts.push(`Evaluation failed: ${facts.error}`);
  if (facts.changes !== undefined) parts.push(facts.changes);
  return parts.join(" ");
}
