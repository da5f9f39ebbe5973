import { z } from "zod";
import { diagnose } from "../../diagnosis/diagnose.ts";
import { loadProject } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { defineService } from "./service.ts";

/** Labels a version by the diagnostics of the work tree and says what follows. Labelling again comes to the same. */
export const versionsDiagnose = defineService({
  name: "versions.diagnose",
  repeatable: true,
  params: z.object({ version: z.string(), split: z.enum(["train", "selection"]) }),
  async run({ store, root }, { version, split }) {
    const project = await loadProject(workTree(root));
    const diagnosis = await diagnose(store, {
      version,
      domain: project.spec.domain,
      diagnostics: project.diagnostics.map((d) => d.spec),
      aggregator: project.spec.metric.aggregator,
      scope: { split },
    });
    const problems = project.problems.map((p) => `${p.path}:${p.line}: ${p.message}`);
    return { ...diagnosis, split, problems };
  },
});
