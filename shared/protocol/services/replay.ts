import * as z from "zod";
import { Name } from "../../spec/common.ts";
import { Replay } from "../results/replay.ts";
import { service } from "./service.ts";

export const replay = {
  "lineage.replay": service({
    says: "Decides every version of a lineage again by other rules, trains nothing and stores nothing. Without rules it repeats the recorded decisions.",
    editor: true,
    params: () =>
      z.object({
        domain: Name.exactOptional().describe("An imported lineage; by default the project's."),
        seeds: z
          .int()
          .positive()
          .max(1000)
          .exactOptional()
          .describe("Only so many seeds of each version count, the lowest first."),
        confidence: z
          .number()
          .gt(0.5)
          .lt(1)
          .exactOptional()
          .describe("Of every comparison, before it is corrected for the candidates of a generation."),
        gates: z
          .enum(["human", "full"])
          .exactOptional()
          .describe(
            "Who answers the design gates: a person; or the rule, except for the first versions and after failures in a row.",
          ),
        guardrails: z
          .array(z.object({ metric: z.string().min(1).max(200), atMost: z.number() }))
          .max(50)
          .default([])
          .describe("They hold for every version, in addition to its own."),
        without: z.array(Name).max(200).default([]).describe("Diagnostics that are taken away."),
        harness: Name.exactOptional().describe("The version whose diagnostics label all others."),
      }),
    result: () => Replay,
  }),
};
