import { valueEdits } from "../../../../shared/spec/edit.ts";
import { z } from "zod";
import { count, percent } from "../../../../shared/words/numbers.ts";
import { activeTerms } from "../../../../shared/reward/reward.ts";
import { isDerived, RewardSpec } from "../../../../shared/spec/reward.ts";
import type { ArchiveFacts } from "../../../../shared/protocol/views/archiveFacts.ts";
import { constantShare } from "../../backtest/termUse.ts";
import { withEdits } from "../project/applyEdits.ts";
import { interventionIn, rewardIn } from "../syntax/typedSpec.ts";
import { defineRule } from "../rule/rule.ts";
import { spanFor } from "../syntax/parseSpec.ts";
import { specKindOf } from "../syntax/specKind.ts";

/** Fewer rollouts say too little about how often something is given. */
const enoughRollouts = 100;

export const constantBonus = defineRule({
  meta: {
    id: "constant-bonus",
    severity: "warning",
    kinds: ["reward", "intervention"],
    archive: "all",
    docs: "A bonus should tell rollouts apart. If at least 99 % of the archived rollouts get it, it is a constant, and group normalisation removes it.",
    example: {
      wrong: `components:\n  correctness: { shape: binary, weight: 1 }\n  well_formed: { shape: linear, weight: 0.1 } # 99.6 % of the archived rollouts have it`,
      right: `components:\n  correctness: { shape: binary, weight: 1 }\n  well_formed: { shape: linear, weight: 0 }`,
    },
  },
  data: z.null(),
  *check({ spec, project }) {
    const facts = project?.facts;
    if (!project || !facts || facts.rollouts < enoughRollouts) return;
    if (spec.kind === "reward") {
      for (const { name, message } of constantTerms(rewardIn(spec), facts))
        yield { span: spanFor(spec, ["components", name, "weight"]), message, data: null };
      return;
    }
    const intervention = interventionIn(spec);
    for (const [i, edit] of valueEdits(intervention?.edit ?? [])) {
      const name = /^components\.([^.]+)\.weight$/.exec(edit.path)?.[1];
      if (name === undefined || specKindOf(edit.file) !== "reward") continue;
      const after = RewardSpec.safeParse(withEdits(project.read(edit.file)?.value, [edit])).data;
      for (const term of constantTerms(after, facts))
        if (term.name === name)
          yield { span: spanFor(spec, ["edit", i, "to"]), message: term.message, data: null };
    }
  },
});

/** Terms beside others that nearly every archived rollout gets, and gets in full: a graded one still tells rollouts apart. */
function constantTerms(
  reward: RewardSpec | undefined,
  { components, rollouts }: ArchiveFacts,
): { readonly name: string; readonly message: string }[] {
  const terms = reward ? activeTerms(reward) : [];
  if (terms.length < 2) return [];
  return terms.flatMap(({ name, signal, term }) => {
    const fact = isDerived(signal) || term.above !== undefined ? undefined : components[signal];
    if (fact === undefined || fact.of < enoughRollouts) return [];
    if (fact.awarded < constantShare || fact.inFull < constantShare) return [];
    const share = percent(fact.inFull);
    const of = `${fact.of < rollouts ? "the newest " : ""}${count(fact.of)}`;
    return [
      {
        name,
        message: `${share} of ${of} archived rollouts get ${signal}: it is nearly a constant, and group normalisation removes it.`,
      },
    ];
  });
}
