/** What an edited condition does on the archive so far. */
export type ConditionEffect = {
  readonly type: "condition";
  readonly rollouts: number;
  readonly labelled: number;
  /** Rollouts for which the condition has no value. */
  readonly undecided: number;
  readonly done: boolean;
  /** Share that the saved text labels, once that is known. */
  readonly before: number | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
};

/** What an edited reward does on the archived groups of a version. */
export type RewardEffect = {
  readonly type: "reward";
  readonly version: string;
  readonly groups: number;
  readonly deadBefore: number;
  readonly deadAfter: number;
  readonly noOp: boolean;
  /** The first value that is another one than in the saved text, as a dotted path; undefined where only keys went. */
  readonly changed: string | undefined;
  readonly at: number;
};

export type Effect =
  | ConditionEffect
  | RewardEffect
  /** Why there is no number, in a few words. */
  | { readonly type: "none"; readonly because: string; readonly at: number };

/** The newest effect of a file's text; undefined where nothing was asked. */
export type Effects = (file: string) => Effect | undefined;
