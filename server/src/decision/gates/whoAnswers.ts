import { gateNames, type GateName, type GatesSpec } from "../../../../shared/spec/gates.ts";
import type { Proposer } from "../../project/proposersOf.ts";

/** What the gates go by besides their settings, as the ledger has it. */
export interface GateHistory {
  /** Versions of this domain that were decided before. */
  readonly versionsDecided: number;
  readonly failuresInARow: number;
}

export interface GateQuestion extends GateHistory {
  readonly gate: GateName;
  readonly gates: GatesSpec;
  readonly proposers: readonly Proposer[];
  /** The kind of who made the draft; null where nobody drafted anything, as after a diagnosis. */
  readonly author: string | null;
}

/**
 * Who must answer a gate, and why. `by` is what the ledger records, null where nobody is asked by name, as usual at the
 * diagnosis and the backtest gate. `isEscalated`: because versions failed in a row.
 */
export type Answerer =
  | { readonly who: "rule"; readonly by: string | null }
  | { readonly who: "human"; readonly why: string; readonly isEscalated: boolean }
  | { readonly who: "proposer"; readonly names: readonly string[]; readonly why: string }
  | { readonly who: "nobody"; readonly why: string };

/** The gates that wait for a person at first and after failures: what follows them is paid, or cannot be undone. */
const guarded: ReadonlySet<GateName> = new Set(["design", "completion"]);

/** Who answers a gate: a person for the first versions and after failures in a row, otherwise whoever the project names. */
export function whoAnswers(question: GateQuestion): Answerer {
  const { gate, gates, versionsDecided, failuresInARow } = question;
  const human = (why: string, isEscalated = false): Answerer => ({ who: "human", why, isEscalated });
  const named = gates[gate];
  if (guarded.has(gate) && failuresInARow >= gates.escalateAfterFailures)
    return human(failuresText(failuresInARow), true);
  if (named === undefined && guarded.has(gate) && gates.autonomy === "human_gated")
    return human("the project is human-gated");
  if (named === "human") return human(`\`gates.${gate}\` in evotrainer.yaml asks a person`);
  if (guarded.has(gate) && versionsDecided < gates.firstVersionsGated)
    return human(
      `the first ${gates.firstVersionsGated} versions of a domain wait for a human, and ${versionsDecided === 1 ? "1 has" : `${versionsDecided} have`} been decided so far`,
    );
  if (named === "proposer-of-another-kind") return anotherProposer(question);
  if (named === "rule") return { who: "rule", by: `rule: gates.${gate}` };
  return { who: "rule", by: guarded.has(gate) ? "rule: autonomy full" : null };
}

const failuresText = (failures: number): string =>
  failures === 1 ? "the last version was not kept" : `${failures} versions in a row were not kept`;

function anotherProposer({ gate, proposers, author }: GateQuestion): Answerer {
  const names = proposers.filter((p) => p.reviews && p.kind !== author).map(({ name }) => name);
  if (names.length === 0) return { who: "nobody", why: nobodyText(gate, proposers) };
  return {
    who: "proposer",
    names,
    why: `\`gates.${gate}\` in evotrainer.yaml asks a proposer of another kind than the author`,
  };
}

function nobodyText(gate: GateName, proposers: readonly Proposer[]): string {
  const lack =
    proposers.length === 1
      ? `${proposers[0]?.name ?? ""} is the only proposer of this project`
      : "no other proposer of this project can answer for every author";
  return `Nobody can answer the ${gate} gate: \`gates.${gate}\` asks a proposer of another kind than the author, and ${lack}; write human or rule there, and commit.`;
}

/** The gates that nobody can answer as the project is declared, with a sentence each. */
export function unanswerableGates(
  gates: GatesSpec,
  proposers: readonly Proposer[],
): { readonly gate: GateName; readonly message: string }[] {
  const named = gateNames.filter((gate) => gates[gate] === "proposer-of-another-kind");
  const authors = new Set(proposers.map(({ kind }) => kind));
  const isAnswered = [...authors].every((author) => proposers.some((p) => p.reviews && p.kind !== author));
  return isAnswered ? [] : named.map((gate) => ({ gate, message: nobodyText(gate, proposers) }));
}

/** What comes of a gate that has no answer yet. */
export type Passage =
  | { readonly type: "passes"; readonly by: string | null }
  | { readonly type: "waits"; readonly why: string }
  | { readonly type: "closed"; readonly reason: string };

/**
 * Whether a gate is passed without asking: by the rule, or by the person who approved the gates of this run in advance. An
 * approval in advance does not answer an escalation: nobody knew of the failures when it was given.
 */
export function passage(answerer: Answerer, inAdvance: string | null): Passage {
  switch (answerer.who) {
    case "rule":
      return { type: "passes", by: answerer.by };
    case "human":
      return inAdvance !== null && !answerer.isEscalated
        ? { type: "passes", by: inAdvance }
        : { type: "waits", why: answerer.why };
    case "proposer":
      return { type: "waits", why: `${answerer.why}: ${answerer.names.join(", ")}` };
    case "nobody":
      return { type: "closed", reason: answerer.why };
  }
}
