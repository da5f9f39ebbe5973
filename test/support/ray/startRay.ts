/** What the tests ask of a Ray, whether it is a real one or one that replays recorded answers. */
export interface TestRay {
  /** host:port of its dashboard. */
  readonly address: string;
  /** Kills what Ray runs for the job with this entrypoint in it, as the loss of its worker would. */
  endSupervisor(directory: string): void;
  /** Silences the dashboard, or lets it answer again; jobs run on. */
  dashboard(state: "down" | "up"): Promise<void>;
  stop(): Promise<void>;
}
