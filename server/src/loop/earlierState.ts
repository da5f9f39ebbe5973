import { z } from "zod";

/** What counts of the state that the release before wrote; the rest is as it was. */
const Before = z.looseObject({
  schema: z.literal(1),
  phase: z.string(),
  step: z.string(),
  champion: z.string().nullable(),
  findings: z.array(z.unknown()),
  candidates: z.array(z.looseObject({ parent: z.string().nullable() })),
});

/**
 * The state of the release before as one of this release; anything else as it is. That release trained all seeds of a
 * version at once: a generation whose training it began is trained again from its first seed on, where its jobs are found.
 */
export function upgraded(told: unknown): unknown {
  const before = Before.safeParse(told);
  if (!before.success) return told;
  const { findings, candidates, ...rest } = before.data;
  const isTrained = ["train", "verify", "decide"].includes(rest.step);
  return {
    ...rest,
    schema: 2,
    step: isTrained ? "train" : rest.step,
    calibrated: false,
    grounds: rest.champion === null ? [] : [{ parent: rest.champion, why: null, findings }],
    exhausted: [],
    candidates: candidates.map((c) => ({
      ...{ ...c, whyParent: null, merges: null, without: null, job: null, seeds: [], look: null },
      ...{ place: 0, keptBefore: 0, harness: false },
    })),
    started: 0,
    kept: 0,
    ended: null,
  };
}
