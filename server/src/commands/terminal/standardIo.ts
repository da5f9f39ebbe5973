import type { Io } from "./io.ts";
import { forTerminal } from "./ownSequences.ts";

/** Standard output and standard error: here all text that a verb writes becomes text that no terminal acts on. */
export function standardIo(json: boolean): Io {
  const { stdout, stderr } = process;
  return {
    json,
    color: stdout.isTTY && stderr.isTTY && process.env["NO_COLOR"] === undefined,
    live: stderr.isTTY,
    columns: stderr.isTTY ? stderr.columns : 100,
    out: (text) => stdout.write(forTerminal(text)),
    err: (text) => stderr.write(forTerminal(text)),
  };
}

/** A reader that went away (`| head`) is no error. */
export function endWithReader(): void {
  process.stdout.on("error", (e: NodeJS.ErrnoException) => {
    if (e.code === "EPIPE") process.exit(0);
    throw e;
  });
}
