import * as vscode from "vscode";
import {
  backtestProtocol,
  FromBacktest,
  ToBacktest,
  type BacktestTarget,
} from "../../../shared/protocol/views/backtest.ts";
import { parseRolloutName } from "../../../shared/model/rolloutName.ts";
import { LensTarget, type ReportReply } from "../../../shared/protocol/lsp.ts";
import type { Server } from "../connection/languageClient.ts";
import { SinglePanel } from "../page/singlePanel.ts";
import { failureMessage, shownFailure } from "../shell/failures.ts";

type Dependencies = {
  readonly extensionUri: vscode.Uri;
  readonly server: Pick<Server, "report">;
  readonly log: vscode.LogOutputChannel;
  readonly openRollout: (root: string, rollout: { run: string; id: string }, label: string) => unknown;
};

/** The panel that shows what a spec would have made of the archive. Closed or torn down, it asks again. */
export class BacktestPanel implements vscode.Disposable {
  readonly #deps: Dependencies;
  readonly #panel: SinglePanel<ToBacktest, typeof FromBacktest>;
  #target: BacktestTarget | undefined;
  #asked = 0;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#panel = new SinglePanel({
      extensionUri: deps.extensionUri,
      log: deps.log,
      type: "evotrainer.backtest",
      view: "backtest",
      title: "Backtest",
      messages: () => FromBacktest,
      receive: (message) => this.#receive(message),
    });
  }

  /** Replays the spec that a code lens stands above. Without one there is nothing to show. */
  async show(argument: unknown): Promise<void> {
    const target = LensTarget.safeParse(argument).data;
    if (!target) {
      void vscode.window.showInformationMessage(
        "Click the line that EvoTrainer shows above a label or a reward in a spec.",
      );
      return;
    }
    this.#target = target;
    const isOpen = this.#panel.visible;
    this.#panel.show();
    // A page that was not to be seen asks when it is ready.
    if (isOpen) await this.#replay();
  }

  async #receive(message: FromBacktest): Promise<unknown> {
    switch (message.type) {
      case "ready":
        return this.#target === undefined ? undefined : this.#replay();
      case "again":
        if (this.#target !== undefined) return undefined;
        this.#target = message.target;
        return this.#replay();
      case "rollout": {
        const rollout = parseRolloutName(message.name);
        if (rollout === undefined || this.#target === undefined) return undefined;
        return this.#deps.openRollout(this.#target.root, rollout, message.label);
      }
    }
  }

  async #replay(): Promise<void> {
    const target = this.#target;
    if (target === undefined) return;
    const asked = ++this.#asked;
    this.#post(target, { type: "loading" });
    let reply: ReportReply;
    try {
      reply = await this.#deps.server.report("backtest", target);
    } catch (e) {
      // The page would say for ever that it replays.
      const message = failureMessage(shownFailure("Backtest", e));
      if (asked === this.#asked) this.#post(target, { type: "refused", message });
      throw e;
    }
    if (asked !== this.#asked) return;
    const { title, text, found } = reply;
    this.#panel.title = title;
    const type = target.subject.endsWith(".reward.yaml") ? "reward" : "diagnostic";
    const state = ToBacktest.shape.state.safeParse({ type, title, found });
    this.#post(target, state.success ? state.data : { type: "refused", message: text });
  }

  #post(target: BacktestTarget, state: ToBacktest["state"]): void {
    this.#panel.post({ protocol: backtestProtocol, type: "state", target, state });
  }

  dispose(): void {
    this.#panel.dispose();
  }
}
