/** A tag, a short verb phrase and structured data: `log.info("jobs", "started", { job })`. */
export type LogFn = (tag: string, message: string, data?: Readonly<Record<string, unknown>>) => void;
export interface Log {
  readonly debug: LogFn;
  readonly info: LogFn;
  readonly warn: LogFn;
  readonly error: LogFn;
}

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A log that writes one JSON object per line to `write`. */
export function jsonLog(write: (line: string) => void, level: keyof Log = "info"): Log {
  const levels = ["debug", "info", "warn", "error"] as const;
  const at =
    (own: keyof Log): LogFn =>
    (tag, message, data) => {
      if (levels.indexOf(own) < levels.indexOf(level)) return;
      write(`${JSON.stringify({ at: new Date().toISOString(), level: own, tag, message, ...data })}\n`);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
