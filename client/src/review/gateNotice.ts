import * as vscode from "vscode";
import type { ProposalsSource } from "./proposalsSource.ts";

/** How long a proposal has to wait before a person is told: a rule answers within moments. */
const settleMs = 2000;

/** Tells once when a gate begins to wait for a person; what waited before the window opened is only in the view. */
export function noticeGates(source: ProposalsSource, review: (id: string) => unknown): vscode.Disposable {
  let known: Set<string> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const tell = async (): Promise<void> => {
    const fresh = source.waiting.filter(({ id }) => known?.has(id) !== true);
    for (const { id } of fresh) known?.add(id);
    const [first] = fresh;
    if (!first || source.state.why === null) return;
    const message =
      fresh.length === 1
        ? `${first.id} is waiting for your approval: ${first.title}`
        : `${fresh.length} proposals are waiting for your approval: ${fresh.map(({ id }) => id).join(", ")}`;
    const choice = await vscode.window.showInformationMessage(message, "Review");
    if (choice === "Review") await review(first.id);
  };
  const subscription = source.onDidChange(({ root }) => {
    if (root === undefined) return;
    if (known === undefined) {
      known = new Set(source.waiting.map(({ id }) => id));
      return;
    }
    clearTimeout(timer);
    timer = setTimeout(() => void tell(), settleMs);
  });
  return new vscode.Disposable(() => {
    clearTimeout(timer);
    subscription.dispose();
  });
}
