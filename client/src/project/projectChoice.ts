import * as vscode from "vscode";
import { shortFolder } from "./shortFolder.ts";

const key = "evotrainer.project";

/** Which project of the workspace the views are of: the one that was chosen last, or the first. */
export class ProjectChoice implements vscode.Disposable {
  readonly #kept: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  #roots: readonly string[] = [];

  constructor(kept: vscode.Memento) {
    this.#kept = kept;
  }

  /** The folders of the projects, as the server last said. */
  get roots(): readonly string[] {
    return this.#roots;
  }

  /** Undefined while nobody has chosen, or what was chosen is no longer there: then it is the first. */
  get chosen(): string | undefined {
    const root = this.#kept.get<unknown>(key);
    return typeof root === "string" && this.#roots.includes(root) ? root : undefined;
  }

  get current(): string | undefined {
    return this.chosen ?? this.#roots[0];
  }

  /** A title, and where the window has more than one project also of which it is. */
  titled(title: string, root: string | undefined): string {
    return root === undefined || this.#roots.length < 2 ? title : `${title} (${this.nameOf(root)})`;
  }

  nameOf(root: string): string {
    return shortFolder(root, this.#roots);
  }

  async choose(root: string): Promise<void> {
    const before = this.current;
    await this.#kept.update(key, root);
    if (this.current !== before) this.#changed.fire();
  }

  found(roots: readonly string[]): void {
    const before = [this.current, this.#roots.length > 1];
    this.#roots = roots;
    if (this.current !== before[0] || roots.length > 1 !== before[1]) this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
