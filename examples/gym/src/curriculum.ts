import type { CurriculumFile } from "./harness.ts";
import type { Random } from "./random.ts";
import type { Task } from "./domain.ts";

/** Hands out training items: every item once per pass, in random order; easy-first raises the allowed difficulty with time. */
export class Curriculum<T extends Task> {
  private readonly items: readonly T[];
  private readonly order: CurriculumFile["order"];
  private readonly random: Random;
  private queue: T[] = [];

  constructor(items: readonly T[], order: CurriculumFile["order"], random: Random) {
    this.items = items;
    this.order = order;
    this.random = random;
  }

  /** The next `count` items; `progress` goes from 0 to 1 over training. */
  next(count: number, progress: number): T[] {
    const chosen: T[] = [];
    while (chosen.length < count) {
      const item = this.queue.pop() ?? this.refill(progress).pop();
      if (item === undefined) throw new Error("There are no training items.");
      chosen.push(item);
    }
    return chosen;
  }

  private refill(progress: number): T[] {
    const shuffled = this.random.shuffle(this.items);
    const most = 0.15 + progress;
    const easy = this.order === "random" ? shuffled : shuffled.filter((p) => p.difficulty <= most);
    this.queue = easy.length > 0 ? easy : shuffled;
    return this.queue;
  }
}
