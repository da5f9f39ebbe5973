import { z } from "zod";
import { counted } from "../../../../shared/words/numbers.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import type { ArchiveFacts } from "../../../../shared/protocol/views/archiveFacts.ts";
import { failedExamples } from "../../diagnosis/examples.ts";
import { triedExamples, triedOf, type TriedConditions } from "../archive/triedConditions.ts";
import { compilePredicate } from "../../predicate/compile.ts";
import { isLacking } from "../project/lacking.ts";
import { diagnosticIn } from "../syntax/typedSpec.ts";
import { defineRule } from "../rule/rule.ts";
import { spanFor } from "../syntax/parseSpec.ts";

/** Fewer rollouts say too little about how rare something is. */
const enough = 100;

export const deadLabel = defineRule({
  meta: {
    id: "dead-label",
    severity: "warning",
    kinds: ["diagnostic"],
    archive: "all",
    docs: "A label should tell rollouts apart: some archived rollouts have it and some do not. A label that no rollout has is fine if it makes a version invalid, or if an example that holds shows what it would catch.",
    example: {
      wrong: `label: { when: n_turns >= 0 }`,
      right: `label: { when: n_turns >= 40 }`,
    },
  },
  data: z.null(),
  *check({ spec, project }) {
    const diagnostic = diagnosticIn(spec);
    const tried = diagnostic && triedOf(diagnostic, project?.tried);
    if (!diagnostic || !project || !tried || tried.rollouts < enough) return;
    const span = spanFor(spec, ["label", "when"]);
    const { rollouts, labelled } = tried;
    const newest = rollouts < (project.facts?.rollouts ?? 0) ? "the newest " : "";
    const all = `${newest}${counted(rollouts, "archived rollout")}`;
    if (labelled === rollouts)
      yield { span, message: `All of ${all} have this label: it tells nothing apart.`, data: null };
    else if (
      labelled === 0 &&
      !lacks(diagnostic, project.facts) &&
      !diagnostic.label.invalidates &&
      !isShown(diagnostic, project.tried)
    )
      yield {
        span,
        message: `None of ${all} has this label, and no example shows what it would catch.`,
        data: null,
      };
  },
});

/** Whether no archived rollout has a field that the condition needs: `evidence-field` says so. */
function lacks({ label, params }: DiagnosticSpec, facts: ArchiveFacts | undefined): boolean {
  const compiled = compilePredicate(label.when ?? "", "rollout", params);
  return (
    compiled.ok && facts !== undefined && compiled.predicate.needs.some((field) => isLacking(field, facts))
  );
}

/** Whether an example that holds has the label: one that is written out, or an archived one that was tried. */
function isShown(diagnostic: DiagnosticSpec, tried: TriedConditions | undefined): boolean {
  if (triedExamples(diagnostic, tried).some((e) => e.isLabelled && e.expect === "labelled")) return true;
  const failed = new Set(failedExamples(diagnostic).map(({ index }) => index));
  return diagnostic.examples.some(
    ({ expect, rollout }, i) => expect === "labelled" && typeof rollout !== "string" && !failed.has(i),
  );
}
