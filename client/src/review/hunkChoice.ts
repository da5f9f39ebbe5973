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

/**
 * Which hunks of a proposal are left out when it is approved: none, until a person says so. Kept over a reload of the
 * window; another text of the proposal starts anew.
 */
export class HunkChoice {
  readonly #memory: Memory;
  readonly #changed: (proposal: Of) => void;
  #known: Left | undefined;

  constructor(memory: Memory, changed: (proposal: Of) => void) {
    this.#memory = memory;
    this.#changed = changed;
  }

  get #kept(): Left {
    return (this.#known ??= KeptHunks.catch({}).parse(this.#memory.get(memoryKey)));
  }

  left(proposal: Of): readonly string[] {
    return this.#kept[keyOf(proposal)] ?? [];
  }

  choose(proposal: Of, hunk: string, taken: boolean): void {
    const others = this.left(proposal).filter((id) => id !== hunk);
    this.#keep({ ...this.#kept, [keyOf(proposal)]: taken ? others : [...others, hunk] });
    this.#changed(proposal);
  }

  /** Ids of the hunks to take; undefined for all of them. */
  taken(proposal: Of & Pick<Proposal, "files">): readonly string[] | undefined {
    const left = new Set(this.left(proposal));
    const all = proposal.files.flatMap((file) => file.hunks.map(({ id }) => id));
    const taken = all.filter((id) => !left.has(id));
    return taken.length === all.length ? undefined : taken;
  }

  /** Forgets proposals that do not wait any more. */
  keepOnly(proposals: readonly Of[]): void {
    const keys = new Set(proposals.map(keyOf));
    const kept = Object.entries(this.#kept).filter(([key]) => keys.has(key));
    if (kept.length < Object.keys(this.#kept).length) this.#keep(Object.fromEntries(kept));
  }

  #keep(kept: Left): void {
    this.#known = kept;
    void this.#memory.update(memoryKey, kept);
  }
}

const keyOf = ({ id, commit }: Of): string => `${id} ${commit}`;
