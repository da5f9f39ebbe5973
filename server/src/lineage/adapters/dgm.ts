import { basename, dirname } from "node:path";
import {
  cut,
  firstLine,
  type ForeignLineage,
  type ForeignNode,
  type ForeignOutcome,
  type ForeignProblem,
} from "./foreign.ts";
import type { ListedFile } from "./listing.ts";
import { finite, isRecord, parseJson, parseJsonDocuments, readText, textOf } from "./readSource.ts";
import { timeIn } from "./vocabulary.ts";

const ledgerName = "dgm_metadata.jsonl";
const patchName = "model_patch.diff";

/** Whether the head of a metadata.json is that of a node of the archive. */
export function isDgmNode(head: string): boolean {
  return (
    head.includes('"run_id"') && (head.includes('"overall_performance"') || head.includes('"parent_commit"'))
  );
}

/** A run of the Darwin Gödel Machine: what it wrote of the generations and of each node. */
export interface DgmRun {
  readonly root: string;
  readonly ledger: ListedFile | undefined;
  readonly nodes: readonly ListedFile[];
  readonly patches: readonly ListedFile[];
}

/** The runs among the files; `isNode` tells a node's metadata.json from another tool's. */
export async function findDgmRuns(
  files: readonly ListedFile[],
  isNode: (file: ListedFile) => Promise<boolean>,
): Promise<DgmRun[]> {
  const ledgers = files.filter((f) => basename(f.name) === ledgerName);
  const roots = new Set(ledgers.map((f) => dirname(f.name)));
  const nodes = new Map<string, ListedFile[]>();
  for (const file of files) {
    if (basename(file.name) !== "metadata.json" || !(await isNode(file))) continue;
    const folder = dirname(file.name);
    const root = roots.has(dirname(folder)) ? dirname(folder) : folder;
    nodes.set(root, [...(nodes.get(root) ?? []), file]);
  }
  return [...new Set([...roots, ...nodes.keys()])].map((root) => ({
    root,
    ledger: ledgers.find((f) => dirname(f.name) === root),
    nodes: nodes.get(root) ?? [],
    patches: files.filter((f) => basename(f.name) === patchName && dirname(dirname(f.name)) === root),
  }));
}

interface Generation {
  readonly parents: readonly string[];
  readonly children: readonly string[];
  readonly compiled: ReadonlySet<string>;
  readonly archive: readonly string[];
}

/** Reads a run: dgm_metadata.jsonl is JSON objects over many lines each, not one a line. */
export async function readDgm(run: DgmRun): Promise<ForeignLineage> {
  const problems: ForeignProblem[] = [];
  const generations: Generation[] = [];
  if (run.ledger !== undefined) {
    const text = await readText(run.ledger.path, run.ledger.name);
    const documents = parseJsonDocuments(text.value, run.ledger.name);
    problems.push(...text.problems, ...documents.problems);
    for (const { value, line } of documents.value) {
      const generation = generationOf(value);
      if (generation === undefined)
        problems.push({
          file: run.ledger.name,
          line,
          reason: "it is not a generation: it has no list of children",
        });
      else generations.push(generation);
    }
  }
  const described: Fact[] = [];
  for (const file of run.nodes) {
    const text = await readText(file.path, file.name);
    const json = parseJson(text.value, file.name);
    problems.push(...text.problems, ...json.problems);
    const patch = run.patches.find((p) => dirname(p.name) === dirname(file.name));
    if (json.value !== undefined)
      described.push({
        file: file.name,
        value: json.value,
        patch: patch === undefined ? undefined : (await readText(patch.path, patch.name)).value,
      });
  }
  const name = run.root === "." ? "dgm" : basename(run.root);
  const lineage = lineageOf(name, generations, described);
  return { ...lineage, problems: [...problems, ...lineage.problems] };
}

function generationOf(value: unknown): Generation | undefined {
  if (!isRecord(value) || !Array.isArray(value["children"])) return undefined;
  const strings = (list: unknown): string[] =>
    Array.isArray(list) ? list.filter((v): v is string => typeof v === "string") : [];
  const entries = Array.isArray(value["selfimprove_entries"]) ? value["selfimprove_entries"] : [];
  return {
    parents: [...new Set(entries.flatMap((e: unknown) => (Array.isArray(e) ? strings([e[0]]) : [])))],
    children: strings(value["children"]),
    compiled: new Set(strings(value["children_compiled"])),
    archive: strings(value["archive"]),
  };
}

/** Pure: generations and the metadata of nodes as one lineage. */
export function lineageOf(
  name: string,
  generations: readonly Generation[],
  described: readonly Fact[],
): ForeignLineage {
  const problems: ForeignProblem[] = [];
  const facts = new Map<string, Fact>();
  for (const d of described) {
    const id = isRecord(d.value) ? textOf(d.value["run_id"]) : undefined;
    if (id === undefined)
      problems.push({ file: d.file, line: null, reason: "it is not a node: it has no run_id" });
    else facts.set(id, d);
  }
  const order = [...generations.flatMap((g) => g.children), ...facts.keys()];
  // The archive only grows and starts with what there was: the initial agent is never a child.
  const first = generations[0];
  const seeds = first?.archive.filter((id) => !first.children.includes(id)) ?? [];
  const gaps: Record<string, string> = {};
  const archive = generations.length === 0 ? undefined : new Set(generations.flatMap((g) => g.archive));
  const nodes: ForeignNode[] = [];
  for (const id of new Set([...seeds, ...order])) {
    const index = generations.findIndex((g) => g.children.includes(id));
    nodes.push(nodeOf(id, { generation: generations[index], index, archive, fact: facts.get(id), gaps }));
  }
  return {
    name,
    format: "dgm",
    nodes,
    metrics: {
      accuracy_score: { direction: "higher", unit: null },
      total_resolved_instances: { direction: "higher", unit: null },
      total_submitted_instances: { direction: null, unit: null },
    },
    problems,
    missing:
      generations.length === 0 ? [{ field: "decision", reason: `there is no ${ledgerName} beside it` }] : [],
    notes: ["The file of a node is its patch to the parent, not the whole agent."],
    gaps,
    repository: null,
  };
}

interface Fact {
  readonly file: string;
  readonly value: unknown;
  readonly patch: string | undefined;
}
interface NodeContext {
  readonly generation: Generation | undefined;
  readonly index: number;
  readonly archive: ReadonlySet<string> | undefined;
  readonly fact: Fact | undefined;
  readonly gaps: Record<string, string>;
}

function nodeOf(id: string, context: NodeContext): ForeignNode {
  const { fact } = context;
  const value = isRecord(fact?.value) ? fact.value : {};
  const performance = isRecord(value["overall_performance"]) ? value["overall_performance"] : undefined;
  const parent = parentOf(textOf(value["parent_commit"]), context);
  const number = (field: string): number | null => finite(performance?.[field]);
  const state = stateOf(id, { ...context, isRoot: parent === undefined });
  const unmeasured = fact === undefined ? "the node has no metadata.json" : "it was not evaluated";
  return {
    key: id,
    parents: parent === undefined ? [] : [parent],
    title: firstLine(textOf(value["entry"]) ?? (parent === undefined ? "The initial agent" : id)),
    at: timeOfRun(id),
    metrics: {
      accuracy_score: number("accuracy_score"),
      total_resolved_instances: number("total_resolved_instances"),
      total_submitted_instances: number("total_submitted_instances"),
    },
    primary: "accuracy_score",
    ...(performance === undefined ? {} : { outcomes: outcomesOf(performance) }),
    status: state.status,
    decision: state.decision,
    reason: cut(`${state.reason} ${textOf(value["problem_statement"]) ?? ""}`),
    failure:
      state.status === "not compiled" ? { class: "crash", message: state.reason, seconds: null } : null,
    files: fact?.patch === undefined ? {} : { [patchName]: fact.patch },
    commit: null,
    unknowns: performance === undefined ? [{ field: "accuracy_score", reason: unmeasured }] : [],
    from: { file: fact?.file ?? ledgerName, line: null },
  };
}

function parentOf(written: string | undefined, { generation, index, gaps }: NodeContext): string | undefined {
  if (written !== undefined || generation === undefined) return written;
  // Children are listed as they finish, not in the order of the attempts: with several parents nobody knows whose they are.
  const [only, ...others] = generation.parents;
  if (only !== undefined && others.length === 0) return only;
  const gap = `parent of generation ${index}`;
  gaps[gap] =
    `Generation ${index} was made from ${generation.parents.join(", ")}; which child came from which is not recorded.`;
  return gap;
}

function stateOf(
  id: string,
  {
    generation,
    archive,
    isRoot,
  }: { generation: Generation | undefined; archive: ReadonlySet<string> | undefined; isRoot: boolean },
): Pick<ForeignNode, "status" | "decision" | "reason"> {
  if (isRoot) return { status: null, decision: "base", reason: "The agent that the run started from." };
  if (archive?.has(id) === true)
    return { status: "archived", decision: "keep", reason: "In the archive: it may become a parent." };
  if (generation === undefined || archive === undefined)
    return { status: null, decision: null, reason: "No generation mentions it." };
  return generation.compiled.has(id)
    ? { status: "not archived", decision: "reject", reason: "It ran, but did not come into the archive." }
    : {
        status: "not compiled",
        decision: "reject",
        reason: "It did not compile, or all its answers were empty.",
      };
}

/** Run ids are the time at which the node was made: 20250315_101530_123456. */
function timeOfRun(id: string): number | null {
  const match = /^(\d{4})(\d{2})(\d{2})_(\d{2})(\d{2})(\d{2})(?:_|$)/.exec(id);
  return match === null
    ? null
    : timeIn(
        `${match[1] ?? ""}-${match[2] ?? ""}-${match[3] ?? ""}T${match[4] ?? ""}:${match[5] ?? ""}:${match[6] ?? ""}Z`,
      );
}

/** Tasks that were submitted but are in no list have an unknown outcome. */
function outcomesOf(performance: Readonly<Record<string, unknown>>): ForeignOutcome[] {
  const lists = [
    ["total_resolved_ids", "pass"],
    ["total_unresolved_ids", "fail"],
    ["total_emptypatch_ids", "fail"],
  ] as const;
  const outcomes = new Map<string, ForeignOutcome>();
  for (const [field, outcome] of lists) {
    const ids = performance[field];
    if (Array.isArray(ids))
      for (const item of ids)
        if (typeof item === "string" && !outcomes.has(item)) outcomes.set(item, { item, outcome });
  }
  if (outcomes.size === 0) return [];
  const submitted = Math.min(finite(performance["total_submitted_instances"]) ?? 0, 100_000);
  for (let n = 1; outcomes.size < submitted; n++)
    outcomes.set(`unlisted ${n}`, { item: `unlisted ${n}`, outcome: "unknown" });
  return [...outcomes.values()];
}
