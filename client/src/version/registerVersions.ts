import * as vscode from "vscode";
import { registerCommand } from "../shell/commands.ts";
import type { EvidencePanel } from "../evidence/evidencePanel.ts";
import type { Server } from "../connection/languageClient.ts";
import type { LineageSource } from "../lineage/lineageSource.ts";
import { chooseVersion, versionNamed } from "../lineage/registerLineage.ts";
import { VersionsArgument } from "../shell/inputSchemas.ts";
import { showRolloutPair } from "../rollout/rolloutDiff.ts";
import type { RolloutFocus } from "../../../shared/protocol/views/rollout.ts";
import { openRollout } from "../rollout/rolloutEditor.ts";
import { openVersionDiff, VersionFiles, versionFileScheme } from "./versionDiff.ts";
import { VersionPanel } from "./versionPanel.ts";

type Dependencies = {
  readonly context: vscode.ExtensionContext;
  readonly server: Server;
  readonly log: vscode.LogOutputChannel;
  readonly evidence: Pick<EvidencePanel, "show">;
  readonly source: LineageSource;
};

/** Puts up the version and compare view, and the texts of versions for the editor's diff. */
export function registerVersions({
  context,
  server,
  log,
  evidence,
  source,
}: Dependencies): vscode.Disposable {
  const choose = (title: string): Promise<string | undefined> => chooseVersion(source, title);
  /** The project that a page was about, or the one whose lineage is shown. */
  const rootOf = (root: string | undefined): string => root ?? source.root ?? "";
  const panel = new VersionPanel({
    extensionUri: context.extensionUri,
    server,
    log,
    showEvidence: (query, root) => evidence.show(query, root ?? source.root),
    openRollout: (root, { run, id, label, turn }) =>
      openRollout({ root: rootOf(root), within: run, id }, { beside: true, ...startAt(label ?? turn) }),
    compareRollouts: (root, a, b) =>
      showRolloutPair(
        server,
        { root: rootOf(root), within: a.run, id: a.id },
        { root: rootOf(root), within: b.run, id: b.id },
      ),
    openDiff: (root, what) => openVersionDiff(server, root ?? source.root, what),
    showLineage: (name) => vscode.commands.executeCommand("evotrainer.showLineage", { name }),
    choose,
    changed: source.onDidChange,
  });
  /** The versions that a command is about: those that are selected, those that a view names, or what a person chooses. */
  const asked = async (argument: unknown, all: unknown, title: string): Promise<readonly string[]> => {
    const selected = Array.isArray(all) ? all.flatMap((one: unknown) => versionNamed(one) ?? []) : [];
    if (selected.length > 0) return selected;
    const { data } = VersionsArgument.safeParse(argument);
    const name = versionNamed(argument);
    const chosen = data !== undefined || name !== undefined ? name : await choose(title);
    return data?.names ?? (chosen === undefined ? [] : [chosen]);
  };
  return vscode.Disposable.from(
    panel,
    vscode.workspace.registerTextDocumentContentProvider(versionFileScheme, new VersionFiles(server)),
    registerCommand(log, "evotrainer.showVersion", async (argument) => {
      const names = await asked(argument, undefined, "Show");
      if (names.length > 0) panel.show(names, source.root);
    }),
    registerCommand(log, "evotrainer.compareVersions", async (argument, all) => {
      const names = await asked(argument, all, "Compare");
      if (names.length > 0) panel.show(names, source.root);
    }),
    registerCommand(log, "evotrainer.openVersionDiff", async (argument) => {
      const [version] = await asked(argument, undefined, "Changes of");
      if (version !== undefined) await openVersionDiff(server, source.root, { version });
    }),
  );
}

const startAt = (focus: RolloutFocus | undefined): { focus?: RolloutFocus } =>
  focus === undefined ? {} : { focus };
