import * as vscode from "vscode";
import { registerCommand } from "../shell/commands.ts";
import type { EvidencePanel } from "../evidence/evidencePanel.ts";
import type { Server } from "../connection/languageClient.ts";
import type { LineageSource } from "../lineage/lineageSource.ts";
import { chooseVersion, chooseVersionOf, versionNamed } from "../lineage/registerLineage.ts";
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

type Asked = { readonly names: readonly string[]; readonly root: string | undefined };

/** Puts up the version and compare view, and the texts of versions for the editor's diff. */
export function registerVersions({
  context,
  server,
  log,
  evidence,
  source,
}: Dependencies): vscode.Disposable {
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
    showLineage: (root, name) =>
      vscode.commands.executeCommand("evotrainer.showLineage", {
        ...{ name, ...(root === undefined ? {} : { root }) },
      }),
    choose: async (root, title) => (await chooseVersionOf(server, source, { root, title }))?.name,
    changed: source.onDidChange,
  });
  /**
   * The versions that a command is about, and their project: those that are selected, those that a view names, or what a person
   * chooses.
   */
  const asked = async (argument: unknown, all: unknown, title: string): Promise<Asked> => {
    const selected = Array.isArray(all) ? all.flatMap((one: unknown) => versionNamed(one) ?? []) : [];
    const { data } = VersionsArgument.safeParse(argument);
    if (selected.length === 0 && data !== undefined)
      return { names: data.names, root: data.root ?? source.root };
    const one = selected[0] ?? versionNamed(argument) ?? (await chooseVersion(source, title));
    const names = selected.length > 0 ? selected.map(({ name }) => name) : one ? [one.name] : [];
    return { names, root: one?.root ?? source.root };
  };
  return vscode.Disposable.from(
    panel,
    vscode.workspace.registerTextDocumentContentProvider(versionFileScheme, new VersionFiles(server)),
    registerCommand(log, "evotrainer.showVersion", async (argument) => {
      const { names, root } = await asked(argument, undefined, "Show");
      if (names.length > 0) panel.show(names, root);
    }),
    registerCommand(log, "evotrainer.compareVersions", async (argument, all) => {
      const { names, root } = await asked(argument, all, "Compare");
      if (names.length > 0) panel.show(names, root);
    }),
    registerCommand(log, "evotrainer.openVersionDiff", async (argument) => {
      const {
        names: [version],
        root,
      } = await asked(argument, undefined, "Changes of");
      if (version !== undefined) await openVersionDiff(server, root, { version });
    }),
  );
}

const startAt = (focus: RolloutFocus | undefined): { focus?: RolloutFocus } =>
  focus === undefined ? {} : { focus };
