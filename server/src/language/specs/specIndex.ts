import { dirname, join, relative, sep } from "node:path";
import type { ArchiveFacts } from "../../../../shared/protocol/views/archiveFacts.ts";
import { linksOnDisk } from "../../project/frozen/links.ts";
import { placedFormat } from "../../project/configs/configText.ts";
import { configFiles } from "../../project/surfaces.ts";
import type { TriedConditions } from "../archive/triedConditions.ts";
import type { FeatureContext } from "../symbols/featureContext.ts";
import { parentVersion } from "../project/parentVersion.ts";
import { remembered } from "../syntax/remembered.ts";
import { projectIn } from "../syntax/typedSpec.ts";
import type { NamedSpec, ParentVersion, ProjectContext, RuleContext } from "../rule/rule.ts";
import type { Symbols } from "../symbols/occurrence.ts";
import { SymbolIndex } from "../symbols/symbolIndex.ts";
import type { ParsedSpec, ParsedText } from "../syntax/parseSpec.ts";
import { projectFileName, specKindIn, specKindOf, type SpecKind } from "../syntax/specKind.ts";
import { isInside, Texts } from "./texts.ts";

/** The spec files of the workspace, the files that they speak of, and what is worked out of all of them. Reads only. */
export class SpecIndex {
  readonly #specs = new Set<string>();
  readonly #texts = new Texts();
  readonly #facts = new Map<string, ArchiveFacts>();
  readonly #tried = new Map<string, TriedConditions>();
  readonly #parents = new Map<string, ParentVersion>();
  readonly #lists = new Map<string, readonly NamedSpec[]>();
  /** Files that have changed since the lists were made. */
  readonly #stale = new Set<string>();
  readonly #symbols = new SymbolIndex();
  /** Files whose names may have changed since they were taken in. */
  readonly #touched = new Set<string>();

  /** Known spec files and what is open, sorted. */
  get paths(): string[] {
    return [...new Set([...this.#specs, ...this.#texts.openPaths])].sort();
  }

  /** Folders that hold an evotrainer.yaml, outermost first. */
  get projects(): string[] {
    return [...this.#specs]
      .filter((path) => specKindOf(path) === "project")
      .map((path) => dirname(path))
      .sort((a, b) => a.length - b.length || a.localeCompare(b));
  }

  /** Whether a file is open or one of the workspace. */
  has(path: string): boolean {
    return this.#specs.has(path) || this.#texts.isOpen(path);
  }

  /** The known spec files below a folder. */
  below(folder: string): string[] {
    return this.paths.filter((path) => isInside(folder, path));
  }

  add(path: string): void {
    if (!this.#specs.has(path)) this.#touch(path);
    this.#specs.add(path);
    this.forget(path);
  }

  remove(path: string): void {
    this.#specs.delete(path);
    this.#texts.drop(path);
    this.#touch(path);
    this.#lists.clear();
  }

  open(path: string, text: string): void {
    this.#texts.open(path, text);
    this.#touched.add(path);
    this.#stale.add(path);
  }

  close(path: string): void {
    this.#texts.close(path);
    this.#touched.add(path);
    this.#stale.add(path);
  }

  /** A project that comes or goes is another one for the specs below it. */
  #touch(path: string): void {
    this.#touched.add(path);
    if (specKindOf(path) === "project") for (const spec of this.paths) this.#touched.add(spec);
  }

  /** From now on every change in these folders is told by `add`, `remove` or `forget`. */
  changesAreTold(folders: readonly string[]): void {
    this.#texts.changesAreTold(folders);
    this.#lists.clear();
  }

  /** A file may have changed on disk. */
  forget(path: string): void {
    this.#texts.forget(path);
    this.#touched.add(path);
    this.#lists.clear();
  }

  /** Files may have changed on disk without a word: everything is looked at anew. */
  refresh(): void {
    this.#texts.forgetAll();
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
    // Of a folder without a project it is news that its specs belong together.
    if (!this.#facts.has(root)) for (const spec of this.below(root)) this.#touched.add(spec);
    this.#facts.set(root, facts);
    this.#lists.clear();
  }

  /** Takes in what the archive of a project says of the conditions of diagnostics. */
  noteTried(root: string, tried: TriedConditions): void {
    this.#tried.set(root, tried);
  }

  /** The text at a path, parsed; undefined when it is missing, no regular file, or longer than a spec may be. */
  text(path: string): ParsedText | undefined {
    return this.#texts.parsed(path);
  }

  /**
   * What the rules need to check one file: a spec, or a config that the project around it names. Undefined for any
   * other file, and for one that is gone.
   */
  context(path: string): RuleContext | undefined {
    const root = this.rootOf(path);
    const project = root === undefined ? undefined : this.project(root);
    const file = root === undefined ? path : relative(root, path).split(sep).join("/");
    if (specKindOf(path) === undefined) {
      // Rules point to places of YAML; a launch script has none of those.
      const isConfig =
        project?.spec !== undefined &&
        placedFormat(file) === undefined &&
        configFiles(project.spec).includes(file);
      const text = isConfig ? project.read(file) : undefined;
      return text && { spec: { kind: "config", ...text }, project, path: file };
    }
    const spec = this.#spec(path);
    return spec && { spec, project, path: file };
  }

  /** The same for a feature, which may ask where names stand in the other specs. */
  featureContext(path: string): FeatureContext | undefined {
    const context = this.context(path);
    if (!context) return undefined;
    const root = this.rootOf(path);
    return { ...context, file: path, root, symbols: this.symbols(root, path) };
  }

  /** Where names stand in the specs of a project; those of one file where it belongs to no project. */
  symbols(root: string | undefined, path: string): Symbols {
    this.takeInNames(Infinity);
    return this.#symbols.in(root, path);
  }

  /** Takes in names that may have changed, until a time of `performance.now()`; whether that was all. */
  takeInNames(until: number): boolean {
    for (const touched of this.#touched) {
      if (performance.now() > until) return false;
      this.#touched.delete(touched);
      // Where the project lies is asked anew: an evotrainer.yaml may have come or gone.
      if (specKindOf(touched) !== undefined)
        this.#symbols.update(touched, this.rootOf(touched), this.#spec(touched));
    }
    return true;
  }

  /** The configs that the known projects name, as far as they are there and are no specs; sorted. */
  configs(): string[] {
    const found = this.projects.flatMap((root) =>
      configFiles(this.project(root).spec ?? { surfaces: [], frozen: [] }).map((file) => join(root, file)),
    );
    return [...new Set(found)].filter((path) => this.context(path)?.spec.kind === "config").sort();
  }

  /** The nearest folder above that holds an evotrainer.yaml; without one its own folder, if that has an archive. */
  rootOf(path: string): string | undefined {
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      if (this.text(folder.endsWith(sep) ? folder + projectFileName : folder + sep + projectFileName))
        return folder;
      if (folder === dirname(folder)) break;
    }
    return this.#facts.has(dirname(path)) ? dirname(path) : undefined;
  }

  /** The project in a folder that holds an evotrainer.yaml. */
  project(root: string): ProjectContext {
    return {
      root,
      spec: projectIn(this.text(join(root, projectFileName))),
      read: (file) => this.#texts.parsedInside(root, join(root, file)),
      text: (file) => this.#texts.plainInside(root, join(root, file)),
      links: linksOnDisk(root),
      specs: () => this.#specsOf(root),
      parent: this.#parents.get(root),
      facts: this.#facts.get(root),
      tried: this.#tried.get(root),
    };
  }

  #spec(path: string): ParsedSpec | undefined {
    const text = this.text(path);
    const kind = text && specKindIn(path, text.text);
    return kind && asSpec(text)(kind);
  }

  #specsOf(root: string): readonly NamedSpec[] {
    // Looked at when they are asked for: a long text that is being typed is not parsed at every letter.
    for (const path of this.#stale) this.#renew(path);
    this.#stale.clear();
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
  #renew(path: string): void {
    for (const [root, list] of this.#lists) {
      const file = relative(root, path).split(sep).join("/");
      const at = list.findIndex((named) => named.path === file);
      // A spec that comes or goes, and a project, may change more than one entry.
      const fresh = at >= 0 ? this.#named(root, path) : undefined;
      if (specKindOf(path) === undefined) this.#lists.set(root, [...list]);
      else if (fresh && fresh.spec.kind !== "project") this.#lists.set(root, list.with(at, fresh));
      else this.#lists.delete(root);
    }
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
