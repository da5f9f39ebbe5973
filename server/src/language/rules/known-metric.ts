import { z } from "zod";
import { didYouMean, listed, similar } from "../../base/similar.ts";
import { metricNames } from "../../../../shared/spec/project.ts";
import { measuredNames } from "../project/names.ts";
import { interventionIn } from "../syntax/typedSpec.ts";
import { defineRule } from "../rule/rule.ts";
import { locate, spanFor } from "../syntax/parseSpec.ts";

const Data = z.object({ part: z.enum(["hypothesis", "success"]), near: z.array(z.string()) });

export const knownMetric = defineRule({
  meta: {
    id: "known-metric",
    severity: "error",
    kinds: ["intervention"],
    archive: "part",
    docs: "The metric of a hypothesis can be measured: it is the score, a number of a version, the rate of a label, or a metric of the trainer. Only the project's score decides success.",
    example: {
      wrong: `hypothesis: { change: filter.kind, metric: dead_group_ration, direction: decrease, because: "…" }`,
      right: `hypothesis: { change: filter.kind, metric: dead_group_ratio, direction: decrease, because: "…" }`,
    },
  },
  data: Data,
  *check({ spec, project }) {
    const intervention = interventionIn(spec);
    if (!intervention || !project?.spec) return;
    const known = measuredNames(project);
    const { hypothesis, success } = intervention;
    const near = known.has(hypothesis.metric) ? [] : similar(hypothesis.metric, known);
    // What the trainer writes is known only from the archive: without it a name that resembles nothing may be right.
    if (!known.has(hypothesis.metric) && (near.length > 0 || project.facts !== undefined))
      yield {
        span: spanFor(spec, ["hypothesis", "metric"]),
        message: `Nothing measures ${hypothesis.metric}.${didYouMean(hypothesis.metric, known)}`,
        data: { part: "hypothesis", near },
      };
    const scores: readonly string[] = metricNames;
    if (!scores.includes(success.metric))
      yield {
        span: spanFor(spec, ["success", "metric"]),
        message: `Only ${listed(scores)} can decide on a version; put a limit on ${success.metric} under guardrails.`,
        data: { part: "success", near: [...scores] },
      };
  },
  fix({ spec }, { part, near }) {
    const span = locate(spec, [part, "metric"]).value;
    return span ? near.map((name) => ({ title: `Change to ${name}`, edits: [{ span, text: name }] })) : [];
  },
});
