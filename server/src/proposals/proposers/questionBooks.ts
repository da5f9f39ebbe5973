/** What a question to a proposer has used so far. */
export interface Used {
  readonly calls: number;
  readonly tokens: number;
  /** In the currency of the model's price; 0 where it has none. */
  readonly money: number;
}

/** How a question to a proposer ended. */
export interface Ended {
  readonly model?: string;
  readonly prompt?: string;
  readonly drafts: readonly string[];
  /** In a sentence. */
  readonly outcome: string;
}

/**
 * The books of one question to a proposer: nothing is spent before they allow it, and all that was spent stays in them, also
 * after a crash.
 */
export interface QuestionBooks {
  /** Why a call that takes so much would not fit into the budgets, in a sentence; null where it does. */
  whyNot(next: { readonly tokens: number; readonly money: number }): Promise<string | null>;
  /** Adds what a call used. */
  spend(call: { readonly tokens: number; readonly money: number }): Promise<void>;
  /** Adds to the text that says how the question went; what others wrote has its control codes escaped. */
  trace(heading: string, text: string): Promise<void>;
  /** Writes into the ledger what was used and what came of it. */
  close(ended: Ended): Promise<void>;
}
