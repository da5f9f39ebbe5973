import { HarnessError } from "../../base/errors.ts";
import { loadProjectSpec } from "../../project/project.ts";
import { changesOf } from "../../proposals/answerProposal.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";
import { trialOf } from "../../proposals/trial.ts";
import { commitSource } from "../project/commitSource.ts";
import { smokeTrials } from "../training/smokeTrials.ts";
import { defineService } from "../workspace/service.ts";
import { openDomain } from "./openDomain.ts";

/** Tries the changed code of a proposal, as often as it is asked for: a person has looked at it. Nothing is approved by that. */
export const proposalsTry = defineService("proposals.try", {
  repeatable: false,
  async run({ root }, { id }) {
    const { workspace, lineage, domain } = await openDomain(root);
    const { repository } = workspace;
    const version = versionIn(lineage, id);
    const { parentCommit, files } = await changesOf({ lineage, repository }, version);
    const spec = await loadProjectSpec(commitSource(repository, parentCommit));
    const outcome = files.map((f) => ({ path: f.path, before: f.base, after: f.proposed }));
    const trial = trialOf(version, { spec, files: outcome, commit: version.commit });
    if (trial.type === "none")
      throw new HarnessError("badInput", `${id} changes values only, so there is no code to try.`);
    const { commit, ok, message, seconds } = await smokeTrials(workspace, domain).run({
      ...{ version: id, commit: version.commit, spec },
      attempt: trial.type === "tried" ? trial.attempts + 1 : 1,
    });
    return { id, commit, ok, message, seconds };
  },
});
