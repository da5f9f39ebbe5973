import type { SearchExplained } from "../../../../shared/protocol/results/cases.ts";
import { points } from "../../../../shared/words/numbers.ts";
import { HarnessError } from "../../base/errors.ts";
import { caseEdits } from "../../memory/cases/case.ts";
import { loadProject } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { askSearch } from "../../proposals/askSearch.ts";
import type { Chosen } from "../../proposals/chooseDrafts.ts";
import type { RankedIdea } from "../../proposals/search/ranked.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";
import { defineService } from "../workspace/service.ts";
import { editText } from "./editText.ts";
import { makePorts } from "./makePorts.ts";
import { openDomain } from "./openDomain.ts";
import { toChange } from "./standing.ts";

/** Asks the search as `proposals.make` does, and says what it did instead of proposing. */
export const proposalsExplain = defineService("proposals.explain", {
  repeatable: true,
  async run(
    { root, store, trusted: owner },
    { trusted: caller, parent: asked, count },
    { signal },
  ): Promise<SearchExplained> {
    const open = await openDomain(root, { readOnly: true });
    const { lineage } = open;
    const parent = asked === undefined ? await toChange(open) : versionIn(lineage, asked);
    if (parent === undefined)
      throw new HarnessError("notFound", "There is no version to change yet; run `evotrainer evolve` first.");
    const project = await loadProject(workTree(root));
    const { trace, findings } = await askSearch(
      { lineage, project, parent, count },
      makePorts(open, project, { store, caller, owner, signal }),
    );
    return {
      parent: parent.name,
      seed: trace.seed,
      findings: findings.map(({ name }) => name),
      consulted: { cases: trace.cases, rollouts: trace.rollouts },
      made: { ...trace.made },
      ranked: trace.ranked
        .filter((one) => !trace.refused.some(({ idea }) => idea === one))
        .map((one) => rankedRow(one, trace)),
      refused: trace.refused.map(({ idea, stage, why }) => ({
        ...{ name: idea.spec.name, source: idea.origin, stage, why },
        edits: caseEdits(idea.spec.edit).map(editText),
      })),
    };
  },
});

/** Between the 5th and the 95th percentile of a normal belief. */
const z90 = 1.645;

function rankedRow(one: RankedIdea, { chosen }: Chosen["trace"]): SearchExplained["ranked"][number] {
  const { spec, origin, belief, replay } = one;
  const { mean, sd } = belief;
  const chosenFor = chosen.find(({ ranked }) => ranked === one)?.finding ?? null;
  return {
    ...{ name: spec.name, source: origin, factor: spec.factor, declared: one.declared, chosenFor },
    edits: caseEdits(spec.edit).map(editText),
    answers: [...one.answers],
    expected: { mean, low: mean - z90 * sd, high: mean + z90 * sd },
    ...{ improvement: one.improvement, cost: one.cost, seconds: one.seconds, worth: one.worth },
    cases: belief.from.map((from) => ({ ...from })),
    backtest:
      replay === null
        ? null
        : {
            ...{ rollouts: replay.rollouts, groups: replay.groups },
            ...{ deadBefore: replay.dead.before, deadAfter: replay.dead.after },
            ...{ rarer: [...one.rarer], moreFrequent: [...one.moreFrequent], paidMost: replay.paidMost },
          },
    why: whyText(one, chosenFor),
  };
}

function whyText({ belief, declared, worth }: RankedIdea, chosenFor: string | null): string {
  const said = declared === null ? "Nobody said what to expect" : `Its author expects ${points(declared)}`;
  const cases =
    belief.from.length === 0
      ? "no case is near"
      : `the cases that count most are ${belief.from.map(({ version, difference }) => `${version} (${points(difference)})`).join(", ")}`;
  const place = chosenFor === null ? "Others are worth more." : `It would be proposed for ${chosenFor}.`;
  return `${said}; ${cases}. Trying it is worth ${points(worth)} for the cost of a usual version. ${place}`;
}
