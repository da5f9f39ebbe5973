import * as vscode from "vscode";
import { hostAddress } from "../../../shared/spec/hostAddress.ts";
import { answered, askEngine, valueOf } from "../connection/engineAnswer.ts";
import type { Server } from "../connection/languageClient.ts";
import { candidateRows, summary } from "./hostRows.ts";
import type { HostReports } from "./hostReport.ts";

/** Chooses a host of ssh's configuration, writes it down, and looks at it. */
export async function addHost(server: Server, reports: HostReports): Promise<void> {
  const ssh = await chooseCandidate(server);
  if (ssh === undefined) return;
  const place = await choosePlace(ssh);
  if (place === undefined) return;
  const name = await (place === "project" ? intoProject(server, ssh) : intoSettings(server, ssh));
  if (name !== undefined) await checkHost(server, reports, name);
}

async function chooseCandidate(server: Server): Promise<string | undefined> {
  const answer = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: "Reading your ssh configuration" },
    () => askEngine(server, { service: "hosts.candidates", params: {} }),
  );
  const found = valueOf(answer);
  const other = { label: "$(edit) Another address…", description: "", name: "", alwaysShow: true };
  const picked = await vscode.window.showQuickPick([...candidateRows(found), other], {
    title: "Add a host",
    placeHolder: `Choose one of ${found.config}`,
    matchOnDescription: true,
  });
  if (picked !== other) return picked?.name;
  const given = await vscode.window.showInputBox({
    title: "Add a host",
    prompt: "Name or address, as you would give it to ssh. Put a user or a port into ~/.ssh/config.",
    ignoreFocusOut: true,
    validateInput: (text) => (hostAddress.test(text.trim()) ? undefined : "Use a name or an address."),
  });
  return given?.trim();
}

async function choosePlace(ssh: string): Promise<"project" | "settings" | undefined> {
  const picked = await vscode.window.showQuickPick(
    [
      {
        label: "$(file-code) evotrainer.yaml",
        description: "for everyone who works on the project",
        place: "project" as const,
      },
      {
        label: "$(account) User settings",
        description: "for you, in all projects",
        place: "settings" as const,
      },
    ],
    { title: `Where should ${ssh} be saved?` },
  );
  return picked?.place;
}

/** An edit that can be undone; it is saved, because the host is looked at next. */
async function intoProject(server: Server, ssh: string): Promise<string | undefined> {
  const asked = { service: "hosts.entry", params: { ssh } } as const;
  const {
    root,
    value: { path },
  } = answered(await askEngine(server, asked));
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
  const given = document.getText();
  // What stands in the editor counts, saved or not.
  const params = { ssh, text: given };
  const { name, text } = valueOf(await askEngine(server, { root, service: "hosts.entry", params }));
  if (text === null) return name;
  const edit = new vscode.WorkspaceEdit();
  const { from, to, middle } = difference(given, text);
  const range = new vscode.Range(document.positionAt(from), document.positionAt(to));
  edit.replace(document.uri, range, middle);
  if (!(await vscode.workspace.applyEdit(edit)) || !(await document.save())) return undefined;
  const at = document.positionAt(from + middle.length);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at) });
  return name;
}

/** What stands between what two texts begin and end with alike. */
function difference(before: string, after: string): { from: number; to: number; middle: string } {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from++;
  let end = 0;
  while (end < most - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { from, to: before.length - end, middle: after.slice(from, after.length - end) };
}

async function intoSettings(server: Server, ssh: string): Promise<string> {
  const { name, entry } = valueOf(await askEngine(server, { service: "hosts.entry", params: { ssh } }));
  const settings = vscode.workspace.getConfiguration("evotrainer");
  const hosts = settings.inspect<Readonly<Record<string, unknown>>>("hosts")?.globalValue ?? {};
  if (!Object.hasOwn(hosts, name))
    await settings.update("hosts", { ...hosts, [name]: entry }, vscode.ConfigurationTarget.Global);
  return name;
}

/** Connects to a host and shows what it has and lacks. */
export async function checkHost(server: Server, reports: HostReports, host: string): Promise<void> {
  const report = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: `Checking ${host}`, cancellable: true },
    async (_progress, token) => {
      const answer = await askEngine(server, { service: "hosts.check", params: { host } }, token);
      if (token.isCancellationRequested) throw new vscode.CancellationError();
      return valueOf(answer);
    },
  );
  await reports.show(report);
  const bad = report.findings.some(({ state }) => state === "bad");
  void (bad ? vscode.window.showWarningMessage : vscode.window.showInformationMessage)(summary(report));
}
