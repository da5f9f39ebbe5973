import { inBlock } from "./plainText.ts";

/** Writes a message to standard error as plain text, for what fails outside a verb. */
export function writeError(message: string): void {
  process.stderr.write(`${inBlock(message)}\n`);
}
