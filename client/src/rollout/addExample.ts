import { join } from "node:path";
import * as vscode from "vscode";
import type { ExampleReply } from "../../../shared/protocol/lsp.ts";
import { KnownFailure, showProblems } from "../shell/failures.ts";
import type { Server } from "../connection/languageClient.ts";

type Wanted = {
  readonly root: string;
  readonly rollout: string;
  readonly label: string | null;
  readonly expect: "labelled" | "clear" | null;
};

/** Makes a rollout an example of a diagnostic by an edit of its spec, which can be undone; a shipped one is copied into the project first. */
export async function addExample(server: Pick<Server, "example">, wanted: Wanted): Promise<void> {
  const { root, rollout } = wanted;
  const diagnostic = wanted.label ?? (await chooseDiagnostic(server, wanted));
  if (diagnostic === undefined) return;
  const expect = wanted.expect ?? (await chooseExpectation(diagnostic, rollout));
  if (expect === undefined) return;
  const reply = await server.example({ root, rollout, expect, diagnostic });
  switch (reply.type) {
    case "choose":
      return;
    case "refused":
      throw new KnownFailure(reply.message, showProblems);
    case "already":
      void vscode.window.showInformationMessage(`${rollout} is already an example of ${diagnostic}.`);
      return show(vscode.Uri.file(join(root, reply.path)));
    case "edit":
      return applyEdit(root, reply);
    case "shipped":
      return copyShipped(root, diagnostic, reply);
  }
}

async function applyEdit(
  root: string,
  { path, start, end, text }: ExampleReply & { type: "edit" },
): Promise<void> {
  const uri = vscode.Uri.file(join(root, path));
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, range, text);
  if (await vscode.workspace.applyEdit(edit))
    await show(uri, range.start.translate(text.startsWith("\n") ? 1 : 0));
}

async function copyShipped(
  root: string,
  diagnostic: string,
  { path, text }: ExampleReply & { type: "shipped" },
): Promise<void> {
  const copy = "Copy into Project";
  const answer = await vscode.window.showInformationMessage(
    `${diagnostic} comes with EvoTrainer, which does not change it.`,
    {
      modal: true,
      detail: `A copy at ${path} replaces it in this project and gets the example; later releases of EvoTrainer do not change the copy.`,
    },
    copy,
  );
  if (answer !== copy) return;
  const uri = vscode.Uri.file(join(root, path));
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { contents: new TextEncoder().encode(text), ignoreIfExists: false, overwrite: false });
  if (await vscode.workspace.applyEdit(edit)) await show(uri);
  else void vscode.window.showWarningMessage(`${path} already exists; it was not changed.`);
}

async function show(uri: vscode.Uri, at?: vscode.Position): Promise<void> {
  await vscode.window.showTextDocument(uri, {
    viewColumn: vscode.ViewColumn.Beside,
    preserveFocus: false,
    ...(at ? { selection: new vscode.Range(at, at) } : {}),
  });
}

async function chooseDiagnostic(
  server: Pick<Server, "example">,
  { root, rollout, expect }: Wanted,
): Promise<string | undefined> {
  const reply = await server.example({ root, rollout, expect: expect ?? "labelled" });
  if (reply.type === "refused") throw new KnownFailure(reply.message, showProblems);
  if (reply.type !== "choose") return undefined;
  const chosen = await vscode.window.showQuickPick(
    reply.diagnostics.map(({ name, description, shipped }) => ({
      label: name,
      ...(shipped ? { description: "comes with EvoTrainer" } : {}),
      detail: description,
    })),
    { title: `Add ${rollout} as an example`, placeHolder: "Of which diagnostic?", matchOnDetail: true },
  );
  return chosen?.label;
}

async function chooseExpectation(
  diagnostic: string,
  rollout: string,
): Promise<"labelled" | "clear" | undefined> {
  const chosen = await vscode.window.showQuickPick(
    [
      { label: `${diagnostic} must label it`, expect: "labelled" as const },
      { label: `${diagnostic} must not label it`, expect: "clear" as const },
    ],
    { title: `Add ${rollout} as an example of ${diagnostic}` },
  );
  return chosen?.expect;
}
