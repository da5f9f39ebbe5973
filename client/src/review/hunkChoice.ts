import type { Proposal } from "../../../shared/protocol/views/proposals.ts";
import { KeptHunks } from "../shell/inputSchemas.ts";

const memoryKey = "evotrainer.hunksLeft";

/** The editor's own, as far as it is needed. */
type Memory = {
  readonly get: (key: string) => unknown;
  readonly update: (key: string, value: unknown) => PromiseLike<void>;
};
type Left = Readonly<Record<string, readonly string[]>>;
type Of = Pick<Proposal, "id" | "commit">;
/** The holder of the proposals that wait in the project that is shown. */
type Waiting = {
  readonly waiting: readonly Of[];
  readonly onDidChange: (heard: (state: { readonly root: string | undefined }) => void) => {
    dispose(): unknown;
  };
};

/**
 * Which hunks of a proposal are left out when it is approved: none, until a person says so. Kept over a reload of the
 * window, by project; another text of the proposal starts anew.
 */
export class HunkChoice {
  readonly #memory: Memory;
  readonly #changed: (root: string, proposal: Of) => void;
  #known: Left | undefined;

  constructor(memory: Memory, changed: (root: string, proposal: Of) => void) {
    this.#memory = memory;
    this.#changed = changed;
  }

  get #kept(): Left {
    return (this.#known ??= KeptHunks.catch({}).parse(this.#memory.get(memoryKey)));
  }

  left(root: string, proposal: Of): readonly string[] {
    return this.#kept[keyOf(root, proposal)] ?? [];
  }

  choose(root: string, proposal: Of, { hunk, taken }: { hunk: string; taken: boolean }): void {
    const others = this.left(root, proposal).filter((id) => id !== hunk);
    this.#keep({ ...this.#kept, [keyOf(root, proposal)]: taken ? others : [...others, hunk] });
    this.#changed(root, proposal);
  }

  /** Ids of the hunks to take; undefined for all of them. */
  taken(root: string, proposal: Of & Pick<Proposal, "files">): readonly string[] | undefined {
    const left = new Set(this.left(root, proposal));
    const all = proposal.files.flatMap((file) => file.hunks.map(({ id }) => id));
    const taken = all.filter((id) => !left.has(id));
    return taken.length === all.length ? undefined : taken;
  }

  /**
   * Forgets proposals that do not wait any more in the project that was read. Of other projects, and while the engine refuses,
   * nobody knows what waits.
   */
  follow(source: Waiting): { dispose(): unknown } {
    return source.onDidChange(({ root }) => {
      if (root !== undefined) this.#keepOnly(root, source.waiting);
    });
  }

  #keepOnly(root: string, proposals: readonly Of[]): void {
    const keys = new Set(proposals.map((one) => keyOf(root, one)));
    const isOther = (key: string): boolean => !key.startsWith(startOf(root));
    const kept = Object.entries(this.#kept).filter(([key]) => isOther(key) || keys.has(key));
    if (kept.length < Object.keys(this.#kept).length) this.#keep(Object.fromEntries(kept));
  }

  #keep(kept: Left): void {
    this.#known = kept;
    void this.#memory.update(memoryKey, kept);
  }
}

const startOf = (root: string): string => `${JSON.stringify(root)} `;
const keyOf = (root: string, { id, commit }: Of): string => `${startOf(root)}${id} ${commit}`;
