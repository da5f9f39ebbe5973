import { dirname, join } from "node:path";
import type { SourceKey } from "../store/registrations.ts";

/**
 * Names of runs for foreign files: short, usable in `<run>/<id>`, and different for runs that lie in different places.
 * A run keeps the name under which it was registered.
 */
export class RunNames {
  readonly #byPath = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(registered: Iterable<SourceKey>) {
    for (const { run, imported } of registered) {
      if (run === null) continue;
      this.#taken.add(run);
      if (imported !== undefined) this.#byPath.set(imported.runPath, run);
      for (const [called, name] of Object.entries(imported?.runs ?? {})) {
        this.#taken.add(name);
        this.#byPath.set(join(dirname(imported?.runPath ?? ""), called), name);
      }
    }
  }

  nameFor(path: string, wished: string): string {
    const known = this.#byPath.get(path);
    if (known !== undefined) return known;
    const base = safeName(wished);
    let name = base;
    for (let n = 2; this.#taken.has(name); n++) name = `${base}-${n}`;
    this.#taken.add(name);
    this.#byPath.set(path, name);
    return name;
  }
}

/** A name without separators and without characters that shells, paths or lists stumble over. */
export function safeName(text: string): string {
  const name = text
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{N}._+=-]+/gu, "-")
    .replaceAll(/^[-.]+|[-.]+$/g, "")
    .slice(0, 120);
  return name === "" ? "run" : name;
}
