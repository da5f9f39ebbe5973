import type { PartAnswers } from "../../../shared/protocol/views/version.ts";
import { bannerOf } from "./banner.ts";
import { examplesQuestion } from "./examples.ts";
import { distrustIn, type Known } from "./known.ts";
import type { Pair, PairHandlers } from "./pair.ts";
import type { Questions } from "./questions.ts";

type Of<T> = { readonly found: T; readonly pair: Pair };

/** What the banner is drawn from as it comes, and the rollouts that it asks for once it is clear which would show it. */
export class Answering {
  readonly #banner: HTMLElement;
  readonly #questions: Questions;
  readonly #handlers: PairHandlers;
  #compared: Of<PartAnswers["comparison"] | string> | undefined;
  #shifts: Of<PartAnswers["labels"] | undefined> | undefined;
  #examples: { readonly asked: string; found?: PartAnswers["examples"] } | undefined;
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

  /** How labels shifted; undefined where nobody can tell. */
  shifted(found: PartAnswers["labels"] | undefined, pair: Pair): void {
    this.#shifts = { found, pair };
  }

  /** How labels shifted between these two. */
  shiftsOf(pair: Pair | undefined): PartAnswers["labels"] | undefined {
    return this.#shifts?.pair === pair ? this.#shifts?.found : undefined;
  }

  draw(last: Known, against: Known | undefined, pair: Pair | undefined): void {
    this.#drawn = [last, against, pair];
    const { version } = last;
    const compared = this.#compared?.pair === pair ? this.#compared?.found : undefined;
    const distrusted = [last, ...(against === undefined ? [] : [against])].flatMap((known) => {
      const found = distrustIn(known);
      return found === undefined ? [] : [{ of: known.version.name, found, reason: known.version.reason }];
    });
    const known = {
      ...{ version, against: against?.version, distrust: distrusted[0] },
      comparison: typeof compared === "object" ? compared : undefined,
      refused: typeof compared === "string" ? compared : undefined,
      shifts: this.shiftsOf(pair),
    };
    const isKnown = pair === undefined || (compared !== undefined && this.#shifts?.pair === pair);
    const question = examplesQuestion({ ...known, isTrusted: distrusted.length === 0 });
    if (question !== undefined && (isKnown || question.label !== undefined)) this.#ask(question);
    const asked = this.#examples?.asked === JSON.stringify(question) ? this.#examples : undefined;
    this.#banner.replaceChildren(...bannerOf({ ...known, found: asked?.found }, this.#handlers));
  }

  #ask(question: NonNullable<ReturnType<typeof examplesQuestion>>): void {
    const asked = JSON.stringify(question);
    if (this.#examples?.asked === asked) return;
    const mine: { readonly asked: string; found?: PartAnswers["examples"] } = { asked };
    this.#examples = mine;
    const take = (found: PartAnswers["examples"]): void => {
      mine.found = found;
      if (this.#examples === mine && this.#drawn !== undefined) this.draw(...this.#drawn);
    };
    this.#questions.ask({ part: "examples", ...question }, "examples", take, () => take([]));
  }
}
