import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** The symbolic links of a project, wherever its files are read from. Paths have forward slashes and begin in its folder. */
export interface Links {
  /** Where a link points, as it is written; undefined for what is no link. */
  target(path: string): string | undefined;
  /** The links in a folder, at any depth; "" is the project's own. */
  below(folder: string): readonly string[];
  /** What lies in a folder, at any depth, as far as it is known; left out where nobody can know it. */
  held?(folder: string): readonly Held[];
}

/** A file, a link or a submodule that lies in the project. */
export interface Held {
  readonly path: string;
  readonly kind: "file" | "link" | "submodule";
}

/** For files of which nobody knows whether they are links. */
export const noLinks: Links = { target: () => undefined, below: () => [] };

const liesIn = (folder: string, path: string): boolean => folder === "" || path.startsWith(`${folder}/`);

/** The links of a commit, by path; `held` is everything in it. */
export function linksIn(targets: ReadonlyMap<string, string>, held?: readonly Held[]): Links {
  return {
    target: (path) => targets.get(path),
    below: (folder) => [...targets.keys()].filter((path) => liesIn(folder, path)),
    ...(held === undefined ? {} : { held: (folder) => held.filter(({ path }) => liesIn(folder, path)) }),
  };
}

/** Folders with more entries are data, and their links are looked at in the commit. */
const mostEntries = 5000;

/** They hold no file of a version. */
const passedOver: ReadonlySet<string> = new Set([".git", ".evotrainer"]);

/** The links that lie on disk under `root`. */
export function linksOnDisk(root: string): Links {
  return {
    target(path) {
      try {
        return readlinkSync(join(root, path));
      } catch {
        return undefined;
      }
    },
    below: (folder) => heldOnDisk(root, folder).flatMap(({ kind, path }) => (kind === "link" ? [path] : [])),
    held: (folder) => heldOnDisk(root, folder),
  };
}

function heldOnDisk(root: string, folder: string): Held[] {
  const found: Held[] = [];
  const folders = [folder];
  let seen = 0;
  for (const at of folders) {
    const entries = entriesOf(join(root, at));
    // Git keeps a submodule's place in the folder itself; the project's own is no submodule.
    if (at !== "" && entries.some(({ name }) => name === ".git")) {
      found.push({ path: at, kind: "submodule" });
      continue;
    }
    for (const entry of entries) {
      if (++seen > mostEntries) return found;
      const path = at === "" ? entry.name : `${at}/${entry.name}`;
      if (entry.isSymbolicLink()) found.push({ path, kind: "link" });
      else if (entry.isFile()) found.push({ path, kind: "file" });
      else if (entry.isDirectory() && !passedOver.has(path)) folders.push(path);
    }
  }
  return found;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

const mostSteps = 40;

/**
 * The place that a path leads to, over every link on its way, and those links. `to` is undefined where it leaves the
 * repository or goes round in a circle; it begins with `../` where it leaves the project's folder.
 */
export function followLinks(
  path: string,
  links: Links,
): { readonly to: string | undefined; readonly over: readonly string[] } {
  const over: string[] = [];
  const done: string[] = [];
  const left = path.split("/");
  for (let step = left.shift(); step !== undefined; step = left.shift()) {
    if (step === "" || step === ".") continue;
    if (step === "..") {
      if (done.length === 0 || done.at(-1) === "..") done.push("..");
      else done.pop();
      continue;
    }
    const here = [...done, step].join("/");
    const target = links.target(here);
    if (target === undefined) {
      done.push(step);
      continue;
    }
    over.push(here);
    if (over.length > mostSteps || /^([/\\]|[A-Za-z]:)/.test(target)) return { to: undefined, over };
    left.unshift(...target.split(/[/\\]/));
  }
  return { to: done.join("/"), over };
}
