import * as vscode from "vscode";
import { inPalette } from "../../../shared/words/commandTitles.ts";
import type { EvolutionEvent } from "../../../shared/protocol/views/evolution.ts";
import { askEngine, valueOf } from "../connection/engineAnswer.ts";
import type { Server } from "../connection/languageClient.ts";
import { eventLine } from "./eventLine.ts";
import { LogTerminal, type Follow, type Piece } from "./logTerminal.ts";

type Streams = "stdout" | "stderr";
const keptKey = "evotrainer.followed";

type Dependencies = {
  readonly server: Server;
  readonly log: vscode.LogOutputChannel;
  readonly memento: vscode.Memento;
};

/** Terminals that follow what jobs print; after a reload of the window they follow on. */
export class Followers implements vscode.Disposable {
  readonly #deps: Dependencies;
  readonly #terminals = new Map<string, vscode.Terminal>();

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Follows again what was followed before the window was reloaded, without taking the focus. */
  restore(): void {
    for (const key of this.#deps.memento.get<unknown[]>(keptKey, []))
      if (typeof key === "string") this.#open(key);
  }

  job(id: string): void {
    this.#show(`job:${id}`);
  }

  evolution(): void {
    this.#show("evolution");
  }

  #show(key: string): void {
    const terminal = this.#terminals.get(key) ?? this.#open(key);
    terminal.show(true);
  }

  #open(key: string): vscode.Terminal {
    const job = key.startsWith("job:") ? key.slice(4) : undefined;
    const closed = (): void => {
      this.#terminals.delete(key);
      void this.#keep();
    };
    const failed = (error: unknown): void =>
      this.#deps.log.warn("[log] could not be read", error instanceof Error ? error.message : String(error));
    const follow: Follow = {
      ...(job === undefined ? this.#events() : this.#output(job)),
      closed,
      failed,
    };
    const terminal = vscode.window.createTerminal({
      name: job === undefined ? "Evolution" : `Log ${job}`,
      iconPath: new vscode.ThemeIcon("output"),
      pty: new LogTerminal(follow),
    });
    this.#terminals.set(key, terminal);
    void this.#keep();
    return terminal;
  }

  #keep(): Thenable<void> {
    return this.#deps.memento.update(keptKey, [...this.#terminals.keys()]);
  }

  /** Both streams of a job, each from its last 64 KiB on. */
  #output(job: string): Pick<Follow, "next" | "ending"> {
    const offsets: Partial<Record<Streams, number>> = {};
    const read = async (stream: Streams): Promise<Piece> => {
      const offset = offsets[stream];
      const params = { job, stream, ...(offset === undefined ? {} : { offset }) };
      const answer = await askEngine(this.#deps.server, { service: "jobs.log", params });
      const { text, next, size, over, restarted } = valueOf(answer);
      offsets[stream] = next;
      return {
        text: restarted ? `\n(the log was cut at its limit)\n${text}` : text,
        over,
        more: text !== "" && next < size,
      };
    };
    return {
      ending: `The job ${job} is over.`,
      next: async () => {
        const [out, errors] = [await read("stdout"), await read("stderr")];
        return {
          text: out.text + errors.text,
          over: out.over && errors.over,
          more: out.more || errors.more,
        };
      },
    };
  }

  /** What the evolution tells; a new process begins anew. */
  #events(): Pick<Follow, "next" | "ending"> {
    let place: { id?: string; offset: number } = { offset: 0 };
    return {
      ending: `The evolution's process has ended; it goes on with “${inPalette("evotrainer.continueEvolution")}”.`,
      next: async () => {
        const answer = await askEngine(this.#deps.server, { service: "evolution.events", params: place });
        const { id, events, next, over } = valueOf(answer);
        place = { ...(id === null ? {} : { id }), offset: next };
        const lines = events.map((event: EvolutionEvent) => eventLine(event)).filter((line) => line !== "");
        return { text: lines.map((line) => `${line}\n`).join(""), over, more: events.length > 0 };
      },
    };
  }

  dispose(): void {
    // The terminals end with the window; what was followed stays written down.
  }
}
