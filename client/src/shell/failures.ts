import type { CommandId } from "../../../shared/words/commandTitles.ts";

/** Commands of the editor that mend a failure. */
type EditorCommand =
  | "vscode.openFolder"
  | "workbench.action.reloadWindow"
  | "workbench.actions.view.problems"
  | "workbench.trust.manage"
  | "workbench.view.scm"
  | "evotrainer.jobs.focus";

/** The one action that mends a failure: the words of its button, and the command behind it with what it is about. */
export type Mend = {
  readonly label: string;
  readonly command: CommandId | EditorCommand;
  readonly about?: object;
};

export const showLog: Mend = { label: "Show Log", command: "evotrainer.showLog" };
export const restartServer: Mend = {
  label: "Restart Language Server",
  command: "evotrainer.restartServer",
};

export const refreshLineage: Mend = { label: "Refresh Lineage", command: "evotrainer.refreshLineage" };
export const showGate: Mend = { label: "Show Gate", command: "evotrainer.showGate" };
export const showProblems: Mend = {
  label: "Show Problems",
  command: "workbench.actions.view.problems",
};
export const manageTrust: Mend = { label: "Manage Workspace Trust", command: "workbench.trust.manage" };
export const openFolder: Mend = { label: "Open Folder", command: "vscode.openFolder" };

/** What mends the failures that the engine expects, by their reason; the log says more about any other. */
export const mends: Readonly<Record<string, Mend>> = {
  projectMissing: openFolder,
  projectInvalid: showProblems,
  specInvalid: showProblems,
  notARepository: { label: "Open Source Control", command: "workbench.view.scm" },
  noCommits: { label: "Open Source Control", command: "workbench.view.scm" },
  notFound: refreshLineage,
  refMoved: refreshLineage,
  storeBusy: { label: "Show Who Has the Archive", command: "evotrainer.showOwner" },
  releaseMismatch: { label: "Reload Window", command: "workbench.action.reloadWindow" },
  ownerLost: restartServer,
  jobFailed: { label: "Show Jobs", command: "evotrainer.jobs.focus" },
  hostUnreachable: { label: "Check Host", command: "evotrainer.checkHost" },
  hostRefused: { label: "Check Host", command: "evotrainer.checkHost" },
  gateWaiting: showGate,
  revisionRefused: showGate,
};

/** A failure that was expected: its message is one sentence for a person, and one action mends it. */
export class KnownFailure extends Error {
  readonly mend: Mend;
  constructor(message: string, mend: Mend = showLog, options?: ErrorOptions) {
    super(message, options);
    this.name = "KnownFailure";
    this.mend = mend;
  }
}

/** Somebody called it off: nobody hears of it. */
export class Cancelled extends Error {
  constructor() {
    super("Canceled");
    // As the editor names its own, which is known by its name alone.
    this.name = "Canceled";
  }
}

/** What a person sees of something that was thrown. */
export type ShownFailure =
  | { readonly type: "silent" }
  | { readonly type: "known"; readonly message: string; readonly mend: Mend }
  /** `stack` is for the log. */
  | { readonly type: "bug"; readonly message: string; readonly mend: Mend; readonly stack: string };

/** Codes of the language server's protocol for a question that was called off, and for one that nobody will answer any more. */
const calledOff: readonly unknown[] = [-32800, -32802];
const unanswered: readonly unknown[] = [-32097, -32099];

const codeOf = (thrown: Error): unknown => ("code" in thrown ? thrown.code : undefined);

/** Tells a failure that was called off from an expected one and from a bug; `what` was being done, as the title of a command says it. */
export function shownFailure(what: string, thrown: unknown): ShownFailure {
  if (!(thrown instanceof Error))
    return {
      type: "bug",
      message: `${what} failed; the log says why.`,
      mend: showLog,
      stack: String(thrown),
    };
  const code = codeOf(thrown);
  if (thrown.name === "Canceled" || thrown.name === "AbortError" || calledOff.includes(code))
    return { type: "silent" };
  if (thrown instanceof KnownFailure) return { type: "known", message: thrown.message, mend: thrown.mend };
  if (unanswered.includes(code))
    return {
      type: "known",
      message: "The language server stopped before it could answer.",
      mend: restartServer,
    };
  // What a parser or a bug says helps nobody but the developer: it goes to the log alone.
  const isUnread = thrown instanceof SyntaxError || /ZodError$/.test(thrown.name);
  const message = isUnread
    ? `${what} failed: the answer could not be read; see the log.`
    : `${what} failed; the log says why.`;
  return { type: "bug", message, mend: showLog, stack: thrown.stack ?? thrown.message };
}

/** What a page says of a failure in the place of what it waited for. */
export const failureMessage = (failure: ShownFailure): string =>
  failure.type === "silent" ? "The request was cancelled." : failure.message;
