import type * as z from "zod";
import {
  partAnswers,
  type FromVersionPanel,
  type PanelQuestion,
  type Part,
  type PartAnswers,
  type ToVersionPanel,
  type VersionUiState,
} from "../../../shared/protocol/views/version.ts";
import type { Host } from "../shared/startView.ts";

type Waiting = {
  readonly key: string;
  readonly take: (value: unknown) => void;
  readonly refuse: (message: string) => void;
};

/** The questions of the panel that wait for an answer. */
export class Questions {
  readonly #host: Host<FromVersionPanel, VersionUiState>;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;

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
    const key = "version" in question ? `${part} ${question.version}` : part;
    for (const [id, other] of this.#waiting) if (other.key === key) this.#waiting.delete(id);
    const id = ++this.#asked;
    this.#waiting.set(id, {
      key,
      refuse,
      take: (value) => {
        const schema: z.ZodType = partAnswers[part];
        const parsed = schema.safeParse(value);
        // The schema is the part's own.
        if (parsed.success) take(parsed.data as PartAnswers[P]);
        else refuse("The answer could not be read; reload the window.");
      },
    });
    this.#host.post({ type: "ask", id, root: this.#host.ui.root, question });
  }

  receive(message: Extract<ToVersionPanel, { type: "answer" | "refused" }>): void {
    const found = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.type === "answer") found?.take(message.value);
    else found?.refuse(message.message);
  }
}
