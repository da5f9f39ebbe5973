import * as vscode from "vscode";
import type { LineageAction } from "../../shared/protocol/lineage.ts";
import { backtestCommand, LensTarget, showRolloutsCommand } from "../../shared/protocol/lsp.ts";
import { showReport } from "./report.ts";
import { guarded, registerCommand } from "./commands.ts";
import { createServer } from "./languageClient.ts";
import { registerAssistant } from "./assistant/registerAssistant.ts";
import { EvidencePanel, evidencePanelType } from "./evidence/evidencePanel.ts";
import { LineagePanel, lineagePanelType } from "./lineage/lineagePanel.ts";
import { statusText } from "./lineage/lineageRows.ts";
import { LineageSource } from "./lineage/lineageSource.ts";
import { LineageTree } from "./lineage/lineageTree.ts";
import { registerReview } from "./review/registerReview.ts";
import { compareRollout, RolloutTexts, rolloutTextScheme } from "./rollout/rolloutDiff.ts";
import { openRollout, RolloutEditor, rolloutEditorType } from "./rollout/rolloutEditor.ts";

const hasName = (value: unknown): value is { readonly name: string } =>
  typeof value === "object" && value !== null && "name" in value && typeof value.name === "string";

/**
 * Starts the language server and puts up the views. Nothing else runs in the extension host: the engine lives in the
 * server's process.
 */
export function activate(context: vscode.ExtensionContext): void {
  const own = <T extends { dispose(): unknown }>(disposable: T): T => {
    context.subscriptions.push(disposable);
    return disposable;
  };
  const log = own(vscode.window.createOutputChannel("EvoTrainer", { log: true }));
  const server = own(createServer(context.asAbsolutePath("dist/server.cjs"), log));
  const source = own(new LineageSource(server, log));
  const tree = own(new LineageTree(source));
  const view = own(
    vscode.window.createTreeView("evotrainer.lineage", { treeDataProvider: tree, showCollapseAll: true }),
  );

  const act = (action: LineageAction): unknown => {
    switch (action) {
      case "refresh":
        return source.refresh();
      case "openFolder":
        return vscode.commands.executeCommand("vscode.openFolder");
      case "manageTrust":
        return vscode.commands.executeCommand("workbench.trust.manage");
      case "restartServer":
        return server.restart();
      case "showLog":
        log.show();
        return undefined;
    }
  };
  const selected = async (name: string) => {
    const version = tree.find(name);
    if (version && view.visible) await view.reveal(version, { select: true });
  };
  const panel = own(new LineagePanel({ extensionUri: context.extensionUri, source, log, act, selected }));

  own(vscode.workspace.registerTextDocumentContentProvider(rolloutTextScheme, new RolloutTexts(server)));
  const evidence = own(new EvidencePanel({ extensionUri: context.extensionUri, server, log, openRollout }));
  own(vscode.window.registerWebviewPanelSerializer(evidencePanelType, evidence));
  own(
    vscode.window.registerCustomEditorProvider(
      rolloutEditorType,
      new RolloutEditor({
        extensionUri: context.extensionUri,
        server,
        log,
        showEvidence: (query, root) => evidence.show(query, root),
        compare: (root, shown) => compareRollout(server, root, shown),
      }),
      { webviewOptions: { enableFindWidget: true } },
    ),
  );

  const status = own(vscode.window.createStatusBarItem("status", vscode.StatusBarAlignment.Left));
  status.name = "EvoTrainer";
  status.command = "evotrainer.showLineage";
  const showStatus = () => {
    const { text, tooltip } = statusText(source.state);
    status.text = text;
    status.tooltip = tooltip;
    status.show();
  };
  own(source.onDidChange(showStatus));
  showStatus();

  own(vscode.window.registerWebviewPanelSerializer(lineagePanelType, panel));
  own(
    registerCommand(log, "evotrainer.showLineage", "Show Lineage", (argument) =>
      panel.show(hasName(argument) ? argument.name : undefined),
    ),
  );
  own(
    registerCommand(log, "evotrainer.showEvidence", "Show Evidence", (argument) =>
      evidence.show(hasName(argument) ? { version: argument.name } : undefined),
    ),
  );
  own(registerCommand(log, "evotrainer.refreshLineage", "Refresh Lineage", () => act("refresh")));
  own(
    registerCommand(log, "evotrainer.restartServer", "Restart Language Server", () => act("restartServer")),
  );
  own(registerCommand(log, "evotrainer.showLog", "Show Log", () => act("showLog")));

  own(
    registerCommand(log, showRolloutsCommand, "Show Rollouts", (argument) => {
      const target = LensTarget.safeParse(argument).data;
      if (target) evidence.show({ label: target.subject }, target.root);
      else evidence.show();
    }),
  );
  own(
    registerCommand(log, backtestCommand, "Backtest", (argument) => showReport(server, "backtest", argument)),
  );

  own(registerAssistant({ extension: context.extension, server, log }));
  for (const disposable of registerReview(context, server, log)) own(disposable);

  // Nothing of the editor waits for the server: what it is asked meanwhile is answered when it is there.
  void guarded(log, "Starting the language server", () => server.start()).then(() => source.refresh());
}
