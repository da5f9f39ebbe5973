import * as vscode from "vscode";
import { backtestCommand, showRolloutsCommand } from "../../shared/protocol/views/lensCommands.ts";
import { VersionArgument } from "./shell/inputSchemas.ts";
import { LensTarget } from "../../shared/protocol/lsp.ts";
import { BacktestPanel } from "./specs/backtestPanel.ts";
import { guarded, registerCommand } from "./shell/commands.ts";
import { createServer } from "./connection/languageClient.ts";
import { registerAssistant } from "./assistant/registerAssistant.ts";
import { EvidencePanel } from "./evidence/evidencePanel.ts";
import { attachRun } from "./evidence/attachRun.ts";
import { finishedExample, freshExample, openExample, showFinished } from "./example/openExample.ts";
import { registerHosts } from "./hosts/registerHosts.ts";
import { registerJobs } from "./jobs/registerJobs.ts";
import { registerLineage } from "./lineage/registerLineage.ts";
import { registerReview } from "./review/registerReview.ts";
import { registerSpecs } from "./specs/registerSpecs.ts";
import { registerServiceViews } from "./page/registerServiceViews.ts";
import { ProjectChoice } from "./project/projectChoice.ts";
import { registerProject } from "./project/registerProject.ts";
import { compareRollout, RolloutTexts, rolloutTextScheme } from "./rollout/rolloutDiff.ts";
import { openRollout, RolloutEditor, rolloutEditorType } from "./rollout/rolloutEditor.ts";
import { registerVersions } from "./version/registerVersions.ts";

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
  const project = new ProjectChoice(context.workspaceState);
  const server = own(createServer(context.asAbsolutePath("dist/server.cjs"), log, project));
  own(registerProject(server, project, log));
  own(vscode.workspace.registerTextDocumentContentProvider(rolloutTextScheme, new RolloutTexts(server)));
  const evidence = own(
    new EvidencePanel({ extensionUri: context.extensionUri, server, project, log, openRollout }),
  );
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

  const { source, tellStanding } = own(registerLineage({ context, server, project, log, evidence }));
  own(registerVersions({ context, server, log, evidence, source }));

  own(
    registerServiceViews({
      extensionUri: context.extensionUri,
      server,
      log,
      showEvidence: (query, root) => evidence.show(query, root),
    }),
  );

  own(
    registerCommand(log, "evotrainer.showEvidence", (argument) => {
      const { name, root } = VersionArgument.safeParse(argument).data ?? {};
      evidence.show(name === undefined ? undefined : { version: name }, root);
    }),
  );
  own(registerCommand(log, "evotrainer.restartServer", () => server.restart()));
  own(registerCommand(log, "evotrainer.showLog", () => log.show()));

  own(
    registerCommand(log, showRolloutsCommand, (argument) => {
      const target = LensTarget.safeParse(argument).data;
      if (target) evidence.show({ label: target.subject }, target.root);
      else evidence.show(undefined, undefined);
    }),
  );
  const backtests = own(
    new BacktestPanel({
      extensionUri: context.extensionUri,
      server,
      log,
      openRollout: (root, { run, id }, label) =>
        openRollout({ root, within: run, id }, { beside: true, focus: label }),
    }),
  );
  own(registerCommand(log, backtestCommand, (argument) => backtests.show(argument)));

  own(registerAssistant({ extension: context.extension, server, log }));
  for (const disposable of registerReview(
    { context, server, project, lineage: source, log },
    {
      showEvidence: (query, root) => evidence.show(query, root),
      tellStanding,
    },
  ))
    own(disposable);
  own(registerJobs({ context, server, project, log, tellStanding }));
  own(registerHosts({ server, log }));
  own(registerSpecs({ context, server, project, lineage: source, log }));
  own(
    registerCommand(log, "evotrainer.attachRun", (argument) =>
      attachRun(context.asAbsolutePath("dist/cli.cjs"), project.current, argument),
    ),
  );
  const making = { cli: context.asAbsolutePath("dist/cli.cjs"), state: context.globalState };
  for (const example of [freshExample, finishedExample])
    own(registerCommand(log, example.command, (argument) => openExample(example, making, argument)));
  void guarded(log, "Showing the finished example", () => showFinished(context.globalState));

  // Nothing of the editor waits for the server: what it is asked meanwhile is answered when it is there.
  void guarded(log, "Starting the language server", () => server.start()).then(() => source.refresh());
}
