import { z } from "zod";
import { isPatch, type Edit } from "../../../../shared/spec/edit.ts";
import type { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { HarnessError } from "../../base/errors.ts";
import { applyPatch } from "../../project/patch/applyPatch.ts";
import { patchViolations } from "../../project/patchViolations.ts";
import { readPatch } from "../../project/patch/readPatch.ts";
import { defineRule, type ProjectContext } from "../rule/rule.ts";
import { spanFor } from "../syntax/parseSpec.ts";
import { interventionIn } from "../syntax/typedSpec.ts";

export const patchApplies = defineRule({
  meta: {
    id: "patch-applies",
    severity: "error",
    kinds: ["intervention"],
    docs: "A patch is a unified diff that applies to the project's files, line by line. It changes files on surfaces of the kind text of one factor, and nothing that the evaluation, git or EvoTrainer reads.",
    example: {
      wrong: `edit:
  - patch: |
      --- a/reward/score.py
      +++ b/reward/score.py
      @@ -1,2 +1,2 @@
       def score(answer):
      -    return 2.0   # the file says 1.0
      +    return 0.5`,
      right: `edit:
  - patch: |
      --- a/reward/score.py
      +++ b/reward/score.py
      @@ -1,2 +1,2 @@
       def score(answer):
      -    return 1.0
      +    return 0.5`,
    },
  },
  data: z.undefined(),
  *check({ spec, project }) {
    const intervention = interventionIn(spec);
    if (!intervention || !project?.spec) return;
    const edited = new Map<string, string | null>();
    for (const [i, edit] of intervention.edit.entries())
      for (const message of problemsOf(edit, intervention, project, edited))
        yield { span: spanFor(spec, ["edit", i, "patch"], "key"), message, data: undefined };
  },
});

/** What is wrong with one patch; `edited` are the files as the patches before it left them. */
function problemsOf(
  edit: Edit,
  intervention: InterventionSpec,
  project: ProjectContext,
  edited: Map<string, string | null>,
): readonly string[] {
  if (!isPatch(edit) || !project.spec) return [];
  try {
    const files = readPatch(edit.patch);
    const misplaced = patchViolations(project.spec, intervention, files, project.links);
    if (misplaced.length > 0) return misplaced;
    for (const file of files) {
      const { path } = file;
      const now = edited.has(path) ? (edited.get(path) ?? null) : (project.text(path) ?? null);
      edited.set(path, applyPatch(file, now));
    }
    return [];
  } catch (e) {
    if (HarnessError.is(e, "badInput")) return [e.message];
    throw e;
  }
}
