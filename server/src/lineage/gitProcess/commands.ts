export interface GitOptions {
  /** Written to the command's standard input. */
  readonly input?: string | Uint8Array;
  /** Added to the environment; only the names in `ownVariables` pass. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Git commands bound to one folder. User hooks never run, nothing asks on a terminal, messages are in English. */
export interface Git {
  /** Standard output without its last newline. Throws GitError when the command fails. */
  text(args: readonly string[], options?: GitOptions): Promise<string>;
  /** As `text`, but undefined when the command exits with 1: for commands whose "no" is an answer. */
  answer(args: readonly string[], options?: GitOptions): Promise<string | undefined>;
  bytes(args: readonly string[], options?: GitOptions): Promise<Buffer>;
  /** Hands standard output to `onChunk` as it arrives. */
  stream(args: readonly string[], onChunk: (chunk: Buffer) => void, options?: GitOptions): Promise<void>;
}
