import { commandTitles } from "../../../shared/words/commandTitles.ts";
import type { EmptyReason, LineageAbsence, LineageAction } from "../../../shared/protocol/lineage.ts";
import type { LineageTable } from "../../../shared/protocol/lineageTable.ts";
import type { LineageReply } from "../../../shared/protocol/lsp.ts";

/** What there is to show. */
export type LineageState = LineageAbsence | { readonly type: "lineage"; readonly table: LineageTable };

type EmptyText = {
  readonly cause: string;
  readonly advice: string;
  readonly label: string;
  readonly id: LineageAction;
};

const texts: Readonly<Record<EmptyReason, EmptyText>> = {
  noFolder: {
    cause: "No folder is open.",
    advice: "Open the folder of a project: one that holds an evotrainer.yaml.",
    label: "Open Folder",
    id: "openFolder",
  },
  noProject: {
    cause: "No folder of this workspace holds an evotrainer.yaml.",
    advice: "Write one, or run “evotrainer init” in a terminal.",
    label: "Refresh",
    id: "refresh",
  },
  noVersions: {
    cause: "This project has no versions yet.",
    advice: "Run “evotrainer evolve” in a terminal to train and compare the first ones.",
    label: "Refresh",
    id: "refresh",
  },
  untrusted: {
    cause: "This workspace is not trusted.",
    advice:
      "The lineage is read from git, which is not run in a folder that you do not trust. Specs are still checked.",
    label: "Manage Workspace Trust",
    id: "manageTrust",
  },
  stopped: {
    cause: "The language server is not running.",
    advice: "Start it again; if it stops again, the log says why.",
    label: commandTitles["evotrainer.restartServer"],
    id: "restartServer",
  },
  unreadable: {
    cause: "The lineage could not be read.",
    advice: "The log says more.",
    label: commandTitles["evotrainer.showLog"],
    id: "showLog",
  },
};

export function emptyState(reason: EmptyReason, detail?: string): LineageAbsence {
  const { cause, advice, label, id } = texts[reason];
  return { type: "empty", reason, cause, advice: detail ?? advice, action: { label, id } };
}

/** What the views show where an answer of the language server is no lineage. */
export function absenceOf(reply: Exclude<LineageReply, { type: "lineage" }>): LineageAbsence {
  return reply.type === "unreadable" ? emptyState("unreadable", reply.message) : emptyState(reply.type);
}
