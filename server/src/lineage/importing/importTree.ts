import { createHash } from "node:crypto";
import { Name } from "../../../../shared/spec/common.ts";
import type { ForeignLineage, ForeignNode, ForeignProblem } from "../adapters/foreign.ts";

/** A node with its place in the tree: its name, and parents that are all there. */
export interface PlacedNode {
  readonly node: ForeignNode;
  readonly name: string;
  /** Names; every one is placed before, or was imported earlier. */
  readonly parents: readonly string[];
  readonly generation: number;
  /** A parent that is in no file. */
  readonly missing: boolean;
}

export interface PlacedTree {
  /** Parents before their children, otherwise in the order of the source. */
  readonly placed: readonly PlacedNode[];
  readonly problems: readonly ForeignProblem[];
  /** Keys that are named as parents and are nowhere. */
  readonly gaps: readonly string[];
  /** Nodes whose files are those of an earlier node: copies under new ids. */
  readonly twins: number;
}

/** A version that an earlier import made. */
export interface KnownVersion {
  readonly name: string;
  readonly generation: number;
}

/** Key of the stand-in for a parent that is nowhere; never that of a node. */
function gapKey(key: string, nodes: ReadonlyMap<string, ForeignNode>): string {
  let own = `missing:${key}`;
  while (nodes.has(own)) own = `missing:${own}`;
  return own;
}

/**
 * Orders the nodes of a lineage and names them. Nothing is dropped in silence: a node that is there twice, or in a circle of
 * parents, becomes a problem; a parent that is nowhere becomes a node of its own that says so. Pure, and the same for the
 * same lineage; `known` are versions of earlier imports by key, `taken` their names.
 */
export function placeNodes(
  lineage: ForeignLineage,
  known: ReadonlyMap<string, KnownVersion>,
  taken: ReadonlySet<string>,
): PlacedTree {
  const problems: ForeignProblem[] = [];
  const nodes = uniqueNodes(lineage.nodes, problems);
  const leftOut = new Map<string, string>();
  for (const circle of circlesIn(nodes)) {
    const first = nodes.get(circle[0] ?? "");
    problems.push({
      file: first?.from.file ?? "",
      line: first?.from.line ?? null,
      reason: `a circle of parents: ${[...circle, circle[0]].join(" -> ")}; these nodes were left out`,
    });
    for (const key of circle) {
      nodes.delete(key);
      leftOut.set(key, `${key} is in a circle of parents, so it was left out.`);
    }
  }
  const gaps = new Map<string, ForeignNode>();
  for (const node of nodes.values())
    for (const parent of node.parents)
      if (!nodes.has(parent) && !known.has(parent) && !gaps.has(parent))
        gaps.set(
          parent,
          gapNode(gapKey(parent, nodes), {
            parent,
            known: own(lineage.gaps, parent),
            reason: leftOut.get(parent),
            child: node,
          }),
        );
  const ordered = parentsFirst(nodes, gaps);
  const names = nameAll(ordered, known, taken);
  const standIns = new Set(gaps.values());
  const placed: PlacedNode[] = [];
  const generations = new Map<string, number>();
  for (const node of ordered) {
    const parents = [...new Set(node.parents.map((p) => gaps.get(p)?.key ?? p))];
    const first = parents[0];
    const above = first === undefined ? -1 : (generations.get(first) ?? known.get(first)?.generation ?? -1);
    generations.set(node.key, above + 1);
    placed.push({
      node,
      name: names.get(node.key) ?? "",
      parents: parents.flatMap((p) => names.get(p) ?? known.get(p)?.name ?? []),
      generation: above + 1,
      missing: standIns.has(node),
    });
  }
  return { placed, problems, gaps: [...gaps.keys()], twins: countTwins(nodes.values()) };
}

function uniqueNodes(list: readonly ForeignNode[], problems: ForeignProblem[]): Map<string, ForeignNode> {
  const nodes = new Map<string, ForeignNode>();
  for (const node of list) {
    const first = nodes.get(node.key);
    if (first === undefined) nodes.set(node.key, node);
    else if (contentOf(first) !== contentOf(node))
      problems.push({
        ...node.from,
        reason: `a second node ${node.key} with different content; the first counts`,
      });
  }
  return nodes;
}

function contentOf(node: ForeignNode): string {
  return JSON.stringify({ ...node, from: null });
}

/** The keys of each circle of parents, found along every parent, without recursion. */
function circlesIn(nodes: ReadonlyMap<string, ForeignNode>): string[][] {
  const state = new Map<string, "open" | "done">();
  const circles: string[][] = [];
  for (const start of nodes.keys()) {
    if (state.has(start)) continue;
    const line: { key: string; next: number }[] = [{ key: start, next: 0 }];
    state.set(start, "open");
    while (line.length > 0) {
      const top = line.at(-1);
      if (top === undefined) break;
      const parent = nodes.get(top.key)?.parents[top.next];
      top.next++;
      if (parent === undefined) {
        state.set(top.key, "done");
        line.pop();
      } else if (state.get(parent) === "open")
        circles.push(line.slice(line.findIndex((l) => l.key === parent)).map((l) => l.key));
      else if (nodes.has(parent) && !state.has(parent)) {
        state.set(parent, "open");
        line.push({ key: parent, next: 0 });
      }
    }
  }
  return circles;
}

function own(record: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function gapNode(
  key: string,
  facts: { parent: string; known: string | undefined; reason: string | undefined; child: ForeignNode },
): ForeignNode {
  const { parent, known, reason, child } = facts;
  return {
    key,
    ...(known === undefined ? {} : { label: parent }),
    parents: [],
    title: known === undefined ? `Missing: ${parent}` : "Not recorded",
    at: null,
    metrics: {},
    primary: null,
    status: null,
    decision: null,
    reason: reason ?? known ?? `${parent} is named as a parent, but no file contains it.`,
    failure: null,
    files: {},
    commit: null,
    unknowns: [],
    from: child.from,
  };
}

function parentsFirst(
  nodes: ReadonlyMap<string, ForeignNode>,
  gaps: ReadonlyMap<string, ForeignNode>,
): ForeignNode[] {
  const ordered: ForeignNode[] = [];
  const placed = new Set<string>();
  for (const start of nodes.keys()) {
    const line = [start];
    while (line.length > 0) {
      const key = line.at(-1) ?? "";
      const node = gaps.get(key) ?? nodes.get(key);
      const waiting = placed.has(key)
        ? undefined
        : node?.parents.find((p) => !placed.has(p) && (nodes.has(p) || gaps.has(p)));
      if (waiting !== undefined) {
        line.push(waiting);
        continue;
      }
      line.pop();
      if (node !== undefined && !placed.has(key)) ordered.push(node);
      placed.add(key);
    }
  }
  return ordered;
}

/** Names that fit refs and paths: the label or key where it does, with a part of its hash where it does not or is taken. */
function nameAll(
  nodes: readonly ForeignNode[],
  known: ReadonlyMap<string, KnownVersion>,
  taken: ReadonlySet<string>,
): Map<string, string> {
  const used = new Set(taken);
  const names = new Map<string, string>();
  for (const { key, label } of nodes) {
    const before = known.get(key)?.name;
    if (before !== undefined) {
      names.set(key, before);
      continue;
    }
    const plain = slug(label ?? key);
    let name = plain.length <= 64 && plain !== "" && !used.has(plain) ? plain : "";
    for (let n = 0; name === "" || used.has(name); n++)
      name = `${plain.slice(0, 55) || "node"}-${sha256(`${key}${n === 0 ? "" : n}`).slice(0, 8)}`;
    used.add(name);
    names.set(key, name);
  }
  return names;
}

/** A text as a name: lower case, letters, digits, - and _ only. */
function slug(text: string): string {
  const plain = text
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[-_]+|-+$/g, "");
  return plain;
}

/** A text as a name of a domain. */
export function domainName(text: string): string {
  const plain = slug(text).slice(0, 64).replace(/-+$/, "");
  return Name.safeParse(plain).success ? plain : `import-${sha256(text).slice(0, 8)}`;
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function countTwins(nodes: Iterable<ForeignNode>): number {
  const seen = new Set<string>();
  let twins = 0;
  for (const { files } of nodes) {
    if (Object.keys(files).length === 0) continue;
    const hash = sha256(JSON.stringify(Object.entries(files).sort()));
    if (seen.has(hash)) twins++;
    seen.add(hash);
  }
  return twins;
}
