import type { ParsedText } from "../syntax/parseSpec.ts";

type Node = Readonly<Record<string, unknown>>;

/** What may stand at one place of a config. */
export type KnownPlace = {
  /** Keys of a mapping; undefined where none is declared. */
  readonly keys: readonly string[] | undefined;
  /** Whether other keys are refused. */
  readonly closed: boolean;
  /** Values that are allowed, and the JSON types, where they are declared. */
  readonly values: readonly unknown[] | undefined;
  readonly types: readonly string[] | undefined;
};

/** Answers what may stand at a path; undefined where nothing is declared. */
export type KnownPlaces = (path: readonly string[]) => KnownPlace | undefined;

/** Reads what a trainer declares: a JSON Schema, or a file that holds every key with its default. */
export function knownPlaces(declared: ParsedText): KnownPlaces | undefined {
  const root = asNode(declared.value);
  if (!root || declared.problems.length > 0) return undefined;
  const isSchema =
    "$schema" in root || (asNode(root["properties"]) !== undefined && root["type"] === "object");
  return isSchema ? (path) => schemaPlace(root, path) : (path) => defaultsPlace(root, path);
}

/** The keys that a config has at a path, as what another config may have there. */
export function placesOf(value: unknown): KnownPlaces {
  return (path) => defaultsPlace(asNode(value) ?? {}, path);
}

function defaultsPlace(root: Node, path: readonly string[]): KnownPlace | undefined {
  let at: unknown = root;
  for (const step of path) at = own(asNode(at), step);
  const keys = Object.keys(asNode(at) ?? {});
  // An empty mapping, or none, is where a trainer takes what it is given.
  return keys.length === 0 ? undefined : { keys, closed: true, values: undefined, types: undefined };
}

const combining = ["allOf", "anyOf", "oneOf"] as const;

function schemaPlace(root: Node, path: readonly string[]): KnownPlace | undefined {
  let nodes = expand(root, [root]);
  for (const step of path)
    nodes = expand(
      root,
      nodes.flatMap((node) => childrenOf(node, step)),
    );
  if (nodes.length === 0) return undefined;
  const mappings = nodes.filter((node) => asNode(node["properties"]));
  const keys = mappings.flatMap((node) => Object.keys(asNode(node["properties"]) ?? {}));
  const values = nodes.flatMap((node) =>
    Array.isArray(node["enum"]) ? (node["enum"] as unknown[]) : "const" in node ? [node["const"]] : [],
  );
  const types = nodes.flatMap((node) => [node["type"]].flat().filter((type) => typeof type === "string"));
  return {
    keys: mappings.length > 0 ? [...new Set(keys)] : undefined,
    closed: mappings.length > 0 && nodes.some(isClosed),
    values: values.length > 0 ? values : undefined,
    types: types.length > 0 ? types : undefined,
  };
}

const isClosed = (node: Node): boolean =>
  (node["additionalProperties"] === false || node["unevaluatedProperties"] === false) &&
  asNode(node["patternProperties"]) === undefined;

function childrenOf(node: Node, step: string): Node[] {
  const property = asNode(own(asNode(node["properties"]), step));
  const other = asNode(node["additionalProperties"]);
  const item = /^\d+$/.test(step) ? asNode(node["items"]) : undefined;
  const found = property ?? item ?? other;
  return found ? [found] : [];
}

/** The schemas themselves, and those that they refer to or are combined of; a circle of references ends. */
function expand(root: Node, nodes: readonly Node[]): Node[] {
  const seen = new Set<Node>();
  const visit = (node: Node): void => {
    if (seen.has(node) || seen.size > 200) return;
    seen.add(node);
    const reference = node["$ref"];
    const target = typeof reference === "string" ? resolve(root, reference) : undefined;
    if (target) visit(target);
    for (const key of combining)
      if (Array.isArray(node[key]))
        for (const part of node[key] as unknown[]) {
          const inner = asNode(part);
          if (inner) visit(inner);
        }
  };
  nodes.forEach(visit);
  return [...seen];
}

/** A reference inside the document: #/$defs/name. */
function resolve(root: Node, reference: string): Node | undefined {
  if (!reference.startsWith("#")) return undefined;
  let at: unknown = root;
  for (const step of reference.slice(1).split("/").filter(Boolean))
    at = own(asNode(at), decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
  return asNode(at);
}

const asNode = (value: unknown): Node | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Node) : undefined;

const own = (node: Node | undefined, key: string): unknown =>
  node && Object.hasOwn(node, key) ? node[key] : undefined;
