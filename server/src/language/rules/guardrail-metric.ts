import { z } from "zod";
import { didYouMean, listed, similar } from "../../base/similar.ts";
import { lackingFields } from "../project/lacking.ts";
import { measuredNames, ratedLabels } from "../project/names.ts";
import { interventionIn } from "../syntax/typedSpec.ts";
import { defineRule } from "../rule/rule.ts";
import { locate, spanFor } from "../syntax/parseSpec.ts";

const Data = z.object({ guardrail: z.int(), near: z.array(z.string()) });

export const guardrailMetric = defineRule({
  meta: {
    id: "guardrail-metric",
    severity: "warning",
    kinds: ["intervention"],
    archive: "part",
    docs: "A guardrail uses a metric that the evidence has. A guardrail that cannot be measured rejects every version, however good it is. The limit of a label is its rate, from 0 to 1: one of 1 or more allows everything.",
    example: {
      wrong: `guardrails: [{ metric: leak_rate, atMost: 0 }]`,
      right: `guardrails: [{ metric: history-leak, atMost: 0 }]`,
    },
  },
  data: Data,
  *check({ spec, project }) {
    const intervention = interventionIn(spec);
    if (!intervention || !project?.spec) return;
    const known = measuredNames(project);
    for (const [guardrail, { metric, atMost }] of intervention.guardrails.entries()) {
      if (atMost >= 1 && ratedLabels(project).includes(metric))
        yield {
          span: spanFor(spec, ["guardrails", guardrail, "atMost"]),
          message: `The rate of ${metric} is never above 1, so this guardrail allows everything. 20 % is 0.2.`,
          data: { guardrail, near: [] },
        };
      const span = spanFor(spec, ["guardrails", guardrail, "metric"]);
      if (!known.has(metric)) {
        const near = nearest(metric, known);
        // What the trainer writes is known only from the archive: without it a name that resembles nothing may be right.
        if (near.length > 0 || project.facts !== undefined)
          yield {
            span,
            message: `Nothing measures ${metric}, so this guardrail would reject every version.${near.length > 0 ? ` Did you mean ${listed(near)}?` : didYouMean(metric, known)}`,
            data: { guardrail, near },
          };
        continue;
      }
      const lacking = lackingFields(metric, project);
      if (lacking.length > 0)
        yield {
          span,
          message: `${metric} is computed from ${listed(lacking, "and")}, which no archived rollout has; this guardrail would reject every version.`,
          data: { guardrail, near: [] },
        };
    }
  },
  fix({ spec }, { guardrail, near }) {
    const span = locate(spec, ["guardrails", guardrail, "metric"]).value;
    return span ? near.map((name) => ({ title: `Change to ${name}`, edits: [{ span, text: name }] })) : [];
  },
});

/** What a name may stand for; the rate of a label is asked for by the label's own name. */
function nearest(metric: string, known: ReadonlySet<string>): string[] {
  const label = metric.replace(/[_-]rate$/, "").replaceAll("_", "-");
  if (label !== metric && known.has(label)) return [label];
  const tails = [...known].filter((name) => name.endsWith(`-${label}`));
  return tails.length > 0 && tails.length <= 3 ? tails.sort() : similar(metric, known);
}
