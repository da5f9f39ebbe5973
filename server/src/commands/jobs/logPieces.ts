import { StringDecoder } from "node:string_decoder";

/** The bytes of a log, piece by piece, as text: no character is cut, and each state of a progress bar is a line. */
export class LogPieces {
  readonly #decoder = new StringDecoder("utf8");
  /** The last piece ended with a carriage return: a line feed that follows belongs to it. */
  #returned = false;

  text(bytes: Buffer): string {
    const piece = this.#decoder.write(bytes);
    if (piece === "") return "";
    const rest = this.#returned && piece.startsWith("\n") ? piece.slice(1) : piece;
    this.#returned = piece.endsWith("\r");
    return rest.replace(/\r\n?/g, "\n");
  }

  /** What was left of a cut character, when the log is over. */
  end(): string {
    return this.#decoder.end();
  }
}
