import { createHash } from "node:crypto";
import { z } from "zod";
import { addJsonLine, readJsonLines } from "../../base/jsonLines.ts";
import { Answer } from "./prompt.ts";

const Kept = z.object({ key: z.string(), model: z.string(), at: z.string(), answer: Answer });

/** Answers that a model gave, kept in a file of JSON lines: what was asked once is not paid for again. */
export class Answers {
  readonly #path: string;
  readonly #known: Map<string, Answer>;

  /** A line that was torn by a crash, or is none of these, is passed over. */
  static async open(path: string): Promise<Answers> {
    const known = new Map<string, Answer>();
    for (const line of await readJsonLines(path)) {
      const kept = Kept.safeParse(line);
      if (kept.success) known.set(kept.data.key, kept.data.answer);
    }
    return new Answers(path, known);
  }

  private constructor(path: string, known: Map<string, Answer>) {
    this.#path = path;
    this.#known = known;
  }

  get(key: string): Answer | undefined {
    return this.#known.get(key);
  }

  async keep(key: string, model: string, answer: Answer): Promise<void> {
    this.#known.set(key, answer);
    await addJsonLine(this.#path, { key, model, at: new Date().toISOString(), answer });
  }
}

/** What an answer depends on: the model and all that it was told. */
export function answerKey(model: string, prompt: string): string {
  return createHash("sha256").update(model).update("\0").update(prompt).digest("hex");
}
