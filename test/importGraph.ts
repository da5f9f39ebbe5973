import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { parseSync } from "oxc-parser";

/** Which file imports what: types count, a package is named without its inner path. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

const folders = ["client", "server", "webview", "shared"];

function sourceFiles(root: string): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.ts$/.test(entry.name) && !/\.(test|d)\.ts$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/")),
  );
}

const packageOf = (name: string) =>
  name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");

/** What a file imports or exports from elsewhere, at the start or at run time, in the words of its text. */
function importedNames(file: string, text: string): string[] {
  const { module, errors } = parseSync(file, text);
  const [error] = errors;
  if (error) throw new Error(`${file}: ${error.message}`);
  const { staticImports, staticExports, dynamicImports } = module;
  return [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => (moduleRequest ? [moduleRequest.value] : [])),
    ),
    ...dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
      const literal = /^(["'])(.*)\1$/.exec(text.slice(start, end));
      return literal?.[2] === undefined ? [] : [literal[2]];
    }),
  ];
}

/** The imports of every source file of the repository, read from the text, type imports included. */
export function readImports(root: string): ImportGraph {
  const graph = new Map<string, string[]>();
  for (const file of sourceFiles(root)) {
    const names = importedNames(file, readFileSync(join(root, file), "utf8"));
    graph.set(
      file,
      names.map((name) =>
        name.startsWith(".") ? posix.normalize(posix.join(dirname(file), name)) : packageOf(name),
      ),
    );
  }
  return graph;
}

const isFile = (name: string) => /^(client|server|webview|shared|examples|bench|test)\//.test(name);

/** Every file and package that a file reaches, with the way there. */
function reach(graph: ImportGraph, from: string): Map<string, string[]> {
  const ways = new Map<string, string[]>([[from, [from]]]);
  for (const [name, way] of ways)
    for (const next of graph.get(name) ?? []) if (!ways.has(next)) ways.set(next, [...way, next]);
  ways.delete(from);
  return ways;
}

type Allowed = { readonly folders: readonly string[]; readonly packages: (name: string) => boolean };

const only =
  (...names: string[]) =>
  (name: string) =>
    names.includes(name);

/** Who may reach what, over any number of steps (ARCHITECTURE.md). */
const rules: Readonly<Record<string, Allowed>> = {
  shared: { folders: ["shared"], packages: only("zod") },
  webview: { folders: ["webview", "shared"], packages: only("zod", "d3", "@vscode/webview-ui-toolkit") },
  client: {
    folders: ["client", "shared"],
    packages: (name) => /^(vscode|vscode-languageclient|zod|node:.*)$/.test(name),
  },
  server: {
    folders: ["server", "shared"],
    packages: (name) => !/^(vscode|vscode-languageclient|d3)$/.test(name),
  },
};

function* reachViolations(graph: ImportGraph): Generator<string> {
  for (const file of graph.keys()) {
    const rule = rules[file.split("/")[0] ?? ""];
    if (!rule) continue;
    for (const [name, way] of reach(graph, file)) {
      const allowed = isFile(name) ? rule.folders.includes(name.split("/")[0] ?? "") : rule.packages(name);
      if (!allowed) yield `${way.join(" -> ")}: ${file.split("/")[0] ?? ""} must not reach ${name}`;
    }
  }
}

const serverFolder = (file: string) => /^server\/src\/([^/]+)\/[^]+$/.exec(file)?.[1];

function* orderViolations(graph: ImportGraph, order: readonly string[]): Generator<string> {
  for (const [file, imports] of graph) {
    const own = serverFolder(file);
    if (own === undefined) continue;
    if (!order.includes(own)) {
      yield `${file}: ${own} is missing in test/serverOrder.ts`;
      continue;
    }
    for (const name of imports) {
      const other = serverFolder(name);
      if (other !== undefined && order.indexOf(other) > order.indexOf(own))
        yield `${file} -> ${name}: ${own} lies below ${other}`;
      if (/^server\/src\/[^/]+\.ts$/.test(name)) yield `${file} -> ${name}: nothing imports an entry`;
    }
  }
}

function* cycles(graph: ImportGraph): Generator<string> {
  const state = new Map<string, "open" | "done">();
  const way: string[] = [];
  function* visit(file: string): Generator<string> {
    state.set(file, "open");
    way.push(file);
    for (const next of graph.get(file) ?? []) {
      if (state.get(next) === "open") yield `circle: ${[...way.slice(way.indexOf(next)), next].join(" -> ")}`;
      else if (!state.has(next) && graph.has(next)) yield* visit(next);
    }
    way.pop();
    state.set(file, "done");
  }
  for (const file of graph.keys()) if (!state.has(file)) yield* visit(file);
}

/** Rules know no other rule, features no other feature, and neither knows the other. */
function* siblingViolations(graph: ImportGraph): Generator<string> {
  const inside = /^server\/src\/language\/(rules|features)\//;
  for (const [file, imports] of graph)
    if (inside.test(file))
      for (const name of imports)
        if (inside.test(name)) yield `${file} -> ${name}: rules and features stand alone`;
}

/** The single place for each thing that must be easy to replace. */
function* onePlaceViolations(graph: ImportGraph): Generator<string> {
  const places: readonly (readonly [string, string])[] = [
    ["@vscode/webview-ui-toolkit", "webview/src/shared/toolkit.ts"],
    ["vscode-languageclient", "client/src/connection/languageClient.ts"],
  ];
  for (const [file, imports] of graph)
    for (const [name, place] of places)
      if (file !== place && imports.includes(name)) yield `${file} -> ${name}: only ${place} imports it`;
}

export function importViolations(graph: ImportGraph, serverOrder: readonly string[]): string[] {
  return [
    ...reachViolations(graph),
    ...orderViolations(graph, serverOrder),
    ...cycles(graph),
    ...siblingViolations(graph),
    ...onePlaceViolations(graph),
  ];
}
