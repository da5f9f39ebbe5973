import { HarnessError } from "../../base/errors.ts";
import { refuseLettingThrough } from "../../backtest/quarantine.ts";
import { diagnose } from "../../diagnosis/diagnose.ts";
import { reportedOf } from "../comparison/scoreAlone.ts";
import { projectOrBare } from "../project/bareProject.ts";
import { knownLineage } from "../project/knownLineage.ts";
import { labelProgramsOf, refusedFor } from "../project/labelPrograms.ts";
import { placeIn } from "../project/placeInLineage.ts";
import { markTrials, withoutTrialPower } from "../project/trials.ts";
import { splitOrDefault } from "../workspace/openSplit.ts";
import { defineService } from "../workspace/service.ts";

/**
 * Labels a version by the diagnostics of the work tree and says what follows. Labelling again comes to the same: what a
 * program or a model said is kept.
 * Diagnostics that would let a quarantined version through are refused (docs/diagnostics-over-time.md).
 */
export const versionsDiagnose = defineService("versions.diagnose", {
  repeatable: true,
  async run(
    { store, root, trusted: owner },
    { version, split: asked, trusted, with: given },
    { signal, progress },
  ) {
    const split = await splitOrDefault(store, version, asked);
    const project = await projectOrBare(root, given);
    const known = await knownLineage(root, project.domain);
    const { own, entries } = known;
    const specs = project.diagnostics.map((d) => d.spec);
    const { diagnostics, onTrial } = await withoutTrialPower(specs, known, project.domain);
    await refuseLettingThrough(store, { versions: own, diagnostics, domain: project.domain });
    const diagnosis = await diagnose(store, {
      version,
      domain: project.domain,
      diagnostics,
      aggregator: project.aggregator,
      metricNames: project.metricNames,
      scope: { split },
      ...placeIn(entries, version),
      outside: labelProgramsOf(root, {
        models: project.models,
        refused: refusedFor({ caller: trusted, owner }),
        signal,
        progress,
      }),
    });
    const problems = project.problems.map((p) => `${p.path}:${p.line}: ${p.message}`);
    // Scores that stand for the same are no reason to say nothing of the rollouts.
    const reported = await reportedOf(store, version).catch((e: unknown) => {
      if (!HarnessError.is(e, "notComparable")) throw e;
      problems.push(e.message);
      return [];
    });
    return { ...diagnosis, reported, labels: markTrials(diagnosis.labels, onTrial), split, problems };
  },
});
