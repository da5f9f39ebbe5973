import { basename } from "node:path";
import { counted } from "../../../../shared/words/numbers.ts";
import type { Direction, ForeignLineage, ForeignNode, ForeignProblem } from "./foreign.ts";
import { journalNode, readJournal, type Journal } from "./journalNodes.ts";
import { groupBy, type ListedFile } from "./listing.ts";
import { finite, isRecord, textOf } from "./readSource.ts";

const staged = /^(?:(.*?)\/)?(?:logs\/[^/]+\/)?stage_(\d+)_([^/]*)\/journal\.json$/;

/** Whether a journal is one of AI-Scientist-v2: its nodes know plots. */
export function isAiScientist(head: string): boolean {
  return head.replaceAll('\\"', '"').includes('"plot_code"');
}

/** What the tool writes for itself: what it was asked, what it cost, and the tree once more to be drawn. */
export const isBesideStages = (name: string): boolean =>
  /(?:^|\/)(?:bfts_config\.yaml|idea\.(?:json|md)|token_tracker\w*\.json|tree_data\.json|notes\/stage_progress\.json)$/.test(
    name,
  );

/** The experiments among the journals: the folder of each, with one journal a stage. */
export function findExperiments(journals: readonly ListedFile[]): Map<string, ListedFile[]> {
  return groupBy(journals, ({ name }) => staged.exec(name)?.[1] ?? name.replace(/\/?[^/]*$/, ""));
}

interface Stage {
  readonly number: number;
  readonly journal: Journal;
}

/** The stages of one experiment as one tree: the node that a stage ends with is the one that the next starts from. */
export async function readAiScientist(root: string, files: readonly ListedFile[]): Promise<ForeignLineage> {
  const stages: Stage[] = [];
  for (const file of files)
    stages.push({ number: Number(staged.exec(file.name)?.[2] ?? 0), journal: await readJournal(file) });
  return joinStages(root === "" ? "experiment" : basename(root), stages);
}

/** Pure. */
export function joinStages(name: string, unordered: readonly Stage[]): ForeignLineage {
  const stages = [...unordered].sort((a, b) => a.number - b.number);
  const nodes = new Map<string, ForeignNode>();
  const problems: ForeignProblem[] = [];
  const directions = new Map<string, Set<boolean>>();
  let carried = 0;
  for (const { number, journal } of stages) {
    problems.push(...journal.problems);
    for (const fields of journal.nodes) {
      collectDirections(fields["metric"], directions);
      const id = String(fields["id"]);
      const before = nodes.get(id);
      if (before !== undefined) {
        carried++;
        const kept = before.decision === null;
        nodes.set(id, {
          ...before,
          ...(kept ? { decision: "keep" } : {}),
          reason: `Carried over into stage ${number}. ${before.reason}`,
        });
        continue;
      }
      nodes.set(id, stageNode(fields, { number, journal, id }));
    }
  }
  return {
    name,
    format: "ai-scientist-v2",
    nodes: [...nodes.values()],
    metrics: Object.fromEntries(
      [...directions].map(([m, lower]) => [m, { direction: directionIn(lower), unit: null }]),
    ),
    problems,
    missing: [
      {
        field: "score",
        reason:
          "a node has several metrics over several data sets, and the journal names no main one; EvoTrainer keeps all",
      },
    ],
    notes: [
      `${counted(stages.length, "stage")} joined; ${counted(carried, "node is", "nodes are")} in two of them. A node that was carried over counts as kept, a buggy one as rejected; the journal says nothing about other nodes.`,
    ],
    gaps: {},
    repository: null,
  };
}

function stageNode(
  fields: Readonly<Record<string, unknown>>,
  { number, journal, id }: { number: number; journal: Journal; id: string },
): ForeignNode {
  const step = finite(fields["step"]);
  const node = journalNode(fields, {
    file: journal.file,
    parent: journal.parentOf.get(id),
    label: `${number}-${String(step ?? "x").padStart(2, "0")}-${id.slice(0, 6)}`,
    codeFile: "experiment.py",
  });
  const plot = textOf(fields["plot_code"]);
  const what =
    fields["is_seed_agg_node"] === true
      ? "Seed runs taken together. "
      : fields["is_seed_node"] === true
        ? "The same experiment with another seed. "
        : "";
  return {
    ...node,
    // A buggy node has an empty metric without a name, which is none of the experiment's.
    ...(node.primary === null ? {} : { metrics: {}, primary: null }),
    title: what === "" ? node.title : what.trim().replace(/\.$/, ""),
    files: { ...node.files, ...(plot === undefined ? {} : { "plot.py": plot }) },
    reason: `${what}${node.reason}`.trim(),
  };
}

function collectDirections(metric: unknown, directions: Map<string, Set<boolean>>): void {
  const value = isRecord(metric) ? metric["value"] : undefined;
  const list = isRecord(value) && Array.isArray(value["metric_names"]) ? value["metric_names"] : [];
  for (const named of list) {
    if (!isRecord(named) || !Array.isArray(named["data"])) continue;
    for (const on of named["data"]) {
      if (!isRecord(on)) continue;
      const name = `${textOf(named["metric_name"]) ?? ""} / ${textOf(on["dataset_name"]) ?? "?"}`;
      const seen = directions.get(name) ?? new Set();
      directions.set(name, seen);
      if (typeof named["lower_is_better"] === "boolean") seen.add(named["lower_is_better"]);
    }
  }
}

function directionIn(lower: ReadonlySet<boolean>): Direction | null {
  return lower.size === 1 ? (lower.has(true) ? "lower" : "higher") : null;
}
