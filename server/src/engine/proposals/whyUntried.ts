import { HarnessError } from "../../base/errors.ts";
import type { GateStanding } from "../../loop/steps/approve.ts";
import { loadProjectSpec } from "../../project/project.ts";
import { changesOf } from "../../proposals/answerProposal.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";
import { passTrial, trialOf } from "../../proposals/trial.ts";
import { commitSource } from "../project/commitSource.ts";
import { smokeTrials } from "../training/smokeTrials.ts";
import { readLineage, type Workspace } from "../workspace/workspace.ts";

/**
 * Why an evolution may not let a version be trained without a person who looks at it, as a clause; null where it may. The
 * code of a proposer runs only after a person let it: by approving in advance, or by having it tried.
 */
async function whyUntried(
  workspace: Workspace,
  {
    domain,
    version: name,
    by,
  }: { readonly domain: string; readonly version: string; readonly by: "rule" | "person" },
): Promise<string | null> {
  const { repository } = workspace;
  const lineage = await readLineage(workspace, domain);
  const version = versionIn(lineage, name);
  if (version.parent === null) return null;
  const { parentCommit, files: changed } = await changesOf({ lineage, repository }, version);
  const files = changed.map((f) => ({ path: f.path, before: f.base, after: f.proposed }));
  const spec = await loadProjectSpec(commitSource(repository, parentCommit));
  const { commit } = version;
  if (by === "person") {
    try {
      const trials = smokeTrials(workspace, domain);
      await passTrial(version, { spec, files, commit: () => Promise.resolve(commit), trials });
      return null;
    } catch (e) {
      if (!HarnessError.is(e, "jobFailed")) throw e;
      return `its code does not pass: ${e.message.replace(/\.$/, "")}`;
    }
  }
  const trial = trialOf(version, { spec, files, commit });
  switch (trial.type) {
    case "none":
      return null;
    case "noCommand":
      return `${name} changes code, and evotrainer.yaml has no trainer.smoke that tries it`;
    case "untried":
      return `${name} changes code that nobody has tried (\`evotrainer review ${name} try\` tries it)`;
    case "tried":
      return trial.smoke.ok ? null : `its code does not pass: ${trial.smoke.message.replace(/\.$/, "")}`;
  }
}

/**
 * How the design gate of a version stands that passes without asking: it waits where its code was not tried, or does not work.
 * `inAdvance`: who approved the gates of this run before it began.
 */
export async function triedFirst(
  workspace: Workspace,
  standing: Extract<GateStanding, { type: "passes" }>,
  {
    domain,
    version,
    inAdvance,
  }: { readonly domain: string; readonly version: string; readonly inAdvance: string | null },
): Promise<GateStanding> {
  const by = standing.by !== null && standing.by === inAdvance ? "person" : "rule";
  const why = await whyUntried(workspace, { domain, version, by });
  return why === null ? standing : { type: "waits", why, before: standing.before };
}
