/** A tag, a short verb phrase and structured data: `log.info("jobs", "started", { job })`. */
export type LogFn = (tag: string, message: string, data?: Readonly<Record<string, unknown>>) => void;
export interface Log {
  readonly debug: LogFn;
  readonly info: LogFn;
  readonly warn: LogFn;
  readonly error: LogFn;
}

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
