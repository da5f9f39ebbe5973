import { dirname, join, sep } from "node:path";
import { Readers } from "./readers.ts";
import type { ProjectContext, RuleContext } from "../rule/rule.ts";
import type { SpecIndex } from "./specIndex.ts";
import { projectFileName } from "../syntax/specKind.ts";

/** A value of a whole project, as the checks have last seen it. */
type Derived = { readonly derive: (project: ProjectContext) => unknown; made: unknown };

/** Knows which checks a change concerns: those that read the file, or a value of the project that is now another one. */
export class Concerned {
  readonly #index: SpecIndex;
  readonly #files = new Readers<string>();
  readonly #values = new Readers<Derived>();
  readonly #derived = new Map<string, Map<Derived["derive"], Derived>>();

  constructor(index: SpecIndex) {
    this.#index = index;
  }

  /** Runs a check, and writes down what it reads through the context that it is given. */
  watch<Result>(path: string, check: (watched: (context: RuleContext) => RuleContext) => Result): Result {
    const files = new Set<string>();
    const values = new Set<Derived>();
    try {
      return check((context) => this.#watched(context, files, values));
    } finally {
      this.#files.note(path, files);
      this.#values.note(path, values);
    }
  }

  /** Whose checks may come out otherwise when a file has changed, without its own. */
  *by(path: string): Generator<string> {
    yield* this.#files.of(path);
    const root = this.#index.rootOf(path);
    if (root !== undefined) {
      yield* this.#files.of(specsOf(root));
      for (const derived of this.#derived.get(root)?.values() ?? []) {
        const now = derived.derive(this.#index.project(root));
        if (Object.is(now, derived.made)) continue;
        derived.made = now;
        yield* this.#values.of(derived);
      }
    }
    if (!path.endsWith(sep + projectFileName)) return;
    for (const other of this.#index.below(dirname(path))) if (other !== path) yield other;
  }

  #watched(context: RuleContext, files: Set<string>, values: Set<Derived>): RuleContext {
    const { project } = context;
    const root = project?.root;
    if (!project || root === undefined) return context;
    const read = (file: string) => {
      files.add(join(root, file));
      return project.read(file);
    };
    const text = (file: string) => {
      files.add(join(root, file));
      return project.text(file);
    };
    const specs = () => {
      files.add(specsOf(root));
      return project.specs();
    };
    const derived = (derive: Derived["derive"], made: unknown) =>
      values.add(this.#derivedOf(root, derive, made));
    return { ...context, project: { ...project, read, text, specs, watch: { project, derived } } };
  }

  #derivedOf(root: string, derive: Derived["derive"], made: unknown): Derived {
    const all = this.#derived.get(root) ?? new Map<Derived["derive"], Derived>();
    this.#derived.set(root, all);
    const found = all.get(derive) ?? { derive, made };
    all.set(derive, found);
    return found;
  }
}

/** Stands for every spec of a project: no file has such a path. */
const specsOf = (root: string): string => `${root}\0`;
