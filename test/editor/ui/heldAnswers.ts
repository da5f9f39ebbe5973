import type { ViewHost, LoadOptions } from "./viewHost.ts";

type Answer = LoadOptions["answer"];

/** Holds back the answers of the editor's side, so that a test says in which order they come. */
export class HeldAnswers {
  readonly #held: { readonly about: string; readonly release: () => void }[] = [];

  /** What is still held back. */
  get count(): number {
    return this.#held.length;
  }

  /** Answers when it is told to; `about` names what an answer is of, and what it does not name is answered at once. */
  of(answer: Answer, about: (message: Parameters<Answer>[0]) => string | undefined): Answer {
    return async (message) => {
      const what = about(message);
      const replies = await answer(message);
      if (what !== undefined) await new Promise<void>((release) => this.#held.push({ about: what, release }));
      return replies;
    };
  }

  /** Gives one of them by its number, and waits until the page has taken it and has asked what it wants to know next. */
  async give(host: ViewHost, index: number): Promise<void> {
    for (const { release } of this.#held.splice(index, 1)) release();
    await settled(host);
  }

  /** Gives all of them, and what is asked meanwhile, one after the other: each is the one that `next` chooses of so many. */
  async giveAll(host: ViewHost, next: (count: number) => number): Promise<void> {
    await settled(host);
    while (this.#held.length > 0) await this.give(host, next(this.#held.length));
  }
}

/** What was sent both ways has arrived: each takes a turn of the page, and a question one of the test. */
export async function settled(host: ViewHost): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    await new Promise(setImmediate);
    await host.page.evaluate(
      () => new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve))),
    );
  }
}

/** Everything that the page says, also in its folds. */
export const pageText = (host: ViewHost): Promise<string> =>
  host.page.evaluate(() => document.getElementById("app")?.textContent ?? "");
