import type { NewWay } from "../../../../shared/ledger/newWay.ts";
import type { GapDraft } from "../../../../shared/protocol/results/gaps.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { compileLabel } from "../../diagnosis/label/compileLabel.ts";
import type { Store } from "../../evidence/archive/store.ts";
import type { EvidenceScope } from "../../evidence/store/split.ts";
import { addBit, emptyBits } from "../../gaps/bits.ts";
import { induce } from "../../gaps/contrast.ts";
import { contrastKinds, newWayKind, type ContrastKind } from "../../gaps/contrasts.ts";
import { draftCondition, draftSpec, draftText, type DraftCondition } from "../../gaps/draftSpec.ts";
import type { HeldAtom } from "../../gaps/featureTable.ts";
import { halvesOf } from "../../gaps/halves.ts";
import { holdsUp, judge, type Judged } from "../../gaps/judged.ts";
import { failedItems } from "../../gaps/newWay.ts";
import { readFeatures } from "./features.ts";
import type { GapEvidence, GapRollout } from "./gapEvidence.ts";
import { findWays, tellWay } from "./findWays.ts";
import { examplesOf, overlap, sameAs } from "./shown.ts";

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
  readonly newWays: readonly NewWay[];
}

/** Drafts of one contrast, and the fewest positives that one has to hold for. */
const perContrast = 8;
const least = 5;
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
  const unseen = rollouts.flatMap((_, i) => (isSeen[i] === true ? [] : [i]));
  const sides = sidesOf(rollouts, inForce);
  const table = await readFeatures(store, { ...question, rollouts }, places);
  const atoms = table.atoms(least);
  const names = new Set(question.taken);
  const ways = await findWays({ evidence, atoms, places, unseen, names });
  const candidates = induceAll(question, { atoms, places, sides, names });
  const held = await evidence.held(candidates.map(({ spec }) => spec));
  const seenBy = (kind: ContrastKind, text: string): Judged =>
    judge(
      unseen.map((at) => ({
        item: rollouts[at]?.item ?? "",
        side: sides(kind, at),
        held: text[at] === "1",
      })),
    );
  const judged = candidates.map((candidate, i) => {
    const text = held[i] ?? "";
    return { ...candidate, text, judged: seenBy(candidate.kind, text) };
  });
  const telling = judged.filter((one) => holdsUp(one.judged));
  const byWays = ways.found.map((way) => ({
    ...{ ...way, kind: newWayKind, judged: seenBy(newWayKind, way.text) },
  }));
  const kept: (Candidate & { text: string; judged: Judged })[] = [];
  // A new way to pass is drafted even where a label that means something else happens to hold for the same rollouts.
  const labels = inForce.map((l) => l.held);
  for (const [one, others] of [
    ...byWays.map((way) => [way, []] as const),
    ...telling.sort((a, b) => worth(b.judged) - worth(a.judged)).map((draft) => [draft, labels] as const),
  ])
    if (![...others, ...kept.map((k) => k.text)].some((t) => overlap(one.text, t, unseen) >= sameAs))
      kept.push(one);
  const drafts: GapDraft[] = [];
  for (const one of kept) drafts.push(await told(store, question, one, unseen));
  const left = byWays.length + telling.length - kept.length;
  const newWays: NewWay[] = [];
  for (const way of ways.found)
    newWays.push(await tellWay(store, way, { ...question, rollouts, unseen, labels: inForce }));
  return {
    ...{ from: places.length, judgedOn: unseen.length, tried: judged.length + ways.tried },
    ...{ chance: judged.length - telling.length + ways.tried - ways.found.length, repeats: left, drafts },
    newWays,
  };
}

/** What holds for the more of one side and surely for the fewer of the other comes first. */
const worth = ({ surely }: Judged): number => surely ?? 0;

type Sides = (kind: ContrastKind, at: number) => "positive" | "negative" | null;

function sidesOf(rollouts: readonly GapRollout[], inForce: readonly HeldLabel[]): Sides {
  const failed = failedItems(rollouts);
  const contrasted = rollouts.map(({ own, outcome, item }, i) => ({
    ...{ own, outcome, failedBefore: failed.has(item) },
    labelled: inForce.some(({ held }) => held[i] === "1"),
  }));
  return (kind, at) => {
    const rollout = contrasted[at];
    return rollout === undefined ? null : kind.side(rollout);
  };
}

function induceAll(
  { scopes }: DraftQuestion,
  {
    atoms,
    places,
    sides,
    names,
  }: {
    readonly atoms: readonly HeldAtom[];
    readonly places: readonly number[];
    readonly sides: Sides;
    readonly names: Set<string>;
  },
): Candidate[] {
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
