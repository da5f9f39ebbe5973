import * as z from "zod";
import { OpenSplit } from "../results/openSplit.ts";
import { DiagnosticBacktest, RemovalBacktest } from "../results/diagnosticBacktest.ts";
import { CurriculumBacktest } from "../results/curriculum.ts";
import { RewardBacktests } from "../results/rewardBacktest.ts";
import { service } from "./service.ts";

const limits = () => z.array(z.number().positive()).max(100);

export const backtest = {
  "backtest.diagnostic": service({
    says: "Runs a revision of a diagnostic over the archived versions: what it would label, whether it separates the kept from the rejected versions, and which quarantined version it would let through. Stores nothing.",
    editor: false,
    params: () =>
      z.object({
        path: z.string().describe("What to call the text in a message."),
        text: z.string().describe("The spec, saved or not."),
        versions: z.array(z.string()).exactOptional().describe("By default all that have rollouts."),
        split: OpenSplit.exactOptional(),
      }),
    result: () => DiagnosticBacktest,
  }),
  "backtest.removal": service({
    says: "The quarantined versions that would be let through if a diagnostic were taken away.",
    editor: false,
    params: () => z.object({ diagnostic: z.string() }),
    result: () => RemovalBacktest,
  }),
  "backtest.curriculum": service({
    says: "What samplers and a gate would have drawn from the archived pass rates of a version's items: live groups per step, starvation and coverage. Stores nothing.",
    editor: false,
    params: () =>
      z.object({
        version: z.string(),
        split: OpenSplit.exactOptional().describe("By default train if it has rollouts, else selection."),
        prompts: z.int().min(1).max(10_000).describe("Items of a step."),
        group: z
          .int()
          .min(1)
          .max(10_000)
          .exactOptional()
          .describe("Rollouts of an item; by default the most frequent number in the archive."),
        steps: z.int().min(1).max(10_000),
        keep: z.tuple([z.number(), z.number()]).describe("Pass rates that the gate lets in."),
        seed: z.int(),
      }),
    result: () => CurriculumBacktest,
  }),
  "backtest.reward": service({
    says: "Replays a reward spec on archived versions. The request carries the text of the spec, so an editor can ask about one that is not saved.",
    editor: false,
    params: () =>
      z.object({
        path: z.string().describe("What to call the text in a message."),
        text: z.string().max(1_000_000),
        versions: z.array(z.string()).min(1),
        split: OpenSplit.exactOptional().describe("By default train if it has rollouts, else selection."),
        turnLimits: limits().exactOptional(),
        tokenLimits: limits().exactOptional(),
      }),
    result: () => RewardBacktests,
  }),
};
