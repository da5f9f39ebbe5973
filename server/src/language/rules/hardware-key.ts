import { placedEdits } from "../../../../shared/spec/edit.ts";
import { z } from "zod";
import { isHardware } from "../../project/hardware.ts";
import { isFrozen } from "../../project/surfaces.ts";
import { configChanges } from "../project/configDiff.ts";
import { interventionIn } from "../syntax/typedSpec.ts";
import { defineRule } from "../rule/rule.ts";
import { spanFor } from "../syntax/parseSpec.ts";

export const hardwareKey = defineRule({
  meta: {
    id: "hardware-key",
    severity: "warning",
    kinds: ["intervention", "config"],
    docs: "Hardware, parallelism and precision are the same in every version, whether evotrainer.yaml freezes them or not: they change batches and rounding, and with them the score.",
    example: {
      wrong: `edit: [{ file: harness/grpo.yaml, path: trainer.n_gpus_per_node, from: 8, to: 4 }]`,
      right: `edit: [{ file: harness/grpo.yaml, path: actor_rollout_ref.actor.optim.lr, from: 1.0e-6, to: 2.0e-6 }]`,
    },
  },
  data: z.null(),
  *check({ spec, project, path: file }) {
    const declared = project?.spec;
    if (!declared) return;
    if (spec.kind === "config") {
      for (const change of configChanges(project))
        if (change.file === file && change.isHardware && !change.isFrozen)
          yield {
            span: spanFor(spec, change.path.split(".")),
            message: `${change.path} is about hardware or precision, which must stay the same in every version, but it differs from ${project.parent?.name ?? "the parent"}. Change it back, or freeze it in evotrainer.yaml.`,
            data: null,
          };
      return;
    }
    for (const [i, edit] of placedEdits(interventionIn(spec)?.edit ?? []))
      if (isHardware(edit.path) && !isFrozen(declared, edit))
        yield {
          span: spanFor(spec, ["edit", i, "path"]),
          message: `${edit.path} is about hardware or precision, which are the same in every version; freeze it in evotrainer.yaml.`,
          data: null,
        };
  },
});
