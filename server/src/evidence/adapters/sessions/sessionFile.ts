import {
  Refusal,
  type FileAdapter,
  type ForeignFile,
  type FormatNote,
  type RolloutDraft,
} from "../parts/adapter.ts";
import { folderAbove } from "./folders.ts";

/** A coding agent that keeps each session as one JSON document. */
export interface SessionFormat {
  readonly name: string;
  readonly title: string;
  readonly note: Omit<FormatNote, "verdict">;
  readonly source: string;
  /** Whether a document is a session; the file is for what its name says. */
  readonly isSession: (document: unknown, file: ForeignFile) => boolean;
  /** How many folders above its own the folder lies that holds all sessions of a project. */
  readonly runAbove: (file: ForeignFile) => number;
  readonly draftOf: (document: unknown, file: ForeignFile) => RolloutDraft;
  readonly absent: Readonly<Record<string, string>>;
  readonly inferred: Readonly<Record<string, string>>;
}

/** What no session of a coding agent says. */
export const absentInSessions = {
  step: "sessions are not training steps",
  reward: "a session is not evaluated",
  components: "a session is not evaluated",
  logprob_mean: "not in the session",
  seed: "not in the session",
} as const;

/** An adapter that takes one rollout from each file. */
export const sessionAdapter = (format: SessionFormat): FileAdapter => ({
  name: format.name,
  title: format.title,
  note: { ...format.note, verdict: "none: `--pass-when`" },
  source: format.source,
  provides: "rollouts",
  unit: "file",
  detect: async (file) => file.name.endsWith(".json") && format.isSession(await file.document(), file),
  runOf: (file) => {
    const up = format.runAbove(file);
    return { name: file.folders[up] ?? "sessions", path: folderAbove(file, up) };
  },
  splitOf: () => "selection",
  read: async function* (file) {
    const document = await file.document();
    if (!format.isSession(document, file)) throw new Refusal(`it is no ${format.title}`);
    yield { record: 1, drafts: [format.draftOf(document, file)] };
  },
  absent: { ...absentInSessions, ...format.absent },
  inferred: {
    item: "equal first requests are one item",
    sample: "order of the sessions",
    ...format.inferred,
  },
});
