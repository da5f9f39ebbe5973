import { TestProcess } from "./testProcess.mjs";

/**
 * Runs tasks side by side: what waits in another place than what computes, and so the processors always have work. A place
 * takes tasks of its first lane; when none of them can begin, of the next. In a lane the heaviest task goes first.
 */
export class Lanes {
  #waiting = [];
  #places;
  #free;
  #workers;

  /** @param {readonly (readonly string[])[]} places the lanes that each place takes tasks of */
  constructor(places) {
    // What computes fills the time in which the others wait; those take longest, and must not wait for it as well.
    this.#places = places.map((lanes, order) => ({
      lanes,
      order,
      worker: new TestProcess({ givesWay: lanes[0] === "computes" }),
    }));
    this.#free = [...this.#places];
    this.#workers = this.#places.map(({ worker }) => worker);
    process.once("exit", () => this.end());
  }

  /**
   * @template T
   * @param {{ lane: string, weight?: number, run: (worker: TestProcess) => Promise<T> }} task
   *   run: works by itself, or has the worker of its place do the work
   * @returns {Promise<T>}
   */
  add({ lane, weight = 0, run }) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ lane, weight, run, resolve, reject });
      // Those that can begin at the same time are sorted before the first of them does.
      setImmediate(() => this.#begin());
    });
  }

  /** From now on the places whose first lane this is take tasks of `others` too. */
  alsoTakes(lane, others) {
    for (const place of this.#places) if (place.lanes[0] === lane) place.lanes = [lane, ...others];
    this.#begin();
  }

  /** Ends the processes after what they left running for other files. */
  async close() {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }

  end() {
    for (const worker of this.#workers) worker.end();
  }

  #next(lanes) {
    for (const lane of lanes) {
      const task = this.#waiting
        .filter((other) => other.lane === lane)
        .reduce((best, other) => (best && best.weight >= other.weight ? best : other), undefined);
      if (task) return task;
    }
    return undefined;
  }

  #begin() {
    for (const place of [...this.#free].sort((a, b) => a.order - b.order)) {
      const task = this.#next(place.lanes);
      if (!task) continue;
      this.#waiting.splice(this.#waiting.indexOf(task), 1);
      this.#free.splice(this.#free.indexOf(place), 1);
      const freed = () => {
        this.#free.push(place);
        this.#begin();
      };
      task.run(place.worker).then(task.resolve, task.reject).finally(freed);
    }
  }
}
