import { createHash } from "node:crypto";
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { codeOf } from "../../base/errors.ts";
import { Answer } from "./prompt.ts";

const Kept = z.object({ key: z.string(), model: z.string(), at: z.string(), answer: Answer });

/** Answers that a model gave, kept in a file of JSON lines: what was asked once is not paid for again. */
export class Answers {
  readonly #path: string;
  readonly #known: Map<string, Answer>;

  /** A line that was torn by a crash, or is none of these, is passed over. */
  static async open(path: string): Promise<Answers> {
    const known = new Map<string, Answer>();
    for (const line of (await textOf(path)).split("\n")) {
      const kept = Kept.safeParse(jsonOf(line));
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
    await mkdir(dirname(this.#path), { recursive: true });
    // A newline before it as well, so that a torn line in front of it stays the only one that is lost.
    await appendFile(
      this.#path,
      `\n${JSON.stringify({ key, model, at: new Date().toISOString(), answer })}\n`,
      { mode: 0o600 },
    );
  }
}

/** What an answer depends on: the model and all that it was told. */
export function answerKey(model: string, prompt: string): string {
  return createHash("sha256").update(model).update("\0").update(prompt).digest("hex");
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (e) {
    if (codeOf(e) === "ENOENT") return "";
    throw e;
  }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
