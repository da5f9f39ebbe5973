/** The document of `evotrainer budget --json`. Hours, units of the currency, or counts. */
export interface BudgetReport {
  /** When the evolution began whose budgets these are; null before there is one. */
  readonly since: string | null;
  readonly currency: string | null;
  /** From the jobs of how many versions `next` is known; 0: it is the limit of a job, which it cannot exceed. */
  readonly from: number;
  /** Of versions that count for nothing here, because no trusted key signed them, and what to do; null without any. */
  readonly untrusted: string | null;
  readonly budgets: readonly {
    readonly name: "gpuHours" | "money" | "wallClockHours" | "versions" | "trainings" | "tokens";
    /** Null without a limit. */
    readonly limit: number | null;
    readonly spent: number;
    readonly left: number | null;
    /** What the next version will take. */
    readonly next: number;
  }[];
}
