import * as vscode from "vscode";
import type { Proposal } from "../../../shared/protocol/views/proposals.ts";
import { addressIn } from "../shell/addresses.ts";
import { ProposalTextAddress } from "../shell/inputSchemas.ts";
import type { ProposalsSource } from "./proposalsSource.ts";

export const proposalScheme = "evotrainer-proposal";

export function proposalUri(key: ProposalTextAddress): vscode.Uri {
  // One path for both sides: the diff would show a file that was moved.
  const path = `/${key.id}/${key.file}`;
  return vscode.Uri.from({ scheme: proposalScheme, path, query: JSON.stringify(key) });
}

/** What a URI of this scheme names; undefined for one that nobody of ours made. */
export function textKeyOf(uri: vscode.Uri): ProposalTextAddress | undefined {
  return uri.scheme === proposalScheme ? addressIn(uri, ProposalTextAddress) : undefined;
}

/** The texts of proposals as documents that can only be read, for the editor's diff. */
export class ProposalTexts implements vscode.TextDocumentContentProvider {
  readonly #source: ProposalsSource;
  constructor(source: ProposalsSource) {
    this.#source = source;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const key = textKeyOf(uri);
    if (!key) return "";
    const shown = await this.#source.show(key.id, { root: key.root });
    if (shown.type === "none") return `${shown.cause} ${shown.advice}`;
    const file = shown.value.files.find(({ path }) => path === key.file);
    return (key.side === "base" ? file?.base : file?.proposed) ?? "";
  }
}

/** Opens all files of a proposal in one diff, as VS Code shows a commit. */
export async function openChanges(root: string, proposal: Proposal): Promise<void> {
  const { id, commit } = proposal;
  const resources = proposal.files.map((file) => {
    const uri = (side: ProposalTextAddress["side"], text: string | null): vscode.Uri | undefined =>
      text === null ? undefined : proposalUri({ root, id, commit, file: file.path, side });
    return [
      vscode.Uri.joinPath(vscode.Uri.file(root), file.path),
      uri("base", file.base),
      uri("proposed", file.proposed),
    ];
  });
  await vscode.commands.executeCommand("vscode.changes", `${id}: ${proposal.title}`, resources);
}
