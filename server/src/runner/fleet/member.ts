import { budgetTexts } from "../../../../shared/model/budgetText.ts";
import type { HostBudget, HostPrice } from "../../../../shared/spec/host.ts";
import type { Executor } from "../job/executor.ts";
import type { Place } from "./schedule.ts";
import {
  budgetBegins,
  fits,
  fitsFrom,
  hourlyPrice,
  spentSince,
  type RunRecord,
  type Spending,
} from "./spending.ts";

/** A machine that a fleet may use. */
export interface FleetHost {
  /** Host in evotrainer.yaml; null for this machine. */
  readonly host: string | null;
  /** What it is called in messages. */
  readonly name: string;
  /** Jobs that may be there at the same time. */
  readonly slots: number;
  /** GPUs of each job. */
  readonly gpus: number;
  readonly price?: HostPrice | undefined;
  readonly budget?: HostBudget | undefined;
  /** Jobs that begin together are handed over in one go. */
  readonly inOneGo: boolean;
  readonly executor: Executor;
}

/** What budgets are reckoned with: all runs, when the evolution began, and the time. In milliseconds since 1970. */
export interface Books {
  readonly runs: readonly RunRecord[];
  readonly since: number;
  readonly now: number;
}

const retryMilliseconds = [1000, 3000, 10_000, 30_000];

/** A machine of a fleet, and what has been heard of it. */
export class Member {
  readonly spec: FleetHost;
  /** Jobs that have a place there. */
  busy = 0;
  /** Of those, the ones that wait for the machine itself. */
  readonly waiting = new Set<string>();
  /** Jobs that are over and have given up their place, and that are still being closed. */
  readonly #closing = new Set<string>();
  awayUntil = 0;
  /** How often in a row it did not answer. */
  failures = 0;
  wasHeard = false;
  readonly #retry: readonly number[];

  constructor(spec: FleetHost, retry: readonly number[] = retryMilliseconds) {
    this.spec = spec;
    this.#retry = retry;
  }

  heard(): void {
    this.wasHeard = true;
    this.failures = 0;
    this.awayUntil = 0;
  }

  /** It is passed over for a while, longer each time. */
  notHeard(now: number): void {
    this.awayUntil = now + (this.#retry[Math.min(this.failures, this.#retry.length - 1)] ?? 1000);
    this.failures++;
  }

  free(run: string): void {
    if (!this.#closing.delete(run)) this.busy--;
    this.waiting.delete(run);
  }

  /** A job gives up its place before it is closed. */
  isOver(run: string): void {
    if (this.#closing.has(run)) return;
    this.#closing.add(run);
    this.busy--;
  }

  /** This machine for a job that may take so many hours. */
  placeFor(hours: number, books: Books): Place {
    const { name, slots, budget, price, gpus } = this.spec;
    const perHour = hourlyPrice(price, gpus);
    const wants = { hours, cost: hours * perHour };
    const isFit = fits(budget, this.spent(books), wants);
    return {
      name,
      slots,
      busy: this.busy,
      waiting: this.waiting.size,
      closing: this.#closing.size,
      price: perHour,
      awayUntil: this.awayUntil,
      fits: isFit,
      fitsFrom:
        isFit || budget === undefined
          ? undefined
          : fitsFrom(budget, this.#own(books), price, { ...wants, now: books.now }),
    };
  }

  /** What its jobs took, and may still take, of its budget. */
  spent(books: Books): Spending {
    const { budget, price } = this.spec;
    const since = budget === undefined ? books.since : budgetBegins(budget, books.since, books.now);
    return spentSince(this.#own(books), price, { since, now: books.now });
  }

  /** That in words. */
  spentText(books: Books): string {
    const { name, budget, price } = this.spec;
    const { hours, cost } = this.spent(books);
    const parts = budgetTexts(
      {
        hours: budget?.hours === undefined ? null : { taken: hours, limit: budget.hours },
        cost: budget?.cost === undefined ? null : { taken: cost, limit: budget.cost },
      },
      price?.currency,
    );
    return `${name} has used or reserved ${parts.join(" and ")}`;
  }

  #own({ runs }: Books): RunRecord[] {
    return runs.filter(({ host }) => host === this.spec.host);
  }
}
