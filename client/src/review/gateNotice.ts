import * as vscode from "vscode";
import type { GateKey } from "../../../shared/protocol/views/gate.ts";
import type { ProjectChoice } from "../project/projectChoice.ts";
import type { ProposalsSource } from "./proposalsSource.ts";

/** How long a proposal has to wait before a person is told: a rule answers within moments. */
const settleMs = 2000;

/**
 * Tells once when a gate of a project begins to wait for a person; what waited before the project was first looked at is only in
 * the view.
 */
export function noticeGates(
  source: Pick<ProposalsSource, "state" | "waiting" | "onDidChange">,
  project: Pick<ProjectChoice, "titled">,
  review: (key: GateKey) => unknown,
): vscode.Disposable {
  /** Ids by project: another one may have proposals of the same name. */
  const known = new Map<string, Set<string>>();
  let timer: NodeJS.Timeout | undefined;
  const tell = async (): Promise<void> => {
    const { root, why } = source.state;
    const told = root === undefined ? undefined : known.get(root);
    if (root === undefined || told === undefined) return;
    const fresh = source.waiting.filter(({ id }) => !told.has(id));
    for (const { id } of fresh) told.add(id);
    const [first] = fresh;
    if (!first || why === null) return;
    const message =
      fresh.length === 1
        ? `${project.titled(first.id, root)} is waiting for your approval: ${first.title}`
        : `${project.titled(`${fresh.length} proposals`, root)} are waiting for your approval: ${fresh.map(({ id }) => id).join(", ")}`;
    const choice = await vscode.window.showInformationMessage(message, "Review");
    if (choice === "Review") await review({ root, id: first.id });
  };
  const subscription = source.onDidChange(({ root }) => {
    if (root === undefined) return;
    if (!known.has(root)) {
      known.set(root, new Set(source.waiting.map(({ id }) => id)));
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
