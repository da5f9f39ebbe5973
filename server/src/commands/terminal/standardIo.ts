import type { Io } from "./io.ts";
import { forTerminal } from "./ownSequences.ts";
import { fittedText } from "./table.ts";

/** Standard output and standard error: here all text that a verb writes becomes text that no terminal acts on. */
export function standardIo(json: boolean): Io {
  const { stdout, stderr } = process;
  const ofErrors = { terminal: stderr.isTTY, columns: stderr.columns };
  return {
    json,
    color: stdout.isTTY && stderr.isTTY && process.env["NO_COLOR"] === undefined,
    live: stderr.isTTY,
    terminal: stdout.isTTY,
    columns: stdout.isTTY ? stdout.columns : 100,
    out: (text) => stdout.write(forTerminal(text)),
    // What does not end its line is drawn again, and stays one line.
    err: (text) => stderr.write(forTerminal(text.endsWith("\n") ? fittedText(text, ofErrors) : text)),
  };
}

/** A reader that went away (`| head`) is no error. */
export function endWithReader(): void {
  process.stdout.on("error", (e: NodeJS.ErrnoException) => {
    if (e.code === "EPIPE") process.exit(0);
    throw e;
  });
}
