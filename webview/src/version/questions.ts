import {
  placeOf,
  type FromVersionPanel,
  type PanelQuestion,
  type Part,
  type PartAnswer,
  type PartAnswers,
  type ToVersionPanel,
  type VersionUiState,
} from "../../../shared/protocol/views/version.ts";
import { firstId } from "../shared/firstId.ts";
import type { Host } from "../shared/startView.ts";

/** Whether an answer is that of a part: its value is then the part's. */
const isOf = <P extends Part>(
  answer: PartAnswer,
  part: P,
): answer is PartAnswer & { readonly part: P; readonly value: PartAnswers[P] } => answer.part === part;

type Waiting = {
  readonly key: string;
  readonly take: (answer: PartAnswer) => void;
  readonly refuse: (message: string) => void;
};

/** The questions of the panel that wait for an answer. */
export class Questions {
  readonly #host: Host<FromVersionPanel, VersionUiState>;
  readonly #waiting = new Map<number, Waiting>();
  #asked = firstId();

  constructor(host: Host<FromVersionPanel, VersionUiState>) {
    this.#host = host;
  }

  /** Asks for a part; an answer that a later question of the same kind has overtaken is dropped. */
  ask<P extends Part>(
    question: Extract<PanelQuestion, { part: P }>,
    part: P,
    take: (value: PartAnswers[P]) => void,
    refuse: (message: string) => void,
  ): void {
    const key = placeOf(question);
    for (const [id, other] of this.#waiting) if (other.key === key) this.#waiting.delete(id);
    const id = ++this.#asked;
    this.#waiting.set(id, {
      key,
      refuse,
      take: (answer) => {
        if (isOf(answer, part)) take(answer.value);
      },
    });
    this.#host.post({ type: "ask", id, root: this.#host.ui.root, question });
  }

  /** Drops the answers that are still to come: they are about something else than what is shown now. */
  forget(): void {
    this.#waiting.clear();
  }

  receive(message: Extract<ToVersionPanel, { type: "answer" | "refused" }>): void {
    const found = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.type === "answer") found?.take(message.answer);
    else found?.refuse(message.message);
  }
}
