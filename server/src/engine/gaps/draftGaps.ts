import type { GapDraft } from "../../../../shared/protocol/results/gaps.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { compileLabel } from "../../diagnosis/label/compileLabel.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { wholeRollouts } from "../../evidence/queries/wholeRollouts.ts";
import type { EvidenceScope } from "../../evidence/store/split.ts";
import { addBit, emptyBits } from "../../gaps/bits.ts";
import { induce } from "../../gaps/contrast.ts";
import { contrastKinds, type ContrastKind } from "../../gaps/contrasts.ts";
import { draftCondition, draftSpec, draftText, type DraftCondition } from "../../gaps/draftSpec.ts";
import { FeatureTable } from "../../gaps/featureTable.ts";
import { halvesOf } from "../../gaps/halves.ts";
import { holdsUp, judge, type Judged } from "../../gaps/judged.ts";
import { compilePredicate } from "../../predicate/compile.ts";
import { rolloutFacts } from "../../predicate/facts.ts";
import type { GapEvidence, GapRollout } from "./gapEvidence.ts";

/** A label and for which rollouts of the evidence it holds. */
export interface HeldLabel {
  readonly name: string;
  readonly held: string;
}

export interface DraftQuestion {
  readonly evidence: GapEvidence;
  /** The scopes of the evidence, in its order. */
  readonly scopes: readonly EvidenceScope[];
  readonly inForce: readonly HeldLabel[];
  readonly withheld: readonly HeldLabel[];
  /** Names that a draft must not have. */
  readonly taken: readonly string[];
  readonly domain: string;
  readonly seed: number;
  readonly onRollouts: (done: number, total: number) => void;
}

export interface Drafted {
  readonly from: number;
  readonly judgedOn: number;
  readonly tried: number;
  readonly chance: number;
  readonly repeats: number;
  readonly drafts: readonly GapDraft[];
}

/** Drafts of one contrast, and the fewest positives that one has to hold for. */
const perContrast = 8;
const least = 5;
/** Rollouts that are read in one go. */
const readAtOnce = 1000;
/** From this overlap on a draft says what another label says. */
const sameAs = 0.9;
const shownOverlaps = 3;
const shownExamples = 3;

interface Candidate {
  readonly kind: ContrastKind;
  readonly condition: DraftCondition;
  readonly spec: DiagnosticSpec;
}

/** Induces drafts on one half of the rollouts and judges them on the other. Stores nothing. */
export async function draftGaps(store: Store, question: DraftQuestion): Promise<Drafted> {
  const { evidence, inForce, seed } = question;
  const { rollouts } = evidence;
  const isSeen = halvesOf(rollouts, seed);
  const places = rollouts.flatMap((_, i) => (isSeen[i] === true ? [i] : []));
  const sides = sidesOf(rollouts, inForce);
  const candidates = await induceAll(store, question, places, sides);
  const held = await evidence.held(candidates.map(({ spec }) => spec));
  const unseen = rollouts.flatMap((_, i) => (isSeen[i] === true ? [] : [i]));
  const judged = candidates.map((candidate, i) => {
    const text = held[i] ?? "";
    const seenBy = unseen.map((at) => ({
      item: rollouts[at]?.item ?? "",
      side: sides(candidate.kind, at),
      held: text[at] === "1",
    }));
    return { ...candidate, text, judged: judge(seenBy) };
  });
  const telling = judged.filter((one) => holdsUp(one.judged));
  const kept: (typeof judged)[number][] = [];
  for (const one of telling.sort((a, b) => worth(b.judged) - worth(a.judged)))
    if (
      ![...inForce.map((l) => l.held), ...kept.map((k) => k.text)].some(
        (t) => overlap(one.text, t, unseen) >= sameAs,
      )
    )
      kept.push(one);
  const drafts: GapDraft[] = [];
  for (const one of kept) drafts.push(await told(store, question, one, unseen));
  return {
    ...{ from: places.length, judgedOn: unseen.length, tried: judged.length },
    ...{ chance: judged.length - telling.length, repeats: telling.length - kept.length, drafts },
  };
}

/** What holds for the more of one side and surely for the fewer of the other comes first. */
const worth = ({ surely }: Judged): number => surely ?? 0;

type Sides = (kind: ContrastKind, at: number) => "positive" | "negative" | null;

function sidesOf(rollouts: readonly GapRollout[], inForce: readonly HeldLabel[]): Sides {
  const contrasted = rollouts.map(({ own, outcome }, i) => ({
    ...{ own, outcome },
    labelled: inForce.some(({ held }) => held[i] === "1"),
  }));
  return (kind, at) => {
    const rollout = contrasted[at];
    return rollout === undefined ? null : kind.side(rollout);
  };
}

async function induceAll(
  store: Store,
  { scopes, evidence: { rollouts }, taken, onRollouts }: DraftQuestion,
  places: readonly number[],
  sides: Sides,
): Promise<Candidate[]> {
  const table = new FeatureTable();
  for (const [i, scope] of scopes.entries()) {
    const rids = places.flatMap((at) => (rollouts[at]?.own === (i === 0) ? [rollouts[at].rid] : []));
    for (let from = 0; from < rids.length; from += readAtOnce) {
      onRollouts(table.size, places.length);
      for await (const { rollout } of wholeRollouts(store, {
        scope,
        rids: rids.slice(from, from + readAtOnce),
      }))
        table.add(rollout);
    }
  }
  const atoms = table.atoms(least);
  const names = new Set(taken);
  const conditions = new Set<string>();
  const candidates: Candidate[] = [];
  for (const kind of contrastKinds) {
    if (kind.needsOther && scopes.length < 2) continue;
    const [positive, negative] = [emptyBits(places.length), emptyBits(places.length)];
    for (const [i, at] of places.entries()) {
      const side = sides(kind, at);
      if (side !== null) addBit(side === "positive" ? positive : negative, i);
    }
    for (const found of induce(atoms, { positive, negative }, { least, most: perContrast })) {
      const condition = draftCondition(found, kind, names);
      const spec = draftSpec(condition);
      if (conditions.has(condition.when) || !compileLabel(spec).ok) continue;
      conditions.add(condition.when);
      candidates.push({ kind, condition, spec });
    }
  }
  return candidates;
}

function overlap(a: string, b: string, places: readonly number[]): number {
  let [common, either] = [0, 0];
  for (const at of places) {
    const [inA, inB] = [a[at] === "1", b[at] === "1"];
    if (inA && inB) common += 1;
    if (inA || inB) either += 1;
  }
  return either === 0 ? 0 : common / either;
}

function overlapsWith(text: string, labels: readonly HeldLabel[], places: readonly number[]) {
  return labels
    .map(({ name, held }) => ({ label: name, jaccard: overlap(text, held, places) }))
    .filter(({ jaccard }) => jaccard > 0)
    .sort((a, b) => b.jaccard - a.jaccard || (a.label < b.label ? -1 : 1));
}

async function told(
  store: Store,
  { scopes, evidence: { rollouts }, inForce, withheld, domain }: DraftQuestion,
  { kind, condition, text, judged }: Candidate & { readonly text: string; readonly judged: Judged },
  unseen: readonly number[],
): Promise<GapDraft> {
  const chosen = (holds: string, side: "positive" | "negative"): GapRollout[] =>
    unseen.flatMap((at) => {
      const rollout = rollouts[at];
      return rollout !== undefined && text[at] === holds && rollout.own === (side === "positive")
        ? [rollout]
        : [];
    });
  const labelled = chosen("1", "positive").slice(0, shownExamples);
  const clear = [...chosen("0", "positive"), ...chosen("0", "negative")].slice(0, 1);
  const nameOf = ({ run, id }: GapRollout): string => `${run}/${id}`;
  const { precision, recall, base, support } = judged;
  return {
    ...{ name: condition.name, contrast: kind.name, says: kind.says },
    ...{ when: condition.when, evidence: condition.evidence },
    ...{ support, precision, recall, base },
    overlaps: overlapsWith(text, inForce, unseen).slice(0, shownOverlaps),
    withheld: overlapsWith(text, withheld, unseen),
    examples: await examplesOf(store, { scope: scopes[0], evidence: condition.evidence }, labelled),
    text: draftText(condition, {
      ...{ description: `Drafted from rollouts: it tells ${kind.says}.`, domain },
      labelled: labelled.slice(0, 2).map(nameOf),
      clear: clear.map(nameOf),
    }),
  };
}

/** The turns that show the draft in some rollouts. */
async function examplesOf(
  store: Store,
  { scope, evidence }: { readonly scope: EvidenceScope | undefined; readonly evidence: string | null },
  rollouts: readonly GapRollout[],
): Promise<GapDraft["examples"]> {
  if (scope === undefined || rollouts.length === 0) return [];
  const compiled = evidence === null ? null : compilePredicate(evidence, "turn", {});
  const found: GapDraft["examples"] = [];
  for await (const { rollout } of wholeRollouts(store, { scope, rids: rollouts.map(({ rid }) => rid) })) {
    const shows = compiled?.ok === true ? compiled.predicate : null;
    const facts = rolloutFacts(rollout);
    const turns = rollout.turns.flatMap((_, i) => (shows?.test(facts, i) === true ? [i] : []));
    found.push({ rollout: `${rollout.run}/${rollout.id}`, turns });
  }
  return found;
}
