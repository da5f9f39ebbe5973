import type { FailureClass } from "../../../../shared/model/failureClass.ts";
import { cut, firstLine, type ForeignNode, type ForeignProblem } from "./foreign.ts";
import { finite, isRecord, parseJson, readText, textOf } from "./readSource.ts";
import type { ListedFile } from "./listing.ts";
import { timeIn } from "./vocabulary.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A journal of AIDE's family as it is written: nodes in order, and who is whose parent. */
export interface Journal {
  readonly file: string;
  readonly nodes: readonly Fields[];
  readonly parentOf: ReadonlyMap<string, string>;
  readonly problems: readonly ForeignProblem[];
}

/** Reads a journal; one that is JSON inside a JSON text is unpacked. */
export async function readJournal(file: ListedFile): Promise<Journal> {
  const text = await readText(file.path, file.name);
  const journal = parseJournal(text.value, file.name);
  return { ...journal, problems: [...text.problems, ...journal.problems] };
}

/** Pure. Embedded parents that are no nodes of their own any more become nodes. */
export function parseJournal(text: string, file: string): Journal {
  const problems: ForeignProblem[] = [];
  let json = parseJson(text, file);
  for (let layers = 0; typeof json.value === "string" && layers < 3; layers++)
    json = parseJson(json.value, file);
  problems.push(...json.problems);
  const parentOf = new Map<string, string>();
  const nodes: Fields[] = [];
  const list = isRecord(json.value) ? json.value["nodes"] : undefined;
  if (!Array.isArray(list)) {
    if (json.value !== undefined) problems.push({ file, line: null, reason: "it has no list of nodes" });
    return { file, nodes, parentOf, problems };
  }
  const known = new Set(list.flatMap((n) => (isRecord(n) ? [textOf(n["id"]) ?? ""] : [])));
  const embedded: Fields[] = [];
  for (const [i, node] of list.entries()) {
    const id = isRecord(node) ? textOf(node["id"]) : undefined;
    if (!isRecord(node) || id === undefined) {
      problems.push({ file, line: null, reason: `node ${i} has no id` });
      continue;
    }
    nodes.push(node);
    linkParents(node, { known, parentOf, embedded });
  }
  const map = isRecord(json.value) ? json.value["node2parent"] : undefined;
  if (isRecord(map))
    for (const [child, parent] of Object.entries(map))
      if (typeof parent === "string") parentOf.set(child, parent);
  return { file, nodes: [...embedded.reverse(), ...nodes], parentOf, problems };
}

/** Follows parents that are embedded in their children, however deep. */
function linkParents(
  node: Fields,
  { known, parentOf, embedded }: { known: Set<string>; parentOf: Map<string, string>; embedded: Fields[] },
): void {
  for (let at = node; ;) {
    const id = textOf(at["id"]);
    const parent: unknown = at["parent"] ?? at["parent_id"];
    const parentId = isRecord(parent) ? textOf(parent["id"]) : textOf(parent);
    if (id === undefined || parentId === undefined) return;
    if (!parentOf.has(id)) parentOf.set(id, parentId);
    if (!isRecord(parent) || known.has(parentId)) return;
    known.add(parentId);
    embedded.push(parent);
    at = parent;
  }
}

/** What both formats say of a node: code, plan, exception, analysis, metric. */
export function journalNode(
  fields: Fields,
  context: { file: string; parent: string | undefined; label: string; codeFile: string },
): ForeignNode {
  const run = isRecord(fields["execution_info"]) ? fields["execution_info"] : fields;
  const exception = textOf(run["exc_type"]);
  const buggy = typeof fields["is_buggy"] === "boolean" ? fields["is_buggy"] : null;
  const plan = textOf(fields["plan"]) ?? "";
  const analysis = textOf(fields["analysis"]) ?? "";
  const code = textOf(fields["code"]);
  const { metrics, primary } = metricsOf(fields["metric"]);
  const unknowns: { field: string; reason: string }[] = [];
  if (Object.values(metrics).every((v) => v === null))
    unknowns.push({
      field: "metric",
      reason: buggy === true ? "the node is buggy" : "the journal has no value",
    });
  if (buggy === true && exception === undefined)
    unknowns.push({
      field: "failure",
      reason: "no exception was raised; the reviewing model called the node buggy",
    });
  if (buggy === null) unknowns.push({ field: "decision", reason: "is_buggy is not set" });
  return {
    key: textOf(fields["id"]) ?? "",
    label: context.label,
    parents: context.parent === undefined ? [] : [context.parent],
    title: firstLine(plan === "" ? context.label : plan),
    at: timeIn(fields["ctime"]),
    metrics,
    primary,
    status: buggy === null ? null : buggy ? "buggy" : "good",
    decision: buggy === true ? "reject" : null,
    reason: cut(
      [exception === undefined ? "" : `${exception}: ${messageIn(run["exc_info"])}`, analysis]
        .filter((t) => t !== "")
        .join(" "),
    ),
    failure:
      exception === undefined
        ? null
        : {
            class: failureOf(exception),
            message: cut(`${exception}: ${messageIn(run["exc_info"])}`, 500),
            seconds: finite(run["exec_time"]),
          },
    files: code === undefined ? {} : { [context.codeFile]: code },
    commit: null,
    unknowns,
    from: { file: context.file, line: null },
  };
}

/** The interpreter of AIDE raises TimeoutError when the time limit of a run is over; everything else is the code's own. */
function failureOf(exception: string): FailureClass {
  return exception === "TimeoutError" ? "train_budget_overrun" : "crash";
}

function messageIn(info: unknown): string {
  const args = isRecord(info) && Array.isArray(info["args"]) ? info["args"] : [];
  return firstLine(args.map((a) => (typeof a === "string" ? a : JSON.stringify(a))).join(" "), 300);
}

/** AIDE has one value; AI-Scientist-v2 a list of metrics, each over data sets. */
function metricsOf(metric: unknown): Pick<ForeignNode, "metrics" | "primary"> {
  if (!isRecord(metric)) return { metrics: {}, primary: null };
  const { value } = metric;
  if (!isRecord(value)) {
    const name = textOf(metric["name"]) ?? "metric";
    return { metrics: { [name]: finite(value) }, primary: name };
  }
  const metrics: Record<string, number | null> = {};
  const list = Array.isArray(value["metric_names"]) ? value["metric_names"] : [];
  for (const named of list) {
    const name = isRecord(named) ? textOf(named["metric_name"]) : undefined;
    if (!isRecord(named) || name === undefined || !Array.isArray(named["data"])) continue;
    for (const on of named["data"])
      if (isRecord(on)) metrics[`${name} / ${textOf(on["dataset_name"]) ?? "?"}`] = finite(on["final_value"]);
  }
  return { metrics, primary: null };
}
