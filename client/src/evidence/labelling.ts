import type { LabelsSet } from "../../../shared/protocol/views/evidence.ts";
import type { OpenSplit } from "../../../shared/protocol/results/openSplit.ts";

/** Which rollouts are labelled; without a split those that the engine takes. */
export type LabelScope = { readonly version: string; readonly split?: OpenSplit };

type Ports = {
  /** Whether the labels are left as they stand. */
  readonly stand: (of: LabelScope) => Promise<boolean>;
  /** Labels the rollouts; gives the reason where that is refused. */
  readonly label: (of: LabelScope) => Promise<string | undefined>;
  /** Told after each labelling: what is shown can be asked for again. */
  readonly done: (of: LabelScope) => void;
  readonly now: () => number;
};

/** What came of a labelling, and of which rollouts; null where it does not matter how many there are. */
type Known = { readonly stamp: string | null; readonly set: LabelsSet };
type Wanted = { readonly of: LabelScope; readonly stamp: string; readonly round: number };

/** After a labelling of a version that grows, the next one waits for so many times as long as it took. */
const rest = 9;

/**
 * Has the rollouts that are looked at labelled, one scope after the other, the one that was asked for last first. Labelling
 * writes to the archive, which is told to everybody: whoever asks again after that finds the answer and starts nothing.
 */
export class Labelling {
  readonly #ports: Ports;
  readonly #known = new Map<string, Known>();
  #wanted: Wanted | undefined;
  #running: Wanted | undefined;
  #notBefore = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Grows when what is known is forgotten: what was on its way then counts no more. */
  #round = 0;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /**
   * Whether the labels of these rollouts are set; if not, they will be. @param stamp another one where there are other rollouts
   */
  async stateOf(of: LabelScope, stamp: string): Promise<LabelsSet> {
    const key = keyOf(of);
    const round = this.#round;
    if (!this.#known.has(key) && (await this.#ports.stand(of)) && round === this.#round)
      this.#known.set(key, { stamp: null, set: { type: "labelled" } });
    const known = this.#known.get(key);
    if (known !== undefined && (known.stamp === null || known.stamp === stamp)) return known.set;
    const wanted = { of, stamp, round: this.#round };
    if (!isSame(this.#running, wanted)) {
      this.#wanted = wanted;
      this.#start();
    }
    return { type: "labelling" };
  }

  /** For another project, or when a person asks for all of it anew. */
  forget(): void {
    this.#round++;
    this.#known.clear();
    this.#notBefore = 0;
    this.stop();
  }

  /** Nobody looks any more: what is on its way is brought to an end, and nothing else is begun. */
  stop(): void {
    this.#wanted = undefined;
    clearTimeout(this.#timer);
  }

  #start(): void {
    clearTimeout(this.#timer);
    const wanted = this.#wanted;
    if (wanted === undefined || this.#running !== undefined) return;
    // What is looked at for the first time does not wait.
    const wait = this.#known.has(keyOf(wanted.of)) ? this.#notBefore - this.#ports.now() : 0;
    if (wait > 0) this.#timer = setTimeout(() => this.#start(), wait);
    else void this.#run(wanted);
  }

  async #run(wanted: Wanted): Promise<void> {
    const { of, stamp, round } = wanted;
    const began = this.#ports.now();
    this.#wanted = undefined;
    this.#running = wanted;
    const refused = await this.#ports
      .label(of)
      .catch((e: unknown) => (e instanceof Error ? e.message : String(e)));
    this.#running = undefined;
    if (round === this.#round) {
      const set: LabelsSet =
        refused === undefined ? { type: "labelled" } : { type: "refused", message: refused };
      this.#known.set(keyOf(of), { stamp, set });
      const now = this.#ports.now();
      this.#notBefore = now + rest * (now - began);
      this.#ports.done(of);
    }
    this.#start();
  }
}

const keyOf = ({ version, split }: LabelScope): string => JSON.stringify([version, split]);

const isSame = (a: Wanted | undefined, b: Wanted): boolean =>
  a !== undefined && keyOf(a.of) === keyOf(b.of) && a.stamp === b.stamp && a.round === b.round;
