import { valueEdits } from "../../../../shared/spec/edit.ts";
import { z } from "zod";
import { figure } from "../../../../shared/words/numbers.ts";
import { activeTerms } from "../../../../shared/reward/reward.ts";
import { RewardSpec } from "../../../../shared/spec/reward.ts";
import { withEdits } from "../project/applyEdits.ts";
import { interventionIn, rewardIn } from "../syntax/typedSpec.ts";
import { defineRule, type Finding, type ProjectContext } from "../rule/rule.ts";
import { spanFor, type ParsedSpec } from "../syntax/parseSpec.ts";
import { specKindOf } from "../syntax/specKind.ts";

export const rewardNoOp = defineRule({
  meta: {
    id: "reward-no-op",
    severity: "warning",
    kinds: ["intervention", "reward"],
    docs: "A change of the reward changes advantages. GRPO normalises the reward within a group: if you only scale the reward or add a term that is switched off, GRPO trains the same policy.",
    example: {
      wrong: `# the only term that is switched on\nedit: [{ file: harness/main.reward.yaml, path: components.correctness.weight, from: 1, to: 2 }]`,
      right: `edit: [{ file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }]`,
    },
  },
  data: z.null(),
  *check({ spec, project, path }) {
    if (!project) return;
    if (spec.kind === "intervention") yield* ofEdits(spec, project);
    else if (project.parent && path !== undefined) {
      const [now, before] = [rewardIn(spec), rewardIn(project.parent.read(path))];
      const why = now && before && sameTraining(before, now);
      // Texts that say the same are no change at all.
      if (why !== undefined && JSON.stringify(now?.components) !== JSON.stringify(before?.components))
        yield {
          span: spanFor(spec, ["components"], "key"),
          message: `${why} It trains the same policy as ${project.parent.name}.`,
          data: null,
        };
    }
  },
});

function* ofEdits(spec: ParsedSpec, project: ProjectContext): Iterable<Finding<null>> {
  const edits = valueEdits(interventionIn(spec)?.edit ?? []);
  for (const file of new Set(edits.map(([, edit]) => edit.file))) {
    const own = edits.filter(([, edit]) => edit.file === file);
    // A change of the filter is a change, whatever happens to the terms.
    if (specKindOf(file) !== "reward" || own.some(([, { path }]) => !path.startsWith("components.")))
      continue;
    const text = project.read(file);
    const after = withEdits(
      text?.value,
      own.map(([, edit]) => edit),
    );
    const [before, changed] = [rewardIn(text), RewardSpec.safeParse(after).data];
    const why = before && changed && sameTraining(before, changed);
    const isEdited = own.some(([, { from, to }]) => !Object.is(from, to));
    if (why !== undefined && isEdited)
      yield {
        span: spanFor(spec, ["edit", own[0]?.[0] ?? 0, "to"]),
        message: `${why} This is a no-op.`,
        data: null,
      };
  }
}

/** Why one reward gives the advantages of the other in every group; undefined when it does not. */
function sameTraining(before: RewardSpec, after: RewardSpec): string | undefined {
  if (JSON.stringify(before.filter) !== JSON.stringify(after.filter)) return undefined;
  const [a, b] = [weightsOf(before), weightsOf(after)];
  if (a.size === 0 || a.size !== b.size) return undefined;
  const ratios = [...a].map(([term, weight]) => (b.get(term) ?? NaN) / weight);
  const [scale = NaN] = ratios;
  if (!(scale > 0) || ratios.some((ratio) => !(Math.abs(ratio / scale - 1) < 1e-9))) return undefined;
  return Math.abs(scale - 1) < 1e-9
    ? "Only terms with weight 0 change, and those are switched off."
    : `Every term of the reward is multiplied by ${figure(scale)}, which group normalisation cancels.`;
}

/** Weights of what is really added up, by signal and shape: two terms of the same kind are one. */
function weightsOf(spec: RewardSpec): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { signal, term } of activeTerms(spec)) {
    const key = `${signal}\n${term.shape}\n${term.above ?? ""}`;
    weights.set(key, (weights.get(key) ?? 0) + term.weight);
  }
  for (const [key, weight] of weights) if (weight === 0) weights.delete(key);
  return weights;
}
