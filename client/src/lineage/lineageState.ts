import {
  noFolder,
  noProject,
  notTrusted,
  noVersions,
  serverStopped,
} from "../../../shared/words/refusals.ts";
import { commandTitles } from "../../../shared/words/commandTitles.ts";
import type { EmptyReason, LineageAbsence, LineageAction } from "../../../shared/protocol/views/lineage.ts";
import type { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";
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
    ...noFolder,
    label: "Open Folder",
    id: "openFolder",
  },
  noProject: {
    ...noProject,
    label: "Refresh",
    id: "refresh",
  },
  noVersions: {
    ...noVersions,
    label: "Refresh",
    id: "refresh",
  },
  untrusted: {
    ...notTrusted(
      "EvoTrainer reads the lineage from git, and does not run git in a folder that you do not trust. It still checks specs.",
    ),
    label: "Manage Workspace Trust",
    id: "manageTrust",
  },
  stopped: {
    cause: serverStopped.cause,
    advice: "Start it again. If it stops again, see the log.",
    label: commandTitles["evotrainer.restartServer"],
    id: "restartServer",
  },
  unreadable: {
    cause: "The lineage could not be read.",
    advice: "See the log for details.",
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
