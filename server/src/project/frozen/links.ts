import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** The symbolic links of a project, wherever its files are read from. Paths have forward slashes and begin in its folder. */
export interface Links {
  /** Where a link points, as it is written; undefined for what is no link. */
  target(path: string): string | undefined;
  /** The links in a folder, at any depth; "" is the project's own. */
  below(folder: string): readonly string[];
}

/** For files of which nobody knows whether they are links. */
export const noLinks: Links = { target: () => undefined, below: () => [] };

/** The links of a commit, by path. */
export function linksIn(targets: ReadonlyMap<string, string>): Links {
  return {
    target: (path) => targets.get(path),
    below: (folder) => [...targets.keys()].filter((path) => folder === "" || path.startsWith(`${folder}/`)),
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
    below(folder) {
      const found: string[] = [];
      const folders = [folder];
      let seen = 0;
      for (const at of folders) {
        for (const entry of entriesOf(join(root, at))) {
          if (++seen > mostEntries) return found;
          const path = at === "" ? entry.name : `${at}/${entry.name}`;
          if (entry.isSymbolicLink()) found.push(path);
          else if (entry.isDirectory() && !passedOver.has(path)) folders.push(path);
        }
      }
      return found;
    },
  };
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
