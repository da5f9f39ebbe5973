import type { NewWay } from "../../../../shared/ledger/newWay.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { compileLabel } from "../../diagnosis/label/compileLabel.ts";
import type { Store } from "../../evidence/archive/store.ts";
import type { EvidenceScope } from "../../evidence/store/split.ts";
import { addBit, emptyBits } from "../../gaps/bits.ts";
import { newWayKind } from "../../gaps/contrasts.ts";
import { draftCondition, draftSpec, type DraftCondition } from "../../gaps/draftSpec.ts";
import type { HeldAtom } from "../../gaps/featureTable.ts";
import { failedItems, induceWays, isNewWay, judgeWay, type WayJudged } from "../../gaps/newWay.ts";
import type { GapEvidence, GapRollout } from "./gapEvidence.ts";
import { examplesOf, overlap, sameAs } from "./shown.ts";

/** A new way to pass, and for which rollouts of the evidence it holds. */
export interface FoundWay {
  readonly condition: DraftCondition;
  readonly spec: DiagnosticSpec;
  readonly text: string;
  readonly judged: WayJudged;
}

/** New passes below which nothing is said. */
export const fewestNewPasses = 5;
const shownExamples = 3;

/** New ways to pass, induced at some places of the evidence and judged at others, the one that most new passes share first. */
export async function findWays({
  evidence,
  atoms,
  places,
  unseen,
  names,
}: {
  readonly evidence: GapEvidence;
  /** Of the rollouts at `places`. */
  readonly atoms: readonly HeldAtom[];
  readonly places: readonly number[];
  readonly unseen: readonly number[];
  /** Names that are in use; those of the ways are added. */
  readonly names: Set<string>;
}): Promise<{ readonly found: readonly FoundWay[]; readonly tried: number }> {
  const { rollouts } = evidence;
  const failed = failedItems(rollouts);
  const [newPasses, parentPasses] = [emptyBits(places.length), emptyBits(places.length)];
  for (const [i, at] of places.entries()) {
    const rollout = rollouts[at];
    if (rollout?.outcome !== "pass") continue;
    if (!rollout.own) addBit(parentPasses, i);
    else if (failed.has(rollout.item)) addBit(newPasses, i);
  }
  // What is not told leaves its name to another draft.
  const tryNames = new Set(names);
  const tried = induceWays(atoms, { newPasses, parentPasses, least: fewestNewPasses }).flatMap((found) => {
    const condition = draftCondition(found, newWayKind, tryNames);
    const spec = draftSpec(condition);
    return compileLabel(spec).ok ? [{ condition, spec }] : [];
  });
  const held = await evidence.held(tried.map(({ spec }) => spec));
  // The draft holds for passes alone; how many of its rollouts pass is asked of what it requires besides.
  const bare = await evidence.held(
    tried.map(({ spec, condition: { when } }) => withoutOutcome({ ...spec, when })),
  );
  const found = tried.flatMap((one, i) => {
    const judged = judgeWay(
      unseen.flatMap((at) => {
        const rollout = rollouts[at];
        return rollout === undefined ? [] : [{ ...rollout, held: bare[i]?.[at] === "1" }];
      }),
      failed,
    );
    return judged !== null && isNewWay(judged) ? [{ ...one, text: held[i] ?? "", judged }] : [];
  });
  for (const { condition } of found) names.add(condition.name);
  return { found, tried: tried.length };
}

function withoutOutcome({ when, ...spec }: DiagnosticSpec & { readonly when: string }): DiagnosticSpec {
  const outcome = `${newWayKind.within ?? ""} && `;
  return { ...spec, label: { ...spec.label, when: when.replace(outcome, "") } };
}

/** The way as the ledger has it. */
export async function tellWay(
  store: Store,
  { condition, text, judged }: FoundWay,
  {
    scopes,
    rollouts,
    unseen,
    labels,
  }: {
    readonly scopes: readonly EvidenceScope[];
    readonly rollouts: readonly GapRollout[];
    readonly unseen: readonly number[];
    readonly labels: readonly { readonly name: string; readonly held: string }[];
  },
): Promise<NewWay> {
  const chosen = unseen.flatMap((at) => {
    const rollout = rollouts[at];
    return rollout?.own === true && text[at] === "1" ? [rollout] : [];
  });
  const same = labels.find(({ held }) => overlap(text, held, unseen) >= sameAs);
  return {
    ...{ name: condition.name, when: condition.when, label: same?.name ?? null, ...judged },
    examples: await examplesOf(
      store,
      { scope: scopes[0], evidence: condition.evidence },
      chosen.slice(0, shownExamples),
    ),
  };
}
