import type { Factor } from "../../../shared/spec/common.ts";
import type { InterventionSpec } from "../../../shared/spec/intervention.ts";
import type { SkillUse } from "../../../shared/ledger/skillUse.ts";
import type { PredictedEffect } from "../../../shared/ledger/ledger.ts";
import type { ProjectSpec } from "../../../shared/spec/project.ts";
import { isPatch, placedEdits } from "../../../shared/spec/edit.ts";
import { HarnessError, type Reason } from "../base/errors.ts";
import { editedFiles } from "../project/editedFiles.ts";
import { frozenBy } from "../project/frozen/frozenPaths.ts";
import { withValues } from "../project/parameters.ts";
import { patchViolations } from "../project/patchViolations.ts";
import { readPatch } from "../project/patch/readPatch.ts";
import type { FileSource } from "../project/source.ts";
import { factorsAt, surfaceViolations } from "../project/surfaces.ts";
import type { OutcomeFile } from "./difference/difference.ts";
import { outcomeProblems } from "./outcomeProblems.ts";

/** What a proposer hands over. */
export interface Idea {
  readonly spec: InterventionSpec;
  /** Why now, in words. */
  readonly because: string;
  /** The finding that called for it; null where none did. */
  readonly finding: string | null;
  /** The skill that it comes from, with what that is expected to do: the ledger keeps it, so that the use is scored. */
  readonly skill?: SkillUse;
  /** The tried version whose edits it has as well, and the factors of all its edits. */
  readonly joins?: { readonly version: string; readonly factors: readonly Factor[] };
}

/**
 * An idea that every check has let through, and the files that it makes of its parent's. Its parameters have their values.
 * Nothing is committed yet.
 */
export interface Draft extends Idea {
  readonly files: readonly OutcomeFile[];
  /** Of a merge of two kept versions: the second one, and the factors that it brings along. */
  readonly merges?: string;
  readonly factors?: readonly Factor[];
  /** The kept version whose edits it takes out. */
  readonly without?: string;
  /** What it claims, where no intervention says it. */
  readonly statement?: string;
  /** What it is expected to do to the score; null or left out where nothing was measured before. */
  readonly effect?: PredictedEffect | null;
}

export type Drafted =
  | { readonly type: "sound"; readonly draft: Draft }
  | { readonly type: "refused"; readonly reason: Reason; readonly problems: readonly string[] };

/** What an idea is held against: the parent's files, and what the project declares now. */
export interface Ground {
  readonly parent: FileSource;
  readonly declared: ProjectSpec;
}

/** The one way from an idea to a draft. Whoever proposes, what is refused here is neither committed nor trained. */
export async function draftOf(idea: Idea, ground: Ground): Promise<Drafted> {
  try {
    const edit = await withValues(idea.spec.edit, ground.parent);
    const spec = { ...idea.spec, edit };
    // A patch is held against its surface by the names in it, before anything that they name is read.
    const misplaced = await misplacedPatches(spec, ground, idea.joins?.factors);
    if (misplaced.length > 0) return { type: "refused", reason: "specInvalid", problems: misplaced };
    const files = await editedFiles(spec.name, edit, ground.parent);
    const problems =
      idea.joins === undefined
        ? await checkDraft(spec, files, ground)
        : await checkComposed(spec, files, ground, idea.joins.factors);
    return problems.length === 0
      ? { type: "sound", draft: { ...idea, spec, files } }
      : { type: "refused", reason: "specInvalid", problems };
  } catch (e) {
    if (!HarnessError.is(e, "specInvalid") && !HarnessError.is(e, "badInput")) throw e;
    return { type: "refused", reason: e.reason, problems: [e.message] };
  }
}

/**
 * The same for files that were composed of versions that were kept; `merged` are the factors that a merge brings along.
 * @throws HarnessError projectInvalid, projectMissing when the parent has no sound project
 */
export async function checkComposed(
  spec: InterventionSpec,
  files: readonly OutcomeFile[],
  { parent, declared }: Ground,
  merged: readonly Factor[],
): Promise<string[]> {
  const by = frozenBy(declared, await parent.links?.());
  const declaredOtherwise = placedEdits(spec.edit).flatMap(([, edit]) => {
    const own = factorsAt(declared, edit).find((factor) => merged.includes(factor));
    return surfaceViolations(declared, { ...spec, edit: [edit], factor: own ?? spec.factor }, by);
  });
  const misplaced = await misplacedPatches(spec, { parent, declared }, merged);
  const refused = [...declaredOtherwise, ...misplaced];
  return refused.length > 0 ? refused : outcomeProblems(parent, files, merged);
}

/** Why a draft may not become a proposal, one sentence each. */
async function checkDraft(
  spec: InterventionSpec,
  files: readonly OutcomeFile[],
  { parent, declared }: Ground,
): Promise<string[]> {
  const by = frozenBy(declared, await parent.links?.());
  const declaredOtherwise = surfaceViolations(declared, spec, by);
  return declaredOtherwise.length > 0 ? declaredOtherwise : outcomeProblems(parent, files);
}

/** What was refused, as one sentence or a few. */
export function problemsText(problems: readonly string[]): string {
  return problems.slice(0, 3).join(" ");
}

/** @throws HarnessError badInput for what is no unified diff */
async function misplacedPatches(
  { name, factor, edit }: Pick<InterventionSpec, "name" | "factor" | "edit">,
  { parent, declared }: Ground,
  joined: readonly Factor[] = [],
): Promise<string[]> {
  const patched = edit.filter(isPatch).flatMap(({ patch }) => readPatch(patch));
  if (patched.length === 0) return [];
  const links = await parent.links?.();
  return patched.flatMap((file) => {
    const own = factorsAt(declared, { file: file.path, path: "" }).find((one) => joined.includes(one));
    return patchViolations(declared, { name, factor: own ?? factor }, [file], links);
  });
}
