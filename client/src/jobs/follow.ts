import * as vscode from "vscode";
import { inPalette } from "../../../shared/words/commandTitles.ts";
import type { EvolutionEvent } from "../../../shared/protocol/views/evolution.ts";
import { askEngine, valueOf } from "../connection/engineAnswer.ts";
import type { Server } from "../connection/languageClient.ts";
import type { InProject } from "../page/inProject.ts";
import type { ProjectChoice } from "../project/projectChoice.ts";
import { KeptFollowed } from "../shell/inputSchemas.ts";
import { eventLine } from "./eventLine.ts";
import { LogTerminal, type Follow, type Piece } from "./logTerminal.ts";

type Streams = "stdout" | "stderr";
const keptKey = "evotrainer.followed";

/** A job, or the evolution where it is null, of a project, or of the one that is open where that is null. */
type Followed = { readonly root: string | null; readonly job: string | null };

type Open = { readonly what: Followed; readonly terminal: vscode.Terminal; readonly text: LogTerminal };

const inRoot = (root: string | null): { readonly root?: string } => (root === null ? {} : { root });

type Dependencies = {
  readonly server: Server;
  readonly project: Pick<ProjectChoice, "titled" | "current" | "onDidChange">;
  readonly log: vscode.LogOutputChannel;
  readonly memento: vscode.Memento;
};

/** Terminals that follow what jobs print; after a reload of the window they follow on. */
export class Followers implements vscode.Disposable {
  readonly #deps: Dependencies;
  readonly #terminals = new Map<string, Open>();
  readonly #subscription: vscode.Disposable;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#subscription = deps.project.onDidChange(() => {
      for (const { what, text } of this.#terminals.values()) text.rename(this.#nameOf(what));
    });
  }

  /** Follows again what was followed before the window was reloaded, without taking the focus. */
  restore(): void {
    const kept = this.#deps.memento.get<unknown[]>(keptKey, []);
    for (const one of kept) {
      const what = KeptFollowed.safeParse(one).data;
      if (what !== undefined) this.#open(what);
    }
  }

  job({ root, id }: InProject): void {
    this.#show({ root, job: id });
  }

  /** Of the project that is chosen now where none is named. */
  evolution(root = this.#deps.project.current): void {
    this.#show({ root: root ?? null, job: null });
  }

  #show(what: Followed): void {
    const { terminal } = this.#terminals.get(JSON.stringify(what)) ?? this.#open(what);
    terminal.show(true);
  }

  #nameOf({ root, job }: Followed): string {
    return this.#deps.project.titled(job === null ? "Evolution" : `Log ${job}`, root ?? undefined);
  }

  #open(what: Followed): Open {
    const { job } = what;
    const key = JSON.stringify(what);
    const closed = (): void => {
      this.#terminals.delete(key);
      void this.#keep();
    };
    const failed = (error: unknown): void =>
      this.#deps.log.warn("[log] could not be read", error instanceof Error ? error.message : String(error));
    const follow: Follow = {
      ...(job === null ? this.#events(what.root) : this.#output(what.root, job)),
      closed,
      failed,
    };
    const text = new LogTerminal(follow);
    const terminal = vscode.window.createTerminal({
      name: this.#nameOf(what),
      iconPath: new vscode.ThemeIcon("output"),
      pty: text,
    });
    const open = { what, terminal, text };
    this.#terminals.set(key, open);
    void this.#keep();
    return open;
  }

  #keep(): Thenable<void> {
    const all = [...this.#terminals.keys()].map((key): unknown => JSON.parse(key));
    return this.#deps.memento.update(keptKey, all);
  }

  /** Both streams of a job, each from its last 64 KiB on. */
  #output(root: string | null, job: string): Pick<Follow, "next" | "ending"> {
    const offsets: Partial<Record<Streams, number>> = {};
    const read = async (stream: Streams): Promise<Piece> => {
      const offset = offsets[stream];
      const params = { job, stream, ...(offset === undefined ? {} : { offset }) };
      const answer = await askEngine(this.#deps.server, {
        ...{ ...inRoot(root), service: "jobs.log" as const },
        params,
      });
      const { text, next, size, over, restarted } = valueOf(answer);
      offsets[stream] = next;
      return {
        text: restarted ? `\n(the log was cut at its limit)\n${text}` : text,
        over,
        more: text !== "" && next < size,
      };
    };
    return {
      ending: () => `The job ${job} is over.`,
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
  #events(root: string | null): Pick<Follow, "next" | "ending"> {
    let place: { id?: string; offset: number } = { offset: 0 };
    return {
      ending: () => {
        const { project } = this.#deps;
        const isOther = root !== null && project.current !== undefined && root !== project.current;
        const first = isOther
          ? `choose ${project.titled("its project", root)} with “${inPalette("evotrainer.selectProject")}” and `
          : "";
        return `The evolution's process has ended; ${first}run “${inPalette("evotrainer.continueEvolution")}” to go on.`;
      },
      next: async () => {
        const answer = await askEngine(this.#deps.server, {
          ...{ ...inRoot(root), service: "evolution.events" as const },
          params: place,
        });
        const { id, events, next, over } = valueOf(answer);
        place = { ...(id === null ? {} : { id }), offset: next };
        const lines = events.map((event: EvolutionEvent) => eventLine(event)).filter((line) => line !== "");
        return { text: lines.map((line) => `${line}\n`).join(""), over, more: events.length > 0 };
      },
    };
  }

  dispose(): void {
    this.#subscription.dispose();
    // The terminals end with the window; what was followed stays written down.
  }
}
