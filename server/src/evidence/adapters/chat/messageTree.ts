import type { Turn } from "../../../../../shared/model/rollout.ts";
import { Refusal } from "../parts/adapter.ts";
import { chatTurns } from "./chat.ts";
import { meanOf } from "../parts/means.ts";
import { tokenValues } from "../parts/tokenValues.ts";
import {
  booleanAt,
  countAt,
  fieldsAt,
  isFields,
  listAt,
  nameAt,
  numberAt,
  type Fields,
} from "../parts/untrusted.ts";

interface Node {
  readonly parent: number | undefined;
  readonly turns: readonly Turn[];
  /** Of each token that was sampled here, where the trace has them. */
  readonly logprobs: readonly unknown[] | undefined;
  readonly advantages: readonly unknown[] | undefined;
}

/** Messages of which each names the one before it; several may name the same one. */
export interface MessageTree {
  readonly nodes: readonly Node[];
  /** Last messages, in the order in which they were said. */
  readonly leaves: readonly number[];
  /** Tokens that the policy generated in all branches; null when nobody counted. */
  readonly tokens: number | null;
  readonly logprobMean: number | null;
  readonly model: string | undefined;
  readonly finishReason: string | undefined;
}

/** The tree in `nodes` of a trace of verifiers v1, with what `calls` measured. @throws Refusal */
export function messageTree(trace: Fields): MessageTree {
  const listed = listAt(trace, "nodes");
  if (listed === undefined) throw new Refusal("nodes must be a list");
  const calls = (listAt(trace, "calls") ?? []).filter(isFields);
  const byNode = new Map(calls.map((call) => [countAt(call, "node"), call]));
  const nodes = listed.map((node, i): Node => {
    if (!isFields(node) || fieldsAt(node, "message") === undefined)
      throw new Refusal(`node ${i} has no message`);
    return { parent: parentOf(node, i), turns: turnsOf(node, byNode.get(i)), ...sampledOf(node) };
  });
  const parents = new Set(nodes.map((node) => node.parent));
  const last = calls.filter((call) => fieldsAt(call, "error") === undefined).at(-1);
  return {
    nodes,
    leaves: nodes.flatMap((_, i) => (parents.has(i) ? [] : [i])),
    tokens: tokensOf(listed, calls),
    logprobMean: meanOf(listed.flatMap((node) => listAt(node, "logprobs") ?? [])),
    model: calls.map((call) => nameAt(call, "model")).find((model) => model !== undefined),
    finishReason: nameAt(last, "finish_reason"),
  };
}

/** A message is stored after the one it follows, so that no chain of parents is a circle. */
function parentOf(node: Fields, i: number): number | undefined {
  const parent = node["parent"];
  if (parent === null || parent === undefined) return undefined;
  const index = countAt(node, "parent");
  if (index === undefined || index >= i) throw new Refusal(`the parent of node ${i} is not a node before it`);
  return index;
}

function turnsOf(node: Fields, call: Fields | undefined): readonly Turn[] {
  const [first, ...rest] = chatTurns([node["message"]]);
  if (first === undefined) return [];
  const start = numberAt(call, "time", "start");
  const end = numberAt(call, "time", "end");
  const tokens = countAt(call, "usage", "completion_tokens") ?? sampledTokens(node);
  return [
    {
      ...first,
      ...(tokens === undefined ? {} : { tokens }),
      ...(start === undefined || end === undefined || end < start ? {} : { ms: (end - start) * 1000 }),
    },
    ...rest,
  ];
}

/** Lists over the sampled tokens of a node; a list over all of its tokens is cut to those that the mask marks. */
function sampledOf(node: Fields): Pick<Node, "logprobs" | "advantages"> {
  const mask = listAt(node, "mask") ?? [];
  const sampled = (name: string): readonly unknown[] | undefined => {
    const values = listAt(node, name);
    const isOfAll = values !== undefined && values.length === mask.length;
    return isOfAll ? values.filter((_, i) => mask[i] === true) : values;
  };
  return { logprobs: sampled("logprobs"), advantages: sampled("advantages") };
}

/** Tokens that the mask marks as sampled. A relay without token ids leaves the mask empty. */
function sampledTokens(node: unknown): number | undefined {
  const mask = listAt(node, "mask");
  if (booleanAt(node, "sampled") !== true || mask === undefined || mask.length === 0) return undefined;
  return mask.filter((sampled) => sampled === true).length;
}

function tokensOf(nodes: readonly unknown[], calls: readonly Fields[]): number | null {
  const used = calls.flatMap((call) => countAt(call, "usage", "completion_tokens") ?? []);
  const counted = used.length > 0 ? used : nodes.flatMap((node) => sampledTokens(node) ?? []);
  return counted.length === 0 ? null : counted.reduce((sum, n) => sum + n, 0);
}

/** The path from the root to a leaf, as indexes of nodes. */
function pathTo({ nodes }: MessageTree, leaf: number): number[] {
  const path: number[] = [];
  for (let i: number | undefined = leaf; i !== undefined; i = nodes[i]?.parent) path.push(i);
  return path.reverse();
}

const turnsAlong = ({ nodes }: MessageTree, path: readonly number[]): Turn[] =>
  path.flatMap((i) => nodes[i]?.turns ?? []);

/** The branch that ends with the message said last. */
export function mainBranch(tree: MessageTree): {
  readonly turns: Turn[];
  /** What the trace has of each sampled token of the branch. */
  readonly perToken: Record<string, unknown>;
} {
  const leaf = tree.leaves.at(-1);
  const path = leaf === undefined ? [] : pathTo(tree, leaf);
  const along = (field: "logprobs" | "advantages"): unknown[] =>
    path.flatMap((i) => tree.nodes[i]?.[field] ?? []);
  return {
    turns: turnsAlong(tree, path),
    perToken: tokenValues({ token_logprobs: along("logprobs"), token_advantages: along("advantages") }),
  };
}

/** What a branch beside the main one says after they part. */
export interface SideBranch {
  /** Turns that it shares with the main branch. */
  readonly shared: number;
  /** How many turns follow. */
  readonly length: number;
  /** Left out when the branches are too large together. */
  readonly turns?: readonly Turn[];
}

const keptChars = 256 * 1024;
const keptBranches = 64;

/** The branches beside the main one, the first ones of many. */
export function otherBranches(tree: MessageTree): SideBranch[] {
  const main = new Set(pathTo(tree, tree.leaves.at(-1) ?? -1));
  const seen = new Set(main);
  let room = keptChars;
  return tree.leaves
    .slice(0, -1)
    .slice(0, keptBranches)
    .map((leaf): SideBranch => {
      const path = pathTo(tree, leaf);
      const shared = turnsAlong(
        tree,
        path.filter((i) => main.has(i)),
      ).length;
      // Messages that two side branches share are told once.
      const turns = turnsAlong(
        tree,
        path.filter((i) => !seen.has(i)),
      );
      for (const i of path) seen.add(i);
      room -= turns.reduce((sum, turn) => sum + turn.text.length + JSON.stringify(turn.args ?? "").length, 0);
      return { shared, length: turns.length, ...(room < 0 ? {} : { turns }) };
    });
}
