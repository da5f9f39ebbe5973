import { seedsOf } from "../../decision/testing/rules.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { TrainRequest } from "../ports.ts";
import type { LoopState } from "../state.ts";

/** The version whose policy a training starts from: that of its parent, if the project wants it, or the base policy. */
export const startOf = (
  { trainer }: Pick<ProjectSpec, "trainer">,
  { baseVersion }: Pick<LoopState, "baseVersion">,
  parent: string | null,
): string | null => (trainer.start === "parent" ? parent : null) ?? baseVersion;

/**
 * A training, and who measures what it leaves. Where a fresh job is going to measure it in any case, the training job does
 * not, so that the selection split is measured once. By the seed alone, or by that the version is kept already: what trains
 * the first seed of a version and of its parent is asked for the same splits, and so are their further seeds.
 */
export function trainingOf(
  seed: number,
  spec: Pick<ProjectSpec, "trainer" | "testing" | "evaluation">,
  { isKept }: { readonly isKept: boolean },
): TrainRequest["work"] {
  const { rerun } = spec.evaluation;
  if (rerun === "never") return { type: "train" };
  const [first] = seedsOf(spec);
  if (rerun === "always" || seed !== first) return { type: "train", measured: "apart" };
  return isKept ? { type: "train", measured: "twice" } : { type: "train" };
}
