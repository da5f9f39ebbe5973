/**
 * Every decision, answer, verdict, outcome and state with the word, the signs and the colour by which it is said and shown:
 * on the command line, in the side bar and in the views. Sign and word tell it as well: the colour is never alone.
 */

/** What can be decided of a version. */
export const decisions = ["base", "keep", "reject", "invalid", "edit", "prune", "merge", "revert"] as const;

/** As shown: a version that waits for its decision is pending. */
export const shownDecisions = [...decisions, "pending"] as const;
export type ShownDecision = (typeof shownDecisions)[number];

/** What can be answered at a gate. */
export const gateAnswers = ["approve", "revise", "reject"] as const;
export type GateAnswerWord = (typeof gateAnswers)[number];

/** Who answers a gate: a rule does so when the evolution goes on; nobody can where the project names no one who may. */
export const gateAnswerers = ["person", "proposer", "rule", "nobody"] as const;
export type GateAnswererWord = (typeof gateAnswerers)[number];

/** Where a proposal stands; what each means is said in server/src/proposals/standing/proposal.ts. */
export const proposalStates = ["waiting", "revising", "taken", "rejected", "dropped"] as const;
export type ProposalStateWord = (typeof proposalStates)[number];

/** How a version compares with another. */
export const verdicts = ["improved", "regressed", "inside_noise", "withheld"] as const;
export type VerdictWord = (typeof verdicts)[number];

/** What the score on the audit split says beside that on the selection split; docs/statistics.md tells them apart. */
export const auditVerdicts = ["inside_noise", "overfits", "harder", "easier"] as const;
export type AuditVerdictWord = (typeof auditVerdicts)[number];

export type Outcome = "pass" | "fail" | "unknown";
export type Alert = "warning" | "critical";

/**
 * A colour by name; what it is in each surface is said below. Magenta is of what is not to be trusted: no theme has it near red,
 * green or yellow, as light themes have orange near yellow and a high contrast one has it as blue.
 */
export type Colour = "green" | "red" | "magenta" | "yellow" | "blue" | "purple" | "foreground" | "quiet";

/** The colours of VS Code's themes. */
export const themeColours: Readonly<Record<Colour, string>> = {
  green: "charts.green",
  red: "charts.red",
  magenta: "terminal.ansiMagenta",
  yellow: "charts.yellow",
  blue: "charts.blue",
  purple: "charts.purple",
  foreground: "charts.foreground",
  quiet: "disabledForeground",
};

/** The colours that a terminal has. */
export const terminalColours = {
  green: "green",
  red: "red",
  magenta: "magenta",
  yellow: "yellow",
  blue: "cyan",
  purple: "green",
  foreground: "cyan",
  quiet: "yellow",
} as const satisfies Readonly<Record<Colour, string>>;

export interface Look {
  /** In a sentence or a cell. */
  readonly word: string;
  /** One character, for a terminal or a page. */
  readonly mark: string;
  /** A codicon. */
  readonly icon: string;
  readonly colour: Colour;
}

export interface DecisionLook extends Look {
  /** What became of the version: `kept` where the decision is `keep`. */
  readonly became: string;
  /** The form that a graph draws. */
  readonly shape: "circle" | "cross" | "triangle" | "square" | "diamond" | "wye";
  /** Whether the form is an outline. */
  readonly isOpen: boolean;
}

const decision = (
  [word, became]: readonly [string, string],
  [mark, icon, colour]: readonly [string, string, Colour],
  [shape, fill]: readonly [DecisionLook["shape"], "open" | "filled"],
): DecisionLook => ({ word, became, mark, icon, colour, shape, isOpen: fill === "open" });

export const decisionLooks: Readonly<Record<ShownDecision, DecisionLook>> = {
  base: decision(["base", "base"], ["○", "circle-large-outline", "foreground"], ["circle", "open"]),
  keep: decision(["keep", "kept"], ["●", "pass-filled", "green"], ["circle", "filled"]),
  reject: decision(["reject", "rejected"], ["×", "close", "red"], ["cross", "open"]),
  invalid: decision(["invalid", "invalid"], ["⊘", "warning", "magenta"], ["triangle", "filled"]),
  edit: decision(["edit", "edited"], ["✎", "edit", "blue"], ["square", "filled"]),
  prune: decision(["prune", "pruned"], ["-", "trash", "quiet"], ["square", "open"]),
  merge: decision(["merge", "merged"], ["◆", "git-merge", "purple"], ["diamond", "filled"]),
  revert: decision(["revert", "reverted"], ["↺", "discard", "yellow"], ["wye", "filled"]),
  pending: decision(["pending", "proposed"], ["…", "clock", "blue"], ["diamond", "open"]),
};

/** A version that was rejected because nothing showed that it differs is not as bad as one that was found to be worse. */
const undecidedLook: DecisionLook = {
  ...decisionLooks.reject,
  became: "rejected, inside the noise",
  colour: "foreground",
};

/** How the decision of a version is shown, by how the version compares with what it was decided against. */
export const decisionLook = (decision: ShownDecision, verdict?: VerdictWord): DecisionLook =>
  decision === "reject" && verdict === "inside_noise" ? undecidedLook : decisionLooks[decision];

/** What was answered, as a report of it says. */
export const answeredWords: Readonly<Record<GateAnswerWord, string>> = {
  approve: "approved",
  revise: "sent back",
  reject: "rejected",
};

/** What a person does by an answer, as a button says. */
export const answerTitles: Readonly<Record<GateAnswerWord, string>> = {
  approve: "Approve",
  revise: "Revise",
  reject: "Reject",
};

const state = (word: string, mark: string, icon: string, colour: Colour): Look => ({
  word,
  mark,
  icon,
  colour,
});

export const proposalLooks: Readonly<Record<ProposalStateWord, Look>> = {
  waiting: state("waiting for an answer", "…", "git-pull-request", "blue"),
  revising: state("sent back to its proposer", "↩", "reply", "yellow"),
  taken: state("approved", "✓", "pass", "green"),
  rejected: state("rejected", "×", "close", "red"),
  dropped: state("dropped", "-", "trash", "quiet"),
};

/** Who answers where no person has to: the rules that evotrainer.yaml sets. */
export const rulesDecide = "the project's rules decide";

/** Whom a proposal waits for, in the place of `waiting for an answer`. */
export const waitingWords: Readonly<Record<GateAnswererWord, string>> = {
  person: "waiting for a person",
  proposer: "waiting for another proposer",
  rule: rulesDecide,
  nobody: "nobody can answer it",
};

export const verdictLooks: Readonly<Record<VerdictWord, Look>> = {
  improved: state("improved", "▲", "arrow-up", "green"),
  regressed: state("regressed", "▼", "arrow-down", "red"),
  inside_noise: state("inside the noise", "≈", "dash", "foreground"),
  withheld: state("no verdict", "?", "question", "yellow"),
};

/** Said behind how far the audit lies from the score. */
export const auditLooks: Readonly<Record<AuditVerdictWord, Look>> = {
  inside_noise: verdictLooks.inside_noise,
  overfits: state("may overfit the selection split", "?", "question", "yellow"),
  harder: state("the audit's items are harder", "≠", "info", "foreground"),
  easier: state("the audit's items are easier", "≠", "info", "foreground"),
};

export const outcomeLooks: Readonly<Record<Outcome, Look>> = {
  pass: state("passed", "✓", "pass", "green"),
  fail: state("failed", "✗", "error", "red"),
  unknown: state("unknown", "?", "question", "yellow"),
};

export const alertLooks: Readonly<Record<Alert, Look>> = {
  warning: state("warning alert", "△", "warning", "yellow"),
  critical: state("critical alert", "‼", "error", "red"),
};

/**
 * A job that is not over waits, runs, or has ended without having been judged. One that finished has only come to its end: a tick
 * is of what was found to be good, which its version may not be.
 */
export const jobLooks = {
  running: state("running", "▶", "sync~spin", "blue"),
  queued: state("waiting", "◷", "clock", "blue"),
  checking: state("not judged yet", "◉", "eye", "blue"),
  finished: state("finished", "■", "circle-small-filled", "foreground"),
  failed: state("failed", "✗", "error", "red"),
  lost: state("lost", "?", "question", "yellow"),
  cancelled: state("cancelled", "⊘", "circle-slash", "quiet"),
} as const satisfies Readonly<Record<string, Look>>;

/** A job that finished although what it trained got worse is no success. */
const collapsedLook = state("finished, but its score fell", "▼", "arrow-down", "red");

/** Neither is one whose version does not count. */
const notValidLook = state("finished, not valid", "⊘", "warning", "magenta");

/** How a job is said and shown. */
export function jobLook(job: {
  readonly state: keyof typeof jobLooks;
  readonly collapsedAt?: number | undefined;
  readonly notValid?: true | undefined;
}): Look {
  if (job.state === "finished" && job.notValid === true) return notValidLook;
  return job.collapsedAt === undefined ? jobLooks[job.state] : collapsedLook;
}

export const evolutionIcons = {
  none: "circle-outline",
  running: "sync~spin",
  gate: "bell",
  interrupted: "debug-pause",
  blocked: "error",
  failed: "error",
  done: "circle-small-filled",
} as const;
