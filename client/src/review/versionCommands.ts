import * as vscode from "vscode";
import type { LineageVersion } from "../../../shared/protocol/views/lineage.ts";
import { askEngine, valueOf } from "../connection/engineAnswer.ts";
import type { Server } from "../connection/languageClient.ts";
import { KnownFailure, refreshLineage } from "../shell/failures.ts";
import { VersionArgument } from "../shell/inputSchemas.ts";
import type { LineageSource } from "../lineage/lineageSource.ts";

/** A version of a project; undefined for the project that is chosen. */
type VersionKey = { readonly root?: string; readonly version: string };

const canBeReverted = ({ parent, decision }: LineageVersion): boolean =>
  parent !== null && decision !== "pending";
/** A baseline, which changes nothing, is never promoted. */
const canBePromoted = ({ decision, promoted, factor }: LineageVersion): boolean =>
  decision === "keep" && !promoted && factor !== null;

/** The version that a command is about, or one that is chosen. */
async function versionOf(
  lineage: LineageSource,
  argument: unknown,
  title: string,
  can: (version: LineageVersion) => boolean,
): Promise<VersionKey | undefined> {
  // While a person is asked, another project may be chosen.
  const given = VersionArgument.safeParse(argument).data;
  const root = given?.root ?? lineage.root;
  const at = root === undefined ? {} : { root };
  if (given) return { ...at, version: given.name };
  if (lineage.state.type !== "lineage")
    throw new KnownFailure("There is no lineage to choose a version from.", refreshLineage);
  const items = lineage.versions
    .filter(can)
    .reverse()
    .map((v) => ({ label: v.name, description: `${v.decision} · ${v.title}` }));
  const chosen = await vscode.window.showQuickPick(items, { title, matchOnDescription: true });
  return chosen && { ...at, version: chosen.label };
}

/** Takes a version back by a version of its own, once a person has said why. */
export async function revertVersion(
  server: Server,
  lineage: LineageSource,
  argument: unknown,
): Promise<void> {
  const key = await versionOf(lineage, argument, "Revert which version", canBeReverted);
  if (!key) return;
  const { version, ...at } = key;
  const reason = await vscode.window.showInputBox({
    title: `Revert ${version}`,
    prompt: "Why? EvoTrainer makes a new version with the files of its parent and removes nothing.",
    ignoreFocusOut: true,
  });
  if (reason === undefined) return;
  const params = { version, ...(reason.trim() === "" ? {} : { reason }) };
  const reply = await askEngine(server, { ...at, service: "versions.revert", params });
  const { version: made, filesOf } = valueOf(reply);
  void vscode.window.setStatusBarMessage(
    `${made} reverts ${version}: it has the files of ${filesOf}.`,
    10_000,
  );
}

/** Promotes a kept version; opening the audit split is asked for, because it is done once. */
export async function promoteVersion(
  server: Server,
  lineage: LineageSource,
  argument: unknown,
): Promise<void> {
  const key = await versionOf(lineage, argument, "Promote which version", canBePromoted);
  if (!key) return;
  const { version, ...at } = key;
  const detail =
    "This opens the sealed audit split for it and for the baseline, and runs the trainer to measure both. Once it has been seen, it cannot be unseen.";
  const sure = await vscode.window.showWarningMessage(
    `Promote ${version}?`,
    { modal: true, detail },
    "Promote",
  );
  if (sure !== "Promote") return;
  const reply = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: `Promoting ${version}` },
    () =>
      askEngine(server, {
        ...{ ...at, service: "versions.promote" as const },
        params: { version, approve: true, trusted: true },
      }),
  );
  void vscode.window.setStatusBarMessage(`${version} is promoted. ${valueOf(reply).reason}`, 15_000);
}
