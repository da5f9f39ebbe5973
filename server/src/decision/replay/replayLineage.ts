import type { Decision } from "../../../../shared/ledger/ledger.ts";
import type { Comparison } from "../../../../shared/ledger/measures.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { decisionLooks } from "../../../../shared/words/decisions.ts";
import type { Aggregator } from "../../statistics/scores/outcomes.ts";
import {
  decideAgain,
  type Archived,
  type DecidedVersion,
  type Redecided,
  type Undecidable,
} from "./decideAgain.ts";
import { gateAgain, type GateChange, type RecordedAnswer } from "./gatesAgain.ts";
import type { ReplayRules } from "./rules.ts";

/** A version of a lineage as it was recorded. */
export interface RecordedVersion {
  readonly name: string;
  readonly parent: string | null;
  readonly generation: number;
  readonly decision: { readonly decision: Decision; readonly reason: string } | null;
  /** Null where no evidence decided it: it was never trained, or a person decided. */
  readonly decided: DecidedVersion | null;
  readonly archived: Archived;
  /** The last answer of its design gate; null for a version that was no proposal. */
  readonly answer: RecordedAnswer | null;
  /** The findings and labels that it answers. */
  readonly targets: readonly string[];
}

/**
 * same: decided as it was. changed: decided otherwise. not_tried: it would not have been trained, since its parent would not
 * have been kept. cannot_tell: what is left of its evidence cannot decide it. left: no evidence decided it, so no rule here
 * does.
 */
export type ReplayState = "same" | "changed" | "not_tried" | "cannot_tell" | "left";

export interface ReplayedVersion {
  readonly name: string;
  readonly parent: string | null;
  readonly state: ReplayState;
  readonly recorded: RecordedVersion["decision"];
  /** Null where it is not decided again. */
  readonly now: { readonly decision: Decision; readonly reason: string } | null;
  readonly comparison: Comparison | null;
  readonly basis: Redecided["basis"] | null;
  readonly gate: GateChange | null;
  /** Why it was not decided again, and what else a reader has to know: sentences. */
  readonly notes: readonly string[];
}

interface Context {
  readonly rules: ReplayRules;
  readonly gates: ProjectSpec["gates"];
  readonly aggregator: Aggregator;
}

/** Decides every version again, parents before their children. */
export function replayLineage(versions: readonly RecordedVersion[], context: Context): ReplayedVersion[] {
  const byName = new Map(versions.map((version) => [version.name, version]));
  const replayed = new Map<string, ReplayedVersion>();
  const history = new History();
  for (const version of versions) {
    const { parent, answer } = version;
    history.begin(version);
    const before = parent === null ? undefined : replayed.get(parent);
    const gate = gateAgain(answer, context.rules.gates, context.gates, history);
    const fallen = before === undefined ? null : whyNotTried(before);
    const one =
      fallen === null
        ? decidedAgain(version, byName, context, gate)
        : { ...unchanged(version, gate), state: "not_tried" as const, notes: [fallen] };
    const made = { ...one, notes: [...one.notes, ...notesOn(version, one, { before, ...context.rules })] };
    replayed.set(version.name, made);
    history.decided(version, made);
  }
  return versions.flatMap(({ name }) => replayed.get(name) ?? []);
}

function decidedAgain(
  version: RecordedVersion,
  byName: ReadonlyMap<string, RecordedVersion>,
  { rules, aggregator }: Context,
  gate: GateChange | null,
): ReplayedVersion {
  const { decided, decision, archived: own } = version;
  if (decided === null || decision === null)
    return { ...unchanged(version, gate), state: "left", notes: [whyLeft(version)] };
  const parent = parentOf(decided, byName);
  const again = decideAgain(decided, { own, parent, rules, aggregator });
  if (again.type === "cannot_tell")
    return { ...unchanged(version, gate), state: "cannot_tell", notes: [undecidable(again)] };
  const now = { decision: again.verdict.decision, reason: again.verdict.reason };
  return {
    ...unchanged(version, gate),
    state: isSame(decision.decision, now.decision) ? "same" : "changed",
    now,
    comparison: again.comparison,
    basis: again.basis,
    notes: again.notes,
  };
}

/** A merge of kept versions that is kept is recorded as what it is. */
const isSame = (recorded: Decision, now: Decision): boolean =>
  recorded === now || (recorded === "merge" && now === "keep");

function parentOf({ against }: DecidedVersion, byName: ReadonlyMap<string, RecordedVersion>): Archived {
  if (against === null) return { type: "missing", why: "it has no parent" };
  return byName.get(against)?.archived ?? { type: "missing", why: `the lineage has no version ${against}` };
}

const undecidable = ({ why }: Undecidable): string => `It cannot be decided again: ${why}.`;

const unchanged = (
  { name, parent, decision }: RecordedVersion,
  gate: GateChange | null,
): Omit<ReplayedVersion, "state" | "notes"> => ({
  ...{ name, parent, recorded: decision, now: null, comparison: null, basis: null, gate },
});

function whyLeft({ decision, answer }: RecordedVersion): string {
  if (decision === null) return "It is not decided yet.";
  if (decision.decision === "revert") return "A person reverted a version by it; no evidence decides that.";
  if (decision.decision === "prune")
    return answer === null || answer.answer === "approve"
      ? "It was dropped before it was trained."
      : "It was refused at its gate and never trained.";
  return "No evidence decided it.";
}

/** Decisions after which a version may be built upon. */
const standing: ReadonlySet<Decision> = new Set(["base", "keep", "merge", "edit", "revert"]);

/** Why a version whose parent was replayed so would not have been tried; null where it would, as far as anybody knows. */
function whyNotTried({ name, state, recorded, now }: ReplayedVersion): string | null {
  if (state === "not_tried")
    return `It would not have been tried: its parent ${name} would not have been tried either.`;
  // What was built on a version that was not kept was somebody's choice, which no rule here takes back.
  if (recorded === null || now === null || !standing.has(recorded.decision) || standing.has(now.decision))
    return null;
  return `It would not have been tried: its parent ${name} would have been ${decisionLooks[now.decision].became}.`;
}

function notesOn(
  { targets }: RecordedVersion,
  { now }: Pick<ReplayedVersion, "now">,
  { before, without }: { readonly before: ReplayedVersion | undefined } & Pick<ReplayRules, "without">,
): string[] {
  const notes: string[] = [];
  if (before?.state === "cannot_tell" && now !== null)
    notes.push(`Whether it would have been tried depends on ${before.name}, which cannot be decided again.`);
  if (targets.length > 0 && targets.every((target) => without.includes(target)))
    notes.push(
      `It answers only ${targets.join(", ")}, which nobody would have looked for under these rules.`,
    );
  return notes;
}

/** What the loop would have known at the design gate of each generation. */
class History {
  versionsDecided = 0;
  failuresInARow = 0;
  #generation = -1;
  #kept = 0;
  #failed = 0;
  #decided = 0;

  /** A new evolution begins with a base policy, and a generation with the first version that is of another one. */
  begin({ parent, generation }: RecordedVersion): void {
    if (generation === this.#generation && parent !== null) return;
    this.versionsDecided += this.#decided;
    this.failuresInARow = this.#kept > 0 ? 0 : this.failuresInARow + this.#failed;
    if (parent === null) [this.versionsDecided, this.failuresInARow] = [0, 0];
    this.#generation = generation;
    [this.#kept, this.#failed, this.#decided] = [0, 0, 0];
  }

  decided({ answer }: RecordedVersion, { state, recorded, now }: ReplayedVersion): void {
    if (answer === null || state === "not_tried") return;
    const decision = (now ?? recorded)?.decision;
    if (decision === undefined || decision === "revert") return;
    this.#decided++;
    if (decision === "keep" || decision === "merge") this.#kept++;
    else if (decision !== "prune") this.#failed++;
  }
}
