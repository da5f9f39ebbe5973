import * as z from "zod";
import { flowKinds } from "../../model/flowKinds.ts";
import { Name } from "../../spec/common.ts";
import { PromotedVersion, RevertedVersion } from "../views/proposals.ts";
import { EvidenceVersion } from "../views/evidence.ts";
import { OpenSplit } from "../results/openSplit.ts";
import { EvaluationStep, VersionComparison } from "../results/comparison.ts";
import { Diagnosis } from "../results/diagnosis.ts";
import { Curves, Flow, LabelShifts, Predictions } from "../results/shift.ts";
import { service } from "./service.ts";

const pair = () => ({ a: z.string(), b: z.string() });

/** How much worse than a a metric of b may be; `better` where it is not what the metric's own is. */
const tolerance = () =>
  z.object({
    metric: z.string(),
    tolerance: z.number().nonnegative(),
    better: z.enum(["higher", "lower"]).exactOptional(),
  });

export const versions = {
  "versions.list": service({
    says: "Versions that the archive has evidence of, with how many rollouts of each open split, in the order of arrival.",
    editor: true,
    params: () => z.object({}),
    result: () => z.array(EvidenceVersion),
  }),
  "versions.diagnose": service({
    says: "Labels a version by the diagnostics of the work tree and says what follows. What a program or a model said before is kept. Diagnostics that would let a quarantined version through are refused.",
    editor: true,
    params: () =>
      z.object({
        version: z.string(),
        split: OpenSplit.exactOptional(),
        trusted: z
          .boolean()
          .default(false)
          .describe("Whether the caller lets programs of the workspace run and its models be asked."),
      }),
    result: () => Diagnosis,
  }),
  "versions.compare": service({
    says: "Paired comparison of version b with a on the selection split, with the items that flipped; for the `divergences` largest flips also where a passing and a failing rollout part. docs/statistics.md says what each field means.",
    editor: true,
    params: () =>
      z.object({
        ...pair(),
        divergences: z.int().nonnegative().max(200).default(0),
        metric: z.string().exactOptional(),
        step: EvaluationStep.default("all"),
        pickedFrom: z.int().positive().max(100_000).exactOptional(),
        guardrails: z.array(tolerance()).max(50).default([]),
        profile: z.boolean().default(false),
      }),
    result: () => VersionComparison,
  }),
  "versions.flow": service({
    says: "Where the items and rollouts of version a went in version b, by how they ended. Stores nothing.",
    editor: true,
    params: () =>
      z.object({ ...pair(), by: z.enum(flowKinds).default("outcome"), split: OpenSplit.exactOptional() }),
    result: () => Flow,
  }),
  "versions.labels": service({
    says: "How the rate of every label changed from version a to version b. Stores nothing.",
    editor: true,
    params: () => z.object({ ...pair(), split: OpenSplit.exactOptional() }),
    result: () => LabelShifts,
  }),
  "metrics.series": service({
    says: "The training curves of versions, downsampled to at most `points` each: those asked for, or the most telling ones.",
    editor: true,
    params: () =>
      z.object({
        versions: z.array(z.string()).min(1).max(20),
        names: z.array(z.string()).max(12).exactOptional(),
        points: z.int().min(10).max(2000).default(300),
      }),
    result: () => Curves,
  }),
  "lineage.predictions": service({
    says: "What was predicted for each version, compared with what its labels did: the record of every proposer. Stores nothing.",
    editor: true,
    params: () =>
      z.object({ version: z.string().exactOptional().describe("Only this one; all when left out.") }),
    result: () => Predictions,
  }),
  "versions.revert": service({
    says: "Reverts a version: makes a new version with the files of its parent.",
    editor: true,
    params: () =>
      z.object({
        version: Name,
        reason: z.string().max(20_000).exactOptional(),
        by: z.string().min(1).exactOptional(),
      }),
    result: () => RevertedVersion,
  }),
  "versions.promote": service({
    says: "Opens the audit split for a kept version and the baseline, and promotes it. It runs the project's trainer.",
    editor: true,
    params: () =>
      z.object({
        version: Name,
        approve: z
          .boolean()
          .default(false)
          .describe("Approves the completion gate, where it asks for a person."),
        trusted: z.boolean().default(false),
        by: z.string().min(1).exactOptional(),
      }),
    result: () => PromotedVersion,
  }),
};
