import type { NewWay } from "../../../../shared/ledger/newWay.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import type { Store } from "../../evidence/archive/store.ts";
import type { EvidenceScope } from "../../evidence/store/split.ts";
import { halvesOf } from "../../gaps/halves.ts";
import { readFeatures } from "./features.ts";
import { fewestNewPasses, findWays, tellWay } from "./findWays.ts";
import { gapEvidence } from "./gapEvidence.ts";

/** Which items ways are made from, and which they are judged on: what `gaps` takes where nobody asks for another. */
const seed = 1;

/** The new ways to pass of a version against its parent, on the selection split; `gaps` finds the same. */
export async function newWaysOf(
  store: Store,
  {
    version,
    parent,
    labels,
    signal,
  }: {
    readonly version: string;
    readonly parent: string;
    /** Diagnostics over rollouts that are in force. */
    readonly labels: readonly DiagnosticSpec[];
    readonly signal: AbortSignal;
  },
): Promise<NewWay[]> {
  const scopes: readonly [EvidenceScope, EvidenceScope] = [
    { split: "selection", version },
    { split: "selection", version: parent },
  ];
  const evidence = await gapEvidence(store, scopes);
  const { rollouts } = evidence;
  const isSeen = halvesOf(rollouts, seed);
  const places = rollouts.flatMap((_, i) => (isSeen[i] === true ? [i] : []));
  const unseen = rollouts.flatMap((_, i) => (isSeen[i] === true ? [] : [i]));
  const table = await readFeatures(
    store,
    { scopes, rollouts, onRollouts: () => signal.throwIfAborted() },
    places,
  );
  const names = new Set(labels.map(({ name }) => name));
  const { found } = await findWays({ evidence, atoms: table.atoms(fewestNewPasses), places, unseen, names });
  if (found.length === 0) return [];
  const held = await evidence.held(labels);
  const known = labels.map(({ name }, i) => ({ name, held: held[i] ?? "" }));
  const told: NewWay[] = [];
  for (const way of found) told.push(await tellWay(store, way, { scopes, rollouts, unseen, labels: known }));
  return told;
}
