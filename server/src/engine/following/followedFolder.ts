/** A file of a followed folder, as it lies on this machine: the file itself, or its copy. */
export interface SeenFile {
  /** Absolute. */
  readonly path: string;
  /** Changes whenever the file does. */
  readonly stamp: string;
  /** Seconds since somebody wrote to it. */
  readonly quietFor: number;
}

/** A folder into which somebody else's run writes. It is only read. */
export interface FollowedFolder {
  /**
   * Its files of evidence as they are now. Copies are brought up to date before this returns.
   * @throws HarnessError notFound, badInput, hostUnreachable, hostRefused, diskFull, cancelled
   */
  look(signal: AbortSignal): Promise<readonly SeenFile[]>;
  /** Ends its connections. */
  close(): void;
}

const evidence = /\.(?:jsonl|json|csv|tsv|parquet|traj|eval|pkl)$/i;
const events = /^events\.out\.tfevents\./;
/** Parts of models and of their tokenizers, which are large and no evidence. */
const ofModels =
  /^(?:tokenizer|vocab|added_tokens|special_tokens_map|tokenizer_config)\.json$|\.index\.json$/i;

/** Whether a file may hold evidence, by its name: everything else in the folder of a run is left alone. */
export const mayBeEvidence = (name: string): boolean =>
  (evidence.test(name) || events.test(name)) && !ofModels.test(name);

/** The same for `find` on a host; it lets through a few more. */
export const evidencePatterns: readonly string[] = [
  ...["jsonl", "json", "csv", "tsv", "parquet", "traj", "eval", "pkl"].map((ending) => `*.${ending}`),
  "events.out.tfevents.*",
];

/** Whether writers append to a file of this name; all others are written as a whole. */
export const onlyGrows = (name: string): boolean => /\.(?:jsonl|csv|tsv)$/i.test(name) || events.test(name);
