import { realpathSync, readFileSync, statSync, type Stats } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { ArchiveFacts } from "../../../shared/protocol/archiveFacts.ts";
import { configFiles } from "../project/surfaces.ts";
import { parentVersion } from "./project/parentVersion.ts";
import { remembered } from "./project/remembered.ts";
import { projectIn } from "./project/typedSpec.ts";
import type { NamedSpec, ParentVersion, ProjectContext, RuleContext } from "./rule.ts";
import { maxSpecLength, parseText, type ParsedSpec, type ParsedText } from "./syntax/parseSpec.ts";
import { projectFileName, specKindIn, specKindOf, type SpecKind } from "./syntax/specKind.ts";

type Cached<T> = { readonly stamp: string; readonly value: T };

/** Longer files are not looked into: a list of items may be long, and an answer must not wait for it. */
const maxFileBytes = 8_000_000;

const statOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });
const stampOf = ({ mtimeMs, size, ino }: Stats) => `${mtimeMs}:${size}:${ino}`;
const isInside = (root: string, path: string) => path === root || path.startsWith(root + sep);

/**
 * The spec files of the workspace and the files that they speak of. What is open in the editor goes before what is on
 * disk; what is on disk is looked at again whenever it is asked for, so that nothing here can be stale. Reads only.
 */
export class SpecIndex {
  readonly #specs = new Set<string>();
  readonly #open = new Map<string, ParsedText>();
  readonly #cache = new Map<string, Cached<ParsedText>>();
  readonly #texts = new Map<string, Cached<string>>();
  readonly #facts = new Map<string, ArchiveFacts>();
  readonly #parents = new Map<string, ParentVersion>();
  readonly #lists = new Map<string, readonly NamedSpec[]>();

  /** Known spec files, sorted. */
  get paths(): string[] {
    return [...new Set([...this.#specs, ...this.#open.keys()])].sort();
  }

  /** Folders that hold an evotrainer.yaml, outermost first. */
  get projects(): string[] {
    return [...this.#specs]
      .filter((path) => specKindOf(path) === "project")
      .map((path) => dirname(path))
      .sort((a, b) => a.length - b.length || a.localeCompare(b));
  }

  add(path: string): void {
    this.#specs.add(path);
    this.#lists.clear();
  }

  remove(path: string): void {
    this.#specs.delete(path);
    this.#cache.delete(path);
    this.#lists.clear();
  }

  open(path: string, text: string): void {
    this.#open.set(path, parseText(text));
    this.#touch(path);
  }

  close(path: string): void {
    this.#open.delete(path);
    this.#touch(path);
  }

  /** Files may have changed on disk without a word: the lists of specs are made anew. */
  refresh(): void {
    this.#lists.clear();
  }

  /** Takes in the files of the version that a project's work tree goes on from; undefined when there is none. */
  noteParent(root: string, parent: { name: string; files: ReadonlyMap<string, string> } | undefined): void {
    if (parent) this.#parents.set(root, parentVersion(parent.name, parent.files));
    else this.#parents.delete(root);
    this.#lists.clear();
  }

  /** Takes in what the archive of a project holds. */
  noteFacts(root: string, facts: ArchiveFacts): void {
    this.#facts.set(root, facts);
    this.#lists.clear();
  }

  /** The text at a path, parsed; undefined when it is missing, no regular file, or longer than a spec may be. */
  text(path: string): ParsedText | undefined {
    const open = this.#open.get(path);
    if (open) return open;
    try {
      const stat = statOf(path);
      if (!stat?.isFile() || stat.size > 4 * maxSpecLength) return undefined;
      const stamp = stampOf(stat);
      const cached = this.#cache.get(path);
      if (cached?.stamp === stamp) return cached.value;
      const parsed = parseText(readFileSync(path, "utf8"));
      this.#cache.set(path, { stamp, value: parsed });
      return parsed;
    } catch {
      // Gone or unreadable between two calls: for a reader the same as missing.
      return undefined;
    }
  }

  /**
   * What the rules need to check one file: a spec, or a config that the project around it names. Undefined for any
   * other file, and for one that is gone.
   */
  context(path: string): RuleContext | undefined {
    const root = this.rootOf(path);
    const project = root === undefined ? undefined : this.#projectAt(root);
    const file = root === undefined ? path : relative(root, path).split(sep).join("/");
    if (specKindOf(path) === undefined) {
      const isConfig = project?.spec !== undefined && configFiles(project.spec).includes(file);
      const text = isConfig ? project.read(file) : undefined;
      return text && { spec: { kind: "config", ...text }, project, path: file };
    }
    const spec = this.#spec(path);
    return spec && { spec, project, path: file };
  }

  /** The configs that the known projects name, as far as they are there and are no specs; sorted. */
  configs(): string[] {
    const found = this.projects.flatMap((root) =>
      configFiles(this.#projectAt(root).spec ?? { surfaces: [], frozen: [] }).map((file) => join(root, file)),
    );
    return [...new Set(found)].filter((path) => this.context(path)?.spec.kind === "config").sort();
  }

  #spec(path: string): ParsedSpec | undefined {
    const text = this.text(path);
    const kind = text && specKindIn(path, text.text);
    return kind && asSpec(text)(kind);
  }

  #projectAt(root: string): ProjectContext {
    return {
      spec: projectIn(this.text(join(root, projectFileName))),
      read: (file) => this.#readInside(root, file),
      text: (file) => this.#textInside(root, file),
      specs: () => this.#specsOf(root),
      parent: this.#parents.get(root),
      facts: this.#facts.get(root),
    };
  }

  #specsOf(root: string): readonly NamedSpec[] {
    const known = this.#lists.get(root);
    if (known) return known;
    const inner = this.projects.filter((project) => project !== root && isInside(root, project));
    const list = this.paths
      .filter((path) => isInside(root, path) && !inner.some((project) => isInside(project, path)))
      .flatMap((path) => this.#named(root, path) ?? []);
    this.#lists.set(root, list);
    return list;
  }

  #named(root: string, path: string): NamedSpec | undefined {
    const spec = specKindOf(path) === undefined ? undefined : this.#spec(path);
    return spec && { path: relative(root, path).split(sep).join("/"), name: nameIn(spec), spec };
  }

  /** One file has changed: lists become new ones, in which only its own entry is looked at again. */
  #touch(path: string): void {
    for (const [root, list] of this.#lists) {
      const file = relative(root, path).split(sep).join("/");
      const at = list.findIndex((named) => named.path === file);
      const fresh = at >= 0 ? this.#named(root, path) : undefined;
      // A spec that comes or goes, and a project, may change more than one entry.
      if (specKindOf(path) === undefined) this.#lists.set(root, [...list]);
      else if (fresh && fresh.spec.kind !== "project") this.#lists.set(root, list.with(at, fresh));
      else this.#lists.delete(root);
    }
  }

  /** The nearest folder above that holds an evotrainer.yaml. */
  rootOf(path: string): string | undefined {
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      if (this.text(join(folder, projectFileName))) return folder;
      if (folder === dirname(folder)) return undefined;
    }
  }

  /** Neither `..` nor a link leads out of the project: a spec of a stranger must not make us read other files. */
  #readInside(root: string, file: string): ParsedText | undefined {
    const path = join(root, file);
    if (!isInside(root, path)) return undefined;
    return this.#open.get(path) ?? (staysInside(root, path) ? this.text(path) : undefined);
  }

  #textInside(root: string, file: string): string | undefined {
    const path = join(root, file);
    const open = isInside(root, path) ? this.#open.get(path) : undefined;
    if (open) return open.text;
    if (!staysInside(root, path)) return undefined;
    try {
      const stat = statOf(path);
      if (!stat?.isFile() || stat.size > maxFileBytes) return undefined;
      const stamp = stampOf(stat);
      const cached = this.#texts.get(path);
      if (cached?.stamp === stamp) return cached.value;
      const value = readFileSync(path, "utf8");
      this.#texts.set(path, { stamp, value });
      return value;
    } catch {
      return undefined;
    }
  }
}

function staysInside(root: string, path: string): boolean {
  if (!isInside(root, path)) return false;
  try {
    return isInside(realpathSync(root), realpathSync(path));
  } catch {
    return false;
  }
}

/** One spec for each text and kind, so that what was made of it is found again. */
const asSpec = remembered((text: ParsedText) => {
  const made = new Map<SpecKind, ParsedSpec>();
  return (kind: SpecKind): ParsedSpec => {
    const spec = made.get(kind) ?? { kind, ...text };
    made.set(kind, spec);
    return spec;
  };
});

function nameIn({ value }: ParsedSpec): string {
  const name: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "name") : undefined;
  return typeof name === "string" ? name : "";
}
