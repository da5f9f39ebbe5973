import { versionName } from "../../proposals/proposal.ts";
import type { ComposedDraft } from "../../proposals/composedDraft.ts";
import type { LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";

/** What a candidate is composed of: two kept versions, or one without the edit of another. */
export type Composition = Pick<Candidate, "parent" | "merges" | "without">;

/** What this place needs of the loop's ports. */
export type ComposePort = Pick<LoopPorts, "compose" | "emit">;

/** After so many failures in a row an edit that is not needed any more is looked for. */
const failuresBeforeSubtracting = 3;

/** What makes the place of a candidate in the state. */
type Told = Pick<Candidate, "version" | "parent" | "title" | "finding" | "because"> & Partial<Candidate>;

/**
 * The candidate of a generation that is made of kept versions, one at most: two kept versions of which neither comes from the
 * other are merged; after failures in a row, and in the last generation, one kept edit is left out of the best version.
 */
export async function composeCandidate(
  state: LoopState,
  number: number,
  make: (told: Told) => Candidate,
  ports: ComposePort,
): Promise<Candidate | null> {
  const { champion, generation, generations, failuresInARow } = state;
  if (champion === null || state.grounds.every(({ parent }) => parent !== champion)) return null;
  const merged = await ports.compose({ type: "merge", champion });
  const mayBeTooMuch = failuresInARow >= failuresBeforeSubtracting || generation === generations;
  const draft = merged ?? (mayBeTooMuch ? await ports.compose({ type: "subtract", champion }) : null);
  return draft === null ? null : make(toldOf(draft, number));
}

function toldOf({ spec, parent, because, merges, without }: ComposedDraft, number: number): Told {
  return {
    ...{ version: versionName(number, spec.name), parent: parent.name, title: spec.hypothesis.change },
    ...{ finding: null, because, merges: merges ?? null, without: without ?? null },
  };
}

/** The draft of a composed candidate once more, or null where the versions cannot be composed any more. */
export async function composedAgain(
  { parent, merges, without }: Composition,
  ports: ComposePort,
): Promise<ComposedDraft | null> {
  if (parent === null) return null;
  if (merges !== null) return ports.compose({ type: "merge", champion: parent, of: [parent, merges] });
  return without === null ? null : ports.compose({ type: "subtract", champion: parent, without });
}
