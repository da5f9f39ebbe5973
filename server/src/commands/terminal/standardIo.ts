import type { Io } from "./io.ts";
import { forTerminal } from "./ownSequences.ts";
import { fittedText } from "./table.ts";

/** Standard output and standard error: here all text that a verb writes becomes text that no terminal acts on. */
export function standardIo(json: boolean): Io {
  const { stdout, stderr } = process;
  const ofErrors = { terminal: stderr.isTTY, columns: columnsOf(stderr) };
  return {
    json,
    color: stdout.isTTY && stderr.isTTY && process.env["NO_COLOR"] === undefined,
    live: stderr.isTTY,
    terminal: stdout.isTTY,
    columns: stdout.isTTY ? columnsOf(stdout) : 100,
    out: (text) => stdout.write(forTerminal(text)),
    // What does not end its line is drawn again, and stays one line.
    err: (text) => stderr.write(forTerminal(text.endsWith("\n") ? fittedText(text, ofErrors) : text)),
  };
}

/** The width of a terminal; some, such as that of script(1) without one around it, say that they have none. */
const columnsOf = ({ columns }: { readonly columns?: number }): number =>
  columns === undefined || columns === 0 ? 80 : columns;

/** A reader that went away (`| head`) is no error. */
export function endWithReader(): void {
  process.stdout.on("error", (e: NodeJS.ErrnoException) => {
    if (e.code === "EPIPE") process.exit(0);
    throw e;
  });
}
