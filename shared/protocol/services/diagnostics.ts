import * as z from "zod";
import { ParamValues } from "../../spec/diagnostic.ts";
import { ArchivedVerdict } from "../results/common.ts";
import { OpenSplit } from "../results/openSplit.ts";
import { DiagnosticsList } from "../views/specs.ts";
import { service } from "./service.ts";

const condition = () => z.string().max(10_000).describe("CEL over a rollout, as written in label.when.");
const thresholds = () => ParamValues.default({}).describe("The thresholds that the condition reads.");

/** How far a count has come, and when that was. */
const counted = () =>
  z.object({
    type: z.literal("counted"),
    /** Rollouts of the scope that were tried. */
    rollouts: z.number(),
    labelled: z.number(),
    /** Rollouts for which it has no value. */
    undecided: z.number(),
    /** Whether that is all of them. */
    done: z.boolean(),
    /** ISO time at which the archive was read. */
    at: z.string(),
  });

export const diagnostics = {
  "diagnostics.list": service({
    says: "The diagnostics in use, with their rates in a version, from the ledger.",
    editor: true,
    params: () => z.object({ version: z.string().exactOptional() }),
    result: () => DiagnosticsList,
  }),
  "diagnostics.liveCount": service({
    says: "Counts the rollouts for which a condition holds while somebody types it. It begins with the newest 20,480 rollouts; each progress report has the counts so far, and the answer counts all rollouts. If the condition does not compile, the answer says what is wrong and where.",
    editor: false,
    params: () =>
      z.object({
        condition: condition(),
        params: thresholds(),
        version: z.string().exactOptional().describe("By default all versions."),
        split: OpenSplit.exactOptional(),
        stream: z
          .string()
          .max(1000)
          .exactOptional()
          .describe(
            "What somebody types in, such as a file: a request replaces the one before it of the same stream.",
          ),
      }),
    result: () =>
      z.discriminatedUnion("type", [
        counted(),
        z.object({
          type: z.literal("problems"),
          problems: z.array(z.object({ start: z.number(), end: z.number(), message: z.string() })),
        }),
      ]),
    part: counted,
  }),
  "diagnostics.try": service({
    says: "Tries the conditions of specs, saved or not, on the newest rollouts and on those that their examples name. The answer is null for a condition that does not compile. The audit split is left out.",
    editor: false,
    params: () =>
      z.object({
        tries: z
          .array(
            z.object({
              condition: condition(),
              params: thresholds(),
              rollouts: z.array(z.string().max(1000)).max(1000).describe("As run/id."),
            }),
          )
          .max(1000),
      }),
    result: () =>
      z.object({
        tried: z.array(
          z
            .object({
              /** The newest rollouts of train and selection that it was tried on, and those of them on which it holds. */
              rollouts: z.number(),
              labelled: z.number(),
              /** For each rollout that was named. */
              verdicts: z.array(ArchivedVerdict),
            })
            .nullable(),
        ),
      }),
  }),
};
