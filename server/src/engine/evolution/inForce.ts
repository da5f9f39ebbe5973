import type { GatesSpec } from "../../../../shared/spec/gates.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { HarnessError } from "../../base/errors.ts";
import { ignoredText, specInForce } from "../../decision/gates/inForce.ts";
import { overrideTexts, withOverride, type GateOverrides } from "../../decision/gates/overrides.ts";
import type { Repository } from "../../lineage/repository.ts";
import type { Project } from "../../project/project.ts";
import { frozenBy } from "../../project/frozen/frozenPaths.ts";
import { configFiles } from "../../project/surfaces.ts";
import { newestProject } from "./newestProject.ts";

/** What an evolution goes by at this moment. */
export interface InForceNow {
  /** As the evolution began, with the gates, the budgets and the interventions of the newest commit of the user's branch. */
  readonly project: Project;
  readonly gates: GatesSpec;
  /** Who approved the gates in advance; null where nobody did, or the gates were changed since. */
  readonly approvedBy: string | null;
}

/**
 * Reads what is in force, before every gate and every spending. What does not count in the middle of an evolution is noted
 * once, with what to do; so is what the command line overrides.
 */
export function inForceReader({
  repository,
  began,
  base,
  overrides,
  seeGates,
  note,
}: {
  readonly repository: Repository;
  /** The project as the evolution began, and its commit. */
  readonly began: Project;
  readonly base: string;
  readonly overrides: GateOverrides;
  /** Keeps the gates of a commit. @returns what to note if they let more pass than the ones before */
  readonly seeGates: (now: { readonly commit: string; readonly gates: GatesSpec }) => Promise<string | null>;
  readonly note: (message: string) => void;
}): () => Promise<InForceNow> {
  const newest = newestProject(repository);
  const noted = new Set<string>();
  const once = (message: string): void => {
    if (!noted.has(message)) note(message);
    noted.add(message);
  };
  let first: string | undefined;
  let seen: string | undefined;
  return async () => {
    const now = await newest();
    if (now.type === "unsound")
      throw new HarnessError(
        "projectInvalid",
        `The newest commit of your branch has no sound evotrainer.yaml, so nobody can tell who answers the gates: ${now.reason} Correct it, commit, and run \`evotrainer evolve\` to go on.`,
      );
    const { spec, ignored } = specInForce(began.spec, now.project.spec);
    if (now.commit !== seen) {
      seen = now.commit;
      const files =
        now.commit === base
          ? []
          : await changedFiles(repository, { base, commit: now.commit, spec: began.spec });
      // What is ignored is the same however many commits come after it.
      const text = ignoredText({ parts: ignored, files, commit: now.commit });
      const key = JSON.stringify([ignored, files]);
      if (text !== null && !noted.has(key)) note(text);
      noted.add(key);
      const looser = await seeGates({ commit: now.commit, gates: spec.gates });
      if (looser !== null) note(looser);
    }
    const committed = JSON.stringify(spec.gates);
    first ??= committed;
    const isOverridden = committed === first;
    if (isOverridden) for (const text of overrideTexts(spec.gates, overrides)) once(text);
    else if (overrides.autonomy !== undefined || overrides.approvedBy !== null)
      once(
        `Commit ${now.commit.slice(0, 12)} changes the gates. From now on the committed gates apply, and --autonomy and --approve of this run no longer do.`,
      );
    const gates = isOverridden ? withOverride(spec.gates, overrides.autonomy) : spec.gates;
    return {
      project: { ...began, interventions: now.project.interventions, spec: { ...spec, gates } },
      gates,
      approvedBy: isOverridden ? overrides.approvedBy : null,
    };
  };
}

/** Files that two commits have otherwise, and that versions are made of or measured with. */
async function changedFiles(
  repository: Repository,
  { base, commit, spec }: { readonly base: string; readonly commit: string; readonly spec: ProjectSpec },
): Promise<string[]> {
  const names = await repository.git.text(["diff", "--name-only", "--relative", "-z", base, commit]);
  const isFrozen = frozenBy(spec);
  const configs = new Set([...configFiles(spec), ...(spec.reward === undefined ? [] : [spec.reward])]);
  return names
    .split("\0")
    .filter(
      (file) =>
        file !== "" &&
        (configs.has(file) ||
          isFrozen(file) !== undefined ||
          spec.diagnostics.some((folder) => file.startsWith(`${folder}/`)) ||
          spec.trainer.command.includes(file)),
    );
}
