/** One thing that a proposer can ask of the evidence. */
export interface EvidenceTool {
  readonly name: string;
  /** When to call it and what it answers. */
  readonly description: string;
  /** The JSON Schema of its input, an object. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** The tools by which proposers read the evidence: the same as MCP's, without those that write. */
export interface EvidenceTools {
  readonly tools: readonly EvidenceTool[];
  /** Its answer, or what was wrong with the call; only a fault and a cancellation are thrown. */
  call(
    name: string,
    input: unknown,
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly isError: boolean }>;
}
