import { counted } from "../../../../shared/words/numbers.ts";
import { basename, dirname } from "node:path";
import { findCommits, type FoundCommits } from "./foreignCommits.ts";
import {
  cut,
  firstLine,
  type Direction,
  type ForeignLineage,
  type ForeignNode,
  type ForeignProblem,
} from "./foreign.ts";
import type { ListedFile } from "./listing.ts";
import { finite, isRecord, parseJsonLines, readText, textOf, type JsonDocument } from "./readSource.ts";
import { isFailing, meaningOf, timeIn } from "./vocabulary.ts";

/** Whether the head of a file is that of a pi-autoresearch log: its first line is the configuration. */
export function isPiAutoresearch(name: string, head: string): boolean {
  return (
    /\.jsonl$/i.test(name) && /^\s*\{[^\n]*"type"\s*:\s*"config"/.test(head) && head.includes('"metricName"')
  );
}

/** An autoresearch.jsonl of pi-autoresearch, with the git history that it lies in. */
export async function readPiAutoresearch(file: ListedFile): Promise<ForeignLineage> {
  const text = await readText(file.path, file.name);
  const lines = parseJsonLines(text.value, file.name);
  const commits = await findCommits(
    dirname(file.path),
    lines.value.flatMap(({ value }) => {
      const commit = isRecord(value) ? textOf(value["commit"]) : undefined;
      return commit !== undefined && /^[0-9a-f]{7,64}$/.test(commit) ? [commit] : [];
    }),
  );
  const lineage = lineageOf(file, lines.value, commits);
  return {
    ...lineage,
    problems: [...text.problems, ...lines.problems, ...lineage.problems, ...commits.problems(file.name)],
  };
}

interface Config {
  readonly metric: string;
  readonly unit: string | null;
  readonly direction: Direction | null;
}

/** Pure: the lines of a log as nodes. */
export function lineageOf(
  file: Pick<ListedFile, "name" | "path">,
  lines: readonly JsonDocument[],
  commits: FoundCommits,
): ForeignLineage {
  let config: Config = { metric: "metric", unit: null, direction: null };
  let title: string | undefined;
  const problems: ForeignProblem[] = [];
  const metrics: Record<string, { direction: Direction | null; unit: string | null }> = {};
  const runs: { node: ForeignNode; commit: string | null }[] = [];
  const keys = new Set<string>();
  for (const { value, line } of lines) {
    if (isRecord(value) && value["type"] === "config") {
      config = configOf(value);
      title ??= textOf(value["name"]);
      metrics[config.metric] = { direction: config.direction, unit: config.unit };
    } else if (isRecord(value) && ("run" in value || "status" in value)) {
      const node = nodeOf(value, { config, file: file.name, line, keys });
      for (const name of Object.keys(node.metrics)) metrics[name] ??= { direction: null, unit: null };
      runs.push({ node, commit: commits.resolve(textOf(value["commit"]) ?? "") });
    } else problems.push({ file: file.name, line, reason: "it is neither a configuration nor a run" });
  }
  const { nodes, gaps } = linked(runs, commits);
  const real = nodes.filter((n) => n.commit !== null).length;
  return {
    name: title ?? basename(dirname(file.path)),
    format: "pi-autoresearch",
    nodes,
    metrics,
    problems,
    missing: [
      {
        field: "code",
        reason: `git has the commits of ${real} of ${counted(nodes.length, "run")}; pi-autoresearch reverts discarded ones before it commits them`,
      },
    ],
    notes: [
      "The log names no parents. pi-autoresearch makes a run from the last one that was kept before it, so EvoTrainer takes that one as the parent.",
    ],
    gaps,
    repository: commits.folder,
  };
}

/** Gives each run its parent, and those that were kept their commits: the others name the commit that they were tried on. */
function linked(
  runs: readonly { node: ForeignNode; commit: string | null }[],
  commits: FoundCommits,
): Pick<ForeignLineage, "nodes" | "gaps"> {
  const nodes: ForeignNode[] = [];
  const taken = new Set<string>();
  const gaps: Record<string, string> = {};
  let best: string | undefined;
  for (const { node, commit: found } of runs) {
    const isKept = node.decision === "keep";
    const commit = found !== null && isKept && !taken.has(found) ? found : null;
    if (commit !== null) taken.add(commit);
    const isFirst = nodes.length === 0 && isKept;
    if (best === undefined && !isFirst)
      gaps["start"] = "The log does not say what the first runs were made from.";
    nodes.push({
      ...node,
      commit,
      at: node.at ?? commits.timeOf(commit),
      parents: isFirst ? [] : [best ?? "start"],
      ...(isFirst && /^baseline\b/i.test(node.title) ? { decision: "base" } : {}),
    });
    if (isKept) best = node.key;
  }
  return { nodes, gaps };
}

function configOf(value: Readonly<Record<string, unknown>>): Config {
  const direction = value["bestDirection"];
  return {
    metric: textOf(value["metricName"]) ?? "metric",
    unit: textOf(value["metricUnit"]) ?? null,
    direction: direction === "lower" || direction === "higher" ? direction : null,
  };
}

function nodeOf(
  value: Readonly<Record<string, unknown>>,
  { config, file, line, keys }: { config: Config; file: string; line: number; keys: Set<string> },
): ForeignNode {
  const status = textOf(value["status"]) ?? null;
  const meaning = meaningOf(status);
  const description = textOf(value["description"]) ?? "";
  const unknowns: { field: string; reason: string }[] = [];
  const failed = meaning.failure !== null || isFailing(status);
  const measure = (name: string, raw: unknown): number | null => {
    const number = finite(raw);
    const reason =
      number === null
        ? "the log has no number"
        : number === 0 && failed
          ? `the 0 beside "${status ?? ""}" is a filler, not a measurement`
          : undefined;
    if (reason !== undefined) unknowns.push({ field: name, reason });
    return reason === undefined ? number : null;
  };
  const more = isRecord(value["metrics"]) ? value["metrics"] : {};
  const run =
    typeof value["run"] === "number" || typeof value["run"] === "string" ? String(value["run"]) : "";
  const base = run === "" ? `line-${line}` : `run-${run}`;
  let key = base;
  for (let n = 2; keys.has(key); n++) key = `${base}~${n}`;
  keys.add(key);
  return {
    key,
    parents: [],
    title: firstLine(description === "" ? key : description),
    at: timeIn(value["timestamp"]),
    metrics: {
      [config.metric]: measure(config.metric, value["metric"]),
      ...Object.fromEntries(Object.entries(more).map(([name, raw]) => [name, measure(name, raw)])),
    },
    primary: config.metric,
    status,
    decision: meaning.decision,
    reason: cut(description),
    failure:
      meaning.failure === null
        ? null
        : { class: meaning.failure, message: cut(description, 500), seconds: null },
    files: {},
    commit: null,
    unknowns,
    from: { file, line },
  };
}
