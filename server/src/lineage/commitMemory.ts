import type { Repository } from "./repository.ts";

/** What a commit holds never changes, and starting git takes longer than all else that reading a small file needs. */
const mostBytes = 8 * 2 ** 20;
const mostBytesOfOne = 256 * 1024;

/** Answers about commits by question; the one that was asked for longest ago is forgotten first. */
class CommitMemory {
  readonly #answers = new Map<string, { answer: Promise<Buffer>; bytes: number }>();
  #bytes = 0;

  async recall(question: string, ask: () => Promise<Buffer>): Promise<Buffer> {
    const known = this.#answers.get(question);
    if (known !== undefined) {
      this.#answers.delete(question);
      this.#answers.set(question, known);
      return known.answer;
    }
    const kept = { answer: ask(), bytes: 0 };
    this.#answers.set(question, kept);
    try {
      const { length } = await kept.answer;
      if (length > mostBytesOfOne) this.#forget(question);
      else if (this.#answers.get(question) === kept) {
        kept.bytes = length + question.length;
        this.#bytes += kept.bytes;
        this.#makeRoom();
      }
    } catch {
      // Whoever asks again may be answered: git may have been busy, or the object may have been fetched since.
      this.#forget(question);
    }
    return kept.answer;
  }

  #makeRoom(): void {
    for (const [question, { bytes }] of this.#answers) {
      if (this.#bytes <= mostBytes) return;
      if (bytes > 0) this.#forget(question);
    }
  }

  #forget(question: string): void {
    this.#bytes -= this.#answers.get(question)?.bytes ?? 0;
    this.#answers.delete(question);
  }
}

const memories = new WeakMap<Repository, CommitMemory>();

/** What git printed for these arguments, which name an object by its hash: the answer is asked for once and remembered. */
export async function recallBytes(repository: Repository, args: readonly string[]): Promise<Buffer> {
  let memory = memories.get(repository);
  if (memory === undefined) memories.set(repository, (memory = new CommitMemory()));
  return memory.recall(args.join("\0"), () => repository.git.bytes(args));
}
