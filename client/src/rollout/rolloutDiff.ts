import * as vscode from "vscode";
import { outcomeLooks } from "../../../shared/words/decisions.ts";
import { value } from "../../../shared/words/numbers.ts";
import { RolloutKey, type ShownRollout } from "../../../shared/protocol/views/rollout.ts";
import type { ServiceResult } from "../../../shared/protocol/editorServices.ts";
import { askEngine } from "../connection/engineAnswer.ts";
import type { Server } from "../connection/languageClient.ts";
import { addressIn } from "../shell/addresses.ts";
import { KnownFailure } from "../shell/failures.ts";
import { rolloutText } from "./rolloutText.ts";

type ListedRollout = ServiceResult<"rollouts.list">["rollouts"][number];

export const rolloutTextScheme = "evotrainer-rollout-text";
/** More candidates than anybody looks through. */
const mostCandidates = 50;
const mostVersions = 20;

type Asks = Pick<Server, "engine" | "state">;

/** Trajectories as texts of their own scheme, for the editor's diff. */
export class RolloutTexts implements vscode.TextDocumentContentProvider {
  readonly #server: Asks;
  constructor(server: Asks) {
    this.#server = server;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const key = addressIn(uri, RolloutKey);
    if (!key) throw new KnownFailure(`${uri.toString(true)} is not the address of a rollout.`);
    const answer = await readRollout(this.#server, key);
    return answer.type === "none"
      ? `${answer.cause} ${answer.advice}`
      : rolloutText(answer.value.rollout.turns).text;
  }
}

const readRollout = (server: Asks, { root, within, id }: RolloutKey) =>
  askEngine(server, { root, service: "rollouts.show", params: { within, id } });

function textUri(key: RolloutKey): vscode.Uri {
  const path = `/${encodeURIComponent(key.within)}/${encodeURIComponent(key.id)}`;
  return vscode.Uri.from({ scheme: rolloutTextScheme, path, query: JSON.stringify(key) });
}

/** Lets a person choose another rollout of the same item, and opens both in a diff at the first action that differs. */
export async function compareRollout(server: Asks, root: string, shown: ShownRollout): Promise<void> {
  const other = await chooseOther(server, root, shown);
  if (!other) return;
  await showRolloutPair(
    server,
    { root, within: shown.rollout.run, id: shown.rollout.id },
    { root, within: other.run, id: other.id },
  );
}

/** Opens two rollouts of a project in a diff, at the first action that differs. */
export async function showRolloutPair(server: Asks, a: RolloutKey, b: RolloutKey): Promise<void> {
  const question = { root: b.root, service: "rollouts.divergence", params: { a, b } } as const;
  const parted = await askEngine(server, question);
  const turn = parted.type === "answer" ? parted.value.divergence?.b : undefined;
  const right = turn === undefined || turn === null ? undefined : await readRollout(server, b);
  const line = right?.type === "answer" ? rolloutText(right.value.rollout.turns).lines[turn ?? 0] : undefined;
  const at = line === undefined ? undefined : new vscode.Range(line, 0, line, 0);
  await vscode.commands.executeCommand(
    "vscode.diff",
    textUri(a),
    textUri(b),
    `${a.within}/${a.id} ↔ ${b.within}/${b.id}`,
    at ? { selection: at } : {},
  );
}

async function chooseOther(
  server: Asks,
  root: string,
  shown: ShownRollout,
): Promise<ListedRollout | undefined> {
  const { rollout } = shown;
  const { split } = rollout;
  const versions = await askEngine(server, { root, service: "versions.list", params: {} });
  const names = versions.type === "answer" ? versions.value.map(({ version }) => version) : [];
  // Those of the same version first, then of the newest ones.
  const ordered = [shown.version, ...names.filter((name) => name !== shown.version).reverse()];
  const found: (vscode.QuickPickItem & { readonly row: ListedRollout })[] = [];
  for (const version of ordered.slice(0, mostVersions)) {
    // The audit split is sealed: no other rollout of it can be listed.
    if (split === "audit") break;
    const params = { version, split, item: rollout.item, limit: mostCandidates };
    const page = await askEngine(server, { root, service: "rollouts.list", params });
    if (page.type === "none") continue;
    for (const row of page.value.rollouts)
      if (row.run !== rollout.run || row.id !== rollout.id) found.push({ ...itemOf(row), row });
    if (found.length >= mostCandidates) break;
  }
  if (found.length === 0) {
    void vscode.window.showInformationMessage(
      `There is no other rollout of ${rollout.item} to compare with.`,
    );
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(found, {
    title: `Compare ${rollout.run}/${rollout.id} with`,
    placeHolder: `Another rollout of ${rollout.item}`,
    matchOnDescription: true,
  });
  return chosen?.row;
}

function itemOf(row: ListedRollout): vscode.QuickPickItem {
  const icon = `$(${outcomeLooks[row.outcome].icon})`;
  const reward = row.reward === null ? "" : `, reward ${value(row.reward)}`;
  const step = row.step === null ? "" : `, step ${row.step}`;
  return {
    label: `${icon} ${row.run}/${row.id}`,
    description: `${row.outcome}${reward}${step}`,
    ...(row.labels.length > 0 ? { detail: row.labels.join(", ") } : {}),
  };
}
