import type { PartAnswers } from "../../../shared/protocol/views/version.ts";
import { bannerOf } from "./banner.ts";
import { examplesQuestion } from "./examples.ts";
import { distrustIn, type Known } from "./known.ts";
import type { Pair, PairHandlers } from "./pair.ts";
import type { Questions } from "./questions.ts";

type Of<T> = { readonly found: T; readonly pair: Pair };

/** What was found of these two; of others it says nothing. */
const foundOf = <T>(known: Of<T> | undefined, pair: Pair | undefined): T | undefined =>
  known?.pair === pair ? known?.found : undefined;
/** Rollouts that were asked for, as far as they are there. */
type Examples = {
  readonly asked: string;
  found: PartAnswers["examples"] | undefined;
  /** They are to be asked for once more. */
  isStale?: true;
};

/** What the banner is drawn from as it comes, and the rollouts that it asks for once it is clear which would show it. */
export class Answering {
  readonly #banner: HTMLElement;
  readonly #questions: Questions;
  readonly #handlers: PairHandlers;
  #compared: Of<PartAnswers["comparison"] | string> | undefined;
  #shifts: Of<PartAnswers["labels"] | string> | undefined;
  #examples: Examples | undefined;
  /** What was drawn last: rollouts that come late belong into that, not into what was drawn when they were asked for. */
  #drawn: readonly [last: Known, against: Known | undefined, pair: Pair | undefined] | undefined;

  constructor(banner: HTMLElement, questions: Questions, handlers: PairHandlers) {
    this.#banner = banner;
    this.#questions = questions;
    this.#handlers = handlers;
  }

  /** A comparison, or why there is none. */
  compared(found: PartAnswers["comparison"] | string, pair: Pair): void {
    this.#compared = { found, pair };
  }

  /** How labels shifted, or why nobody can tell. */
  shifted(found: PartAnswers["labels"] | string, pair: Pair): void {
    this.#shifts = { found, pair };
  }

  /** How labels shifted between these two. */
  shiftsOf(pair: Pair | undefined): PartAnswers["labels"] | undefined {
    const found = foundOf(this.#shifts, pair);
    return typeof found === "object" ? found : undefined;
  }

  /** Something may have changed: the rollouts are asked for once more, and those that are there stay until then. */
  askAgain(): void {
    if (this.#examples) this.#examples.isStale = true;
  }

  /** Others are shown: nothing that was asked for will come. */
  forget(): void {
    this.#compared = this.#shifts = this.#examples = this.#drawn = undefined;
  }

  draw(last: Known, against: Known | undefined, pair: Pair | undefined): void {
    this.#drawn = [last, against, pair];
    const { version } = last;
    const compared = foundOf(this.#compared, pair);
    const shifted = foundOf(this.#shifts, pair);
    const distrusted = [last, ...(against === undefined ? [] : [against])].flatMap((known) => {
      const found = distrustIn(known);
      return found === undefined ? [] : [{ of: known.version.name, found, reason: known.version.reason }];
    });
    const known = {
      ...{ version, against: against?.version, distrust: distrusted[0] },
      comparison: typeof compared === "object" ? compared : undefined,
      refused: typeof compared === "string" ? compared : undefined,
      shifts: this.shiftsOf(pair),
      unshifted: typeof shifted === "string" ? shifted : undefined,
    };
    const isKnown = pair === undefined || (compared !== undefined && shifted !== undefined);
    const question = examplesQuestion({ ...known, isTrusted: distrusted.length === 0 });
    if (question !== undefined && (isKnown || question.label !== undefined)) this.#ask(question);
    const asked = this.#examples?.asked === JSON.stringify(question) ? this.#examples : undefined;
    this.#banner.replaceChildren(...bannerOf({ ...known, found: asked?.found }, this.#handlers));
  }

  #ask(question: NonNullable<ReturnType<typeof examplesQuestion>>): void {
    const asked = JSON.stringify(question);
    const before = this.#examples?.asked === asked ? this.#examples : undefined;
    if (before && before.isStale !== true) return;
    const mine: Examples = { asked, found: before?.found };
    this.#examples = mine;
    const take = (found: PartAnswers["examples"]): void => {
      mine.found = found;
      if (this.#examples === mine && this.#drawn !== undefined) this.draw(...this.#drawn);
    };
    this.#questions.ask({ part: "examples", ...question }, "examples", take, () => take([]));
  }
}
