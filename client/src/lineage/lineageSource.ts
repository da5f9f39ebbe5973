import * as vscode from "vscode";
import type { LineagePage, LineageVersion } from "../../../shared/protocol/views/lineage.ts";
import { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";
import type { Server } from "../connection/languageClient.ts";
import { absenceOf, emptyState, type LineageState } from "./lineageState.ts";

/** So many pages with changes are kept for a panel that opens later; beyond that everything is asked for once more. */
const mostPages = 400;

/** The one holder of the lineage: the side bar, the status bar and the panel all show what it has. */
export class LineageSource implements vscode.Disposable {
  readonly #server: Server;
  readonly #log: vscode.LogOutputChannel;
  readonly #changed = new vscode.EventEmitter<LineageState>();
  readonly #paged = new vscode.EventEmitter<LineagePage>();
  readonly #subscription: vscode.Disposable;
  /** The lineage is another one, or there is none; after each answer, once it is whole. */
  readonly onDidChange = this.#changed.event;
  /** Some versions came or changed. */
  readonly onPage = this.#paged.event;
  #state: LineageState = { type: "loading" };
  #pages: LineagePage[] = [];
  #root: string | undefined;
  /** What the last whole answer left us with. */
  #since = 0;
  #asked = 0;

  constructor(server: Server, log: vscode.LogOutputChannel) {
    this.#server = server;
    this.#log = log;
    this.#subscription = server.onChange(() => void this.refresh());
  }

  get state(): LineageState {
    return this.#state;
  }

  /** Everything that came, in the order in which it came. */
  get pages(): readonly LineagePage[] {
    return this.#pages;
  }

  /** All versions, parents before their children; none where there is no lineage. */
  get versions(): LineageVersion[] {
    if (this.#state.type !== "lineage") return [];
    const { table } = this.#state;
    return Array.from({ length: table.total }, (_, i) => table.version(i)).filter((v) => v !== undefined);
  }

  /** The project that the lineage is of. */
  get root(): string | undefined {
    return this.#root;
  }

  /** Asks for what changed. An answer that a later question has overtaken is dropped. */
  async refresh(): Promise<void> {
    const asked = ++this.#asked;
    const isLate = (): boolean => asked !== this.#asked;
    if (this.#server.state() === "starting") return this.#tell({ type: "loading" });
    if (this.#server.state() === "stopped") return this.#tell(emptyState("stopped"));
    if (this.#pages.length > mostPages) this.#forget();
    try {
      for (let below: number | undefined; ;) {
        const epoch = this.#pages.at(-1)?.epoch;
        const reply = await this.#server.lineage({
          ...(epoch === undefined ? {} : { epoch, since: this.#since }),
          ...(below === undefined ? {} : { below }),
        });
        if (isLate()) return;
        if (reply.type !== "lineage") {
          this.#forget();
          await this.#tell(absenceOf(reply));
          return;
        }
        const { page, root } = reply;
        this.#root = root;
        this.#take(page);
        below = page.index.at(-1);
        if (page.rest > 0 && below !== undefined) continue;
        this.#since = page.revision;
        await this.#tell(page.total === 0 ? emptyState("noVersions") : this.#state);
        return;
      }
    } catch (e) {
      if (isLate()) return;
      // The server went down while it was asked, or answered what no server of this version answers.
      this.#log.error("[lineage] could not be read", e instanceof Error ? (e.stack ?? e.message) : String(e));
      this.#forget();
      await this.#tell(emptyState(this.#server.state() === "running" ? "unreadable" : "stopped"));
    }
  }

  #take(page: LineagePage): void {
    const isOther = page.epoch !== this.#pages.at(-1)?.epoch;
    if (isOther) [this.#pages, this.#since] = [[], 0];
    const table = !isOther && this.#state.type === "lineage" ? this.#state.table : new LineageTable();
    table.apply(page);
    if (page.total === 0) return;
    this.#state = { type: "lineage", table };
    // Nothing changed: there is nothing to keep, nor to tell.
    if (page.index.length === 0 && !isOther) return;
    this.#pages.push(page);
    this.#paged.fire(page);
    if (isOther) this.#changed.fire(this.#state);
  }

  #forget(): void {
    this.#pages = [];
    this.#since = 0;
    if (this.#state.type === "lineage") this.#state = { type: "loading" };
  }

  async #tell(state: LineageState): Promise<void> {
    this.#state = state;
    if (state.type !== "lineage") this.#forget();
    await vscode.commands.executeCommand(
      "setContext",
      "evotrainer.empty",
      state.type === "empty" ? state.reason : "",
    );
    // While the editor was told, a later answer has come: whoever heard this one after it would let go of that.
    if (this.#state === state) this.#changed.fire(state);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
    this.#paged.dispose();
  }
}
