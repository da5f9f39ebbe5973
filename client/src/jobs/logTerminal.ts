import * as vscode from "vscode";
import { LogText } from "./logText.ts";

/** A piece of what is followed, and whether nothing more will come. */
export type Piece = { readonly text: string; readonly over: boolean; readonly more: boolean };

export type Follow = {
  /** The next piece; it is asked for again after a pause, at once when there is more. */
  readonly next: () => Promise<Piece>;
  /** Said at the end. */
  readonly ending: () => string;
  readonly closed: () => void;
  readonly failed: (error: unknown) => void;
};

const pauseMs = 500;

/**
 * A terminal that prints and takes nothing: what is typed is dropped, and what is printed is coloured text at most. Ends
 * asking when it is closed.
 */
export class LogTerminal implements vscode.Pseudoterminal {
  readonly #written = new vscode.EventEmitter<string>();
  readonly #named = new vscode.EventEmitter<string>();
  readonly #text = new LogText();
  readonly #follow: Follow;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  readonly onDidWrite = this.#written.event;
  readonly onDidChangeName = this.#named.event;

  constructor(follow: Follow) {
    this.#follow = follow;
  }

  rename(name: string): void {
    this.#named.fire(name);
  }

  open(): void {
    void this.#step();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#follow.closed();
  }

  async #step(): Promise<void> {
    try {
      const { text, over, more } = await this.#follow.next();
      if (this.#closed) return;
      if (text !== "") this.#written.fire(this.#text.push(text));
      if (over && !more) {
        this.#written.fire(`${this.#text.end()}\r\n\u001b[2m${this.#follow.ending()}\u001b[0m\r\n`);
        return;
      }
      this.#timer = setTimeout(() => void this.#step(), more ? 0 : pauseMs);
    } catch (error) {
      if (this.#closed) return;
      this.#follow.failed(error);
      this.#timer = setTimeout(() => void this.#step(), 5000);
    }
  }
}
