import type { Log, LogFn } from "../base/log.ts";
import { inBlock } from "../base/plainText.ts";

/** The part of a protocol connection that shows lines in the editor's log. */
type Console = Readonly<Record<"debug" | "info" | "warn" | "error", (line: string) => void>>;

/** Writes the engine's log into the editor's output channel: tag, phrase, data. */
export function connectionLog(console: Console): Log {
  const at =
    (level: keyof Console): LogFn =>
    (tag, message, data) =>
      console[level](inBlock(`[${tag}] ${message}${data ? ` ${JSON.stringify(data)}` : ""}`));
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
