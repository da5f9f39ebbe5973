import { z } from "zod";
import { findSecrets } from "../../base/secretShapes.ts";
import { defineRule } from "../rule/rule.ts";

export const secret = defineRule({
  meta: {
    id: "secret",
    severity: "error",
    kinds: "all",
    docs: "No spec or config contains a key, token or password: both are committed with every version. EvoTrainer recognises a secret by its shape and never repeats it.",
    example: {
      wrong: `trainer: { command: [python, train.py], environment: { HF_TOKEN: hf_… } }`,
      right: `trainer: { command: [sh, -c, ". ~/.secrets && python train.py"] }`,
    },
  },
  data: z.null(),
  *check({ spec }) {
    for (const { name, start, end } of findSecrets(spec.text))
      yield {
        span: { start, end },
        message: `This looks like ${name}. Revoke it, since it may be in the history already, and let the trainer read it from the environment of its host.`,
        data: null,
      };
  },
});
