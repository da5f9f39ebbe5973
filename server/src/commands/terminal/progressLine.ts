import { inLine } from "../../base/plainText.ts";
import type { Io } from "./io.ts";
import { ownSequence } from "./ownSequences.ts";

const clearLine = ownSequence("\r\u001b[2K");

/** One line that is written over by the next one, where standard error is a terminal; "" takes it away. */
export function showProgress(io: Io, message: string): void {
  if (io.live) io.err(clearLine + inLine(message));
}
