import * as vscode from "vscode";
import { commandTitles } from "../../../shared/words/commandTitles.ts";
import { registerCommand } from "../shell/commands.ts";
import { askEngine, valueOf } from "../connection/engineAnswer.ts";
import type { Server } from "../connection/languageClient.ts";
import { addHost, checkHost } from "./addHost.ts";
import { HostReports, hostScheme } from "./hostReport.ts";
import { knownRows } from "./hostRows.ts";

type Dependencies = { readonly server: Server; readonly log: vscode.LogOutputChannel };

/** Hosts: what ssh asks, adding one, looking at one. */
export function registerHosts({ server, log }: Dependencies): vscode.Disposable {
  const reports = new HostReports();
  const check = async (argument: unknown): Promise<void> => {
    const name = typeof argument === "string" ? argument : await chooseHost(server, reports);
    if (name !== undefined) await checkHost(server, reports, name);
  };
  return vscode.Disposable.from(
    reports,
    vscode.workspace.registerTextDocumentContentProvider(hostScheme, reports),
    server.onPrompt(async (prompt, token) => (await import("./sshPrompts.ts")).askPrompt(prompt, token)),
    registerCommand(log, "evotrainer.addHost", () => addHost(server, reports)),
    registerCommand(log, "evotrainer.checkHost", check),
  );
}

async function chooseHost(server: Server, reports: HostReports): Promise<string | undefined> {
  const list = valueOf(await askEngine(server, { service: "hosts.list", params: {} }));
  const [problem] = list.problems;
  if (problem !== undefined) void vscode.window.showWarningMessage(problem);
  if (list.hosts.length === 0) {
    const add = commandTitles["evotrainer.addHost"];
    const answer = await vscode.window.showInformationMessage("No host has been added yet.", add);
    if (answer === add) await addHost(server, reports);
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(knownRows(list), { title: "Check which host?" });
  return picked?.name;
}
