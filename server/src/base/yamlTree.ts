import { isAlias, isMap, isScalar, isSeq, type Document } from "yaml";

/** A YAML text as values with their places: offsets, end excluded. Comments are no part of it. */
export type YamlTree = YamlScalar | YamlMap | YamlList | YamlAlias;
type Placed = { readonly start: number; readonly end: number };
export type YamlScalar = Placed & {
  readonly type: "scalar";
  readonly value: unknown;
  readonly quoted: boolean;
};
export type YamlPair = { readonly key: YamlTree | undefined; readonly value: YamlTree | undefined };
export type YamlMap = Placed & { readonly type: "map"; readonly pairs: readonly YamlPair[] };
export type YamlList = Placed & { readonly type: "list"; readonly items: readonly YamlTree[] };
/** `*name`; what it stands for is not there when nothing has the name. */
export type YamlAlias = Placed & { readonly type: "alias"; readonly target: YamlTree | undefined };

/** The library's document as such a tree; an empty one is null. */
export function treeOf(document: Document): YamlTree {
  const known = new Map<unknown, YamlTree>();
  const of = (node: unknown): YamlTree | undefined => {
    const tree = make(node);
    if (tree) known.set(node, tree);
    return tree;
  };
  const make = (node: unknown): YamlTree | undefined => {
    if (isScalar(node)) {
      const quoted = node.type?.startsWith("QUOTE") === true;
      return { type: "scalar", value: node.value, quoted, ...placeOf(node) };
    }
    if (isAlias(node)) return { type: "alias", target: known.get(node.resolve(document)), ...placeOf(node) };
    if (isMap(node)) {
      const pairs = node.items.map(({ key, value }) => ({ key: of(key), value: of(value) }));
      return { type: "map", pairs, ...placeOf(node) };
    }
    if (isSeq(node)) {
      const items = node.items.map((item) => of(item)).filter((item) => item !== undefined);
      return { type: "list", items, ...placeOf(node) };
    }
    return undefined;
  };
  return of(document.contents) ?? { type: "scalar", value: null, quoted: false, start: 0, end: 0 };
}

const placeOf = ({ range }: { readonly range?: readonly number[] | null }): Placed => ({
  start: range?.[0] ?? 0,
  end: range?.[1] ?? 0,
});

/** The value of a key of a mapping, aliases followed; undefined for anything else and where there is none. */
export function childOf(tree: YamlTree | undefined, step: string | number): YamlTree | undefined {
  const at = tree?.type === "alias" ? tree.target : tree;
  if (at?.type === "map") return pairOf(at, step)?.value;
  return at?.type === "list" ? at.items[Number(step)] : undefined;
}

/** The pair of a key. */
export const pairOf = ({ pairs }: YamlMap, step: string | number): YamlPair | undefined =>
  pairs.find(({ key }) => key?.type === "scalar" && String(key.value) === String(step));
