/** What the tests need from a Ray, real or replaying recorded answers. */
export interface TestRay {
  /** host:port of its dashboard. */
  readonly address: string;
  /** Kills Ray's process for the job whose entrypoint contains this text, as the loss of a worker would. */
  endSupervisor(directory: string): void;
  /** Silences the dashboard, or lets it answer again; the jobs run on. */
  dashboard(state: "down" | "up"): Promise<void>;
  stop(): Promise<void>;
}
