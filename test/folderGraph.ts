import { posix } from "node:path";
import type { ImportGraph } from "./importGraph.ts";

/** The imports of one folder from another: file → file, for the message. */
type FolderGraph = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/** The largest number of product files in one folder. */
const filesPerFolder = 25;

/** Folders whose files are all of one kind and lie side by side, one concept each. */
const lists: ReadonlySet<string> = new Set(["server/src/language/rules"]);

function foldersOf(graph: ImportGraph): FolderGraph {
  const folders = new Map<string, Map<string, string[]>>();
  for (const [file, imports] of graph) {
    const from = posix.dirname(file);
    const own = folders.get(from) ?? new Map<string, string[]>();
    folders.set(from, own);
    for (const name of imports) {
      const to = posix.dirname(name);
      if (to === from || !graph.has(name)) continue;
      own.set(to, [...(own.get(to) ?? []), `${posix.basename(file)} -> ${name}`]);
    }
  }
  return folders;
}

/** The way from one folder to another over imports, both ends included; undefined if there is no way. */
function wayBetween(folders: FolderGraph, from: string, to: string): string[] | undefined {
  const ways = new Map<string, string[]>([[from, [from]]]);
  for (const [folder, way] of ways)
    for (const next of folders.get(folder)?.keys() ?? []) {
      if (next === to) return [...way, to];
      if (!ways.has(next)) ways.set(next, [...way, next]);
    }
  return undefined;
}

/** Folders that import each other, directly or over others, each circle once, with a file for every step. */
function* circles(folders: FolderGraph): Generator<string> {
  const told = new Set<string>();
  for (const [folder, imports] of folders)
    for (const next of imports.keys()) {
      const back = wayBetween(folders, next, folder);
      if (back === undefined) continue;
      const way = [folder, ...back];
      const name = [...new Set(way)].toSorted().join(" ");
      if (told.has(name)) continue;
      told.add(name);
      const steps = way.slice(1).map((to, i) => `${to} (${folders.get(way[i] ?? "")?.get(to)?.[0] ?? ""})`);
      yield `circle of folders: ${[folder, ...steps].join(" -> ")}`;
    }
}

/** What is wrong with the folders of the product: circles, and folders that hold too many files. */
export function folderViolations(graph: ImportGraph): string[] {
  const folders = foldersOf(graph);
  const full = [...folders.keys()].flatMap((folder) => {
    const count = [...graph.keys()].filter((file) => posix.dirname(file) === folder).length;
    return count > filesPerFolder && !lists.has(folder)
      ? [`${folder} holds ${count} files, more than ${filesPerFolder}: split it by what its files are for.`]
      : [];
  });
  return [...circles(folders), ...full];
}
