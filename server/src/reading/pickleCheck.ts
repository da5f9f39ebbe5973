import { PickledObject } from "./pickledObject.ts";

export interface GraphLimits {
  readonly maxDepth: number;
  /** Bytes that the value would take if nothing in it were shared. */
  readonly maxUnfoldedBytes: number;
  /** Some containers may be reached by more than one way. */
  readonly isShared: boolean;
  readonly allowObjects: boolean;
}

interface Frame {
  readonly node: object;
  readonly children: readonly unknown[];
  next: number;
  cost: number;
  height: number;
}

/**
 * Why a value cannot be handed on as a tree: it contains itself, is too deep, is a few containers shared so often that
 * it unfolds to gigabytes, or would need an import. Walks without recursion.
 */
export function graphProblem(root: unknown, limits: GraphLimits): string | undefined {
  const { isShared, maxDepth } = limits;
  const done = new Map<object, { cost: number; height: number }>();
  const path = new Set<object>();
  const frames: Frame[] = [];
  let top: Frame = { node: {}, children: [root], next: 0, cost: 0, height: 0 };
  for (;;) {
    if (top.next === top.children.length) {
      const parent = frames.pop();
      if (parent === undefined) return undefined;
      path.delete(top.node);
      if (isShared) done.set(top.node, { cost: top.cost, height: top.height });
      add(parent, top.cost, top.height);
      top = parent;
    } else {
      const child = top.children[top.next++];
      if (typeof child !== "object" || child === null || Buffer.isBuffer(child)) add(top, costOf(child), 0);
      else {
        const known = done.get(child);
        const height = known?.height ?? 0;
        if (frames.length + 1 + height > maxDepth) return `it nests deeper than ${maxDepth} levels`;
        if (child instanceof PickledObject && !limits.allowObjects)
          return `it wants to import ${child.$global}`;
        if (known !== undefined) add(top, known.cost, known.height);
        else {
          if (path.has(child)) return "it contains itself";
          if (isShared) path.add(child);
          frames.push(top);
          top = { node: child, children: childrenOf(child), next: 0, cost: ownCost(child), height: 0 };
        }
      }
    }
    if (top.cost > limits.maxUnfoldedBytes)
      return `it unfolds to more than ${limits.maxUnfoldedBytes} bytes (a bomb?)`;
  }
}

function add(frame: Frame, cost: number, height: number): void {
  frame.cost += cost;
  frame.height = Math.max(frame.height, height + 1);
}

function costOf(leaf: unknown): number {
  return 8 + (typeof leaf === "string" || Buffer.isBuffer(leaf) ? leaf.length : 0);
}

function childrenOf(node: object): readonly unknown[] {
  if (Array.isArray(node)) return node;
  if (node instanceof PickledObject) return [node.args, node.kwargs, node.state, node.items, node.entries];
  return Object.values(node);
}

function ownCost(node: object): number {
  if (Array.isArray(node) || node instanceof PickledObject) return 16;
  let cost = 16;
  for (const key of Object.keys(node)) cost += 8 + key.length;
  return cost;
}
