import { realpathSync, readFileSync, statSync, type Stats } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { ArchiveFacts } from "../../../shared/protocol/archiveFacts.ts";
import { ProjectSpec } from "../../../shared/spec/project.ts";
import type { ProjectContext, RuleContext } from "./rule.ts";
import type { FeatureContext } from "./featureContext.ts";
import type { Symbols } from "./symbols/occurrence.ts";
import { SymbolIndex } from "./symbols/symbolIndex.ts";
import { maxSpecLength, parseText, type ParsedText } from "./syntax/parseSpec.ts";
import { projectFileName, specKindIn, specKindOf } from "./syntax/specKind.ts";

type Cached = { readonly stamp: string; readonly parsed: ParsedText };

const statOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });
const isInside = (root: string, path: string) => path === root || path.startsWith(root + sep);

/**
 * The spec files of the workspace and the files that they speak of. What is open in the editor goes before what is on
 * disk; what is on disk is looked at again whenever it is asked for, so that nothing here can be stale. Reads only.
 */
export class SpecIndex {
  readonly #specs = new Set<string>();
  readonly #open = new Map<string, ParsedText>();
  readonly #cache = new Map<string, Cached>();
  readonly #facts = new Map<string, ArchiveFacts>();
  readonly #symbols = new SymbolIndex();
  /** Files whose names may have changed since they were taken in. */
  readonly #touched = new Set<string>();

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
    if (!this.#specs.has(path)) this.#touch(path);
    this.#specs.add(path);
    this.#touched.add(path);
  }

  remove(path: string): void {
    this.#specs.delete(path);
    this.#cache.delete(path);
    this.#touch(path);
  }

  open(path: string, text: string): void {
    this.#open.set(path, parseText(text));
    this.#touched.add(path);
  }

  close(path: string): void {
    this.#open.delete(path);
    this.#touched.add(path);
  }

  /** A project that comes or goes is another one for the specs below it. */
  #touch(path: string): void {
    this.#touched.add(path);
    if (specKindOf(path) === "project") for (const spec of this.paths) this.#touched.add(spec);
  }

  /** Takes in what the archive of a project holds. */
  noteFacts(root: string, facts: ArchiveFacts): void {
    this.#facts.set(root, facts);
  }

  /** The text at a path, parsed; undefined when it is missing, no regular file, or longer than a spec may be. */
  text(path: string): ParsedText | undefined {
    const open = this.#open.get(path);
    if (open) return open;
    try {
      const stat = statOf(path);
      if (!stat?.isFile() || stat.size > 4 * maxSpecLength) return undefined;
      const stamp = `${stat.mtimeMs}:${stat.size}:${stat.ino}`;
      const cached = this.#cache.get(path);
      if (cached?.stamp === stamp) return cached.parsed;
      const parsed = parseText(readFileSync(path, "utf8"));
      this.#cache.set(path, { stamp, parsed });
      return parsed;
    } catch {
      // Gone or unreadable between two calls: for a reader the same as missing.
      return undefined;
    }
  }

  /** What the rules need to check one spec; undefined for a file that is no spec or is gone. */
  context(path: string): RuleContext | undefined {
    if (specKindOf(path) === undefined) return undefined;
    const text = this.text(path);
    const kind = text && specKindIn(path, text.text);
    return kind && { spec: { kind, ...text }, project: this.#projectOf(path) };
  }

  /** The same for a feature, which may ask where names stand in the other specs. */
  featureContext(path: string): FeatureContext | undefined {
    const context = this.context(path);
    if (!context) return undefined;
    const root = this.rootOf(path);
    return { ...context, file: path, root, symbols: this.symbols(root, path) };
  }

  /** What an edit of a file bears on: the specs that share a name with it now or named it by its path. */
  neighbours(path: string): { readonly files: ReadonlySet<string>; readonly definitions: string } {
    const root = this.rootOf(path);
    this.symbols(root, path);
    const files = this.#symbols.related(path);
    if (root !== undefined)
      for (const file of this.#symbols.naming(root, relative(root, path).split(sep).join("/")))
        files.add(file);
    return { files, definitions: this.#symbols.definitionsOf(path) };
  }

  /** Where names stand in the specs of a project; those of one file where it belongs to no project. */
  symbols(root: string | undefined, path: string): Symbols {
    for (const touched of this.#touched) {
      if (specKindOf(touched) === undefined) continue;
      // Where the project lies is asked anew: an evotrainer.yaml may have come or gone.
      this.#symbols.update(touched, this.rootOf(touched), this.context(touched)?.spec);
    }
    this.#touched.clear();
    return this.#symbols.in(root, path);
  }

  #projectOf(path: string): ProjectContext | undefined {
    const root = this.rootOf(path);
    if (root === undefined) return undefined;
    return {
      spec: ProjectSpec.safeParse(this.text(join(root, projectFileName))?.value).data,
      read: (file) => this.#readInside(root, file),
      facts: this.#facts.get(root),
    };
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
    if (this.#open.has(path)) return this.#open.get(path);
    try {
      if (!isInside(realpathSync(root), realpathSync(path))) return undefined;
    } catch {
      return undefined;
    }
    return this.text(path);
  }
}
