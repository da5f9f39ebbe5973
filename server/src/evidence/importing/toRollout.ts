import { createHash } from "node:crypto";
import type { Rollout, Split, Turn } from "../../../../shared/model/rollout.ts";
import { isRollout } from "../contract/check.ts";
import { Refusal, type RolloutDraft, type Verdict } from "../adapters/parts/adapter.ts";
import { reasonForRollout } from "../contract/parse.ts";
import type { Decide, Decision } from "./decide.ts";

/** Where a draft stands: what it does not say itself comes from its file. */
export interface DraftPlace {
  readonly run: string;
  readonly split: Split;
  /** Id of the rollout when the source gives none: its place in the file. */
  readonly place: string;
  /** Gives the next free index in a group that the source does not number. */
  nextSample(group: string, step: number): number;
  /** Decides a rollout whose source has no verdict; undefined leaves it unknown. */
  readonly decide?: Decide;
  /** NaN and Infinity that were found in its record. */
  readonly nonFinite?: number;
}

/** The rollout of the contract that a draft stands for. @throws Refusal */
export function toRollout(draft: RolloutDraft, at: DraftPlace): Rollout {
  const step = wholeOr(draft.step, 0);
  const item = filled(draft.item) ?? promptItem(draft.prompt ?? firstRequest(draft.turns));
  const group = filled(draft.group) ?? `${step}/${item}`;
  const { verdict } = draft;
  const logprob = finiteOrNull(draft.logprob_mean);
  const rollout: Rollout = {
    id: filled(draft.id) ?? at.place,
    run: at.run,
    split: draft.split ?? at.split,
    step,
    item,
    group,
    sample: isCount(draft.sample) ? draft.sample : at.nextSample(group, step),
    ...outcomeOf(verdict),
    reward: finiteOrNull(draft.reward),
    components: finiteOnly(draft.components ?? {}),
    stop_reason: filled(draft.stop_reason),
    turns: [...draft.turns],
    tokens: isCount(draft.tokens) ? draft.tokens : null,
    ...(logprob === null ? {} : { logprob_mean: logprob }),
    ...originOf(draft),
    extra: {
      ...draft.extra,
      ...(at.nonFinite === undefined || at.nonFinite === 0 ? {} : { non_finite: at.nonFinite }),
    },
  };
  if (!isRollout(rollout)) throw new Refusal(reasonForRollout(rollout));
  return verdict.outcome === "none" && at.decide !== undefined
    ? decided(rollout, at.decide(rollout))
    : rollout;
}

function outcomeOf(verdict: Verdict): Pick<Rollout, "outcome" | "unknown_reason"> {
  return "reason" in verdict
    ? { outcome: "unknown", unknown_reason: verdict.reason }
    : { outcome: verdict.outcome };
}

function originOf(
  draft: RolloutDraft,
): Pick<Rollout, "policy" | "harness" | "seed" | "started_at" | "duration_ms"> {
  return {
    policy: draft.policy ?? null,
    harness: draft.harness ?? null,
    seed: Number.isSafeInteger(draft.seed) ? Number(draft.seed) : null,
    started_at: draft.started_at ?? null,
    duration_ms: nonNegative(draft.duration_ms),
  };
}

function decided(rollout: Rollout, answer: Decision): Rollout {
  if (typeof answer === "object") return { ...rollout, outcome: "unknown", unknown_reason: answer.reason };
  const known: Rollout = { ...rollout, outcome: answer };
  delete known.unknown_reason;
  return known;
}

/** The name of an item that is known by its prompt alone: the same prompt is the same item in every version. */
function promptItem(prompt: string): string {
  return `prompt-${createHash("sha256").update(prompt.trim()).digest("hex").slice(0, 12)}`;
}

function firstRequest(turns: readonly Turn[]): string {
  return turns.find((turn) => turn.role === "user")?.text ?? turns[0]?.text ?? "";
}

const filled = (text: string | null | undefined): string | null =>
  text === undefined || text === null || text === "" ? null : text;
const isCount = (n: number | null | undefined): n is number => Number.isSafeInteger(n) && Number(n) >= 0;
const wholeOr = (n: number | null | undefined, otherwise: number): number => (isCount(n) ? n : otherwise);
const finiteOrNull = (n: number | null | undefined): number | null =>
  typeof n === "number" && Number.isFinite(n) ? n : null;
const nonNegative = (n: number | null | undefined): number | null => {
  const finite = finiteOrNull(n);
  return finite === null || finite < 0 ? null : finite;
};

function finiteOnly(values: Readonly<Record<string, number | null>>): Record<string, number> {
  const kept: Record<string, number> = {};
  for (const [name, value] of Object.entries(values)) {
    const finite = finiteOrNull(value);
    if (finite !== null && name !== "__proto__") kept[name] = finite;
  }
  return kept;
}
