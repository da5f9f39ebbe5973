import * as z from "zod";
import { flowKinds } from "../../model/flowKinds.ts";
import { Name } from "../../spec/common.ts";
import { PromotedVersion, RevertedVersion } from "../views/proposals.ts";
import { EvidenceVersion } from "../views/evidence.ts";
import { OpenSplit } from "../results/openSplit.ts";
import { NearCases } from "../results/cases.ts";
import { EvaluationStep, VersionComparison } from "../results/comparison.ts";
import { Diagnosis } from "../results/diagnosis.ts";
import { VersionGaps } from "../results/gaps.ts";
import { SeedScores, VersionItems } from "../results/items.ts";
import { ScoreComparison } from "../results/scoreComparison.ts";
import { Curves, Flow, LabelShifts, Predictions, RewardMeans } from "../results/shift.ts";
import { Tripwires } from "../results/tripwires.ts";
import { withFiles } from "../results/diagnosticFile.ts";
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
    says: "The versions that the archive has evidence for, with the number of rollouts in each open split and how they stand in the lineage, in the order of arrival.",
    editor: true,
    params: () => z.object({}),
    result: () =>
      z.array(EvidenceVersion.extend({ scores: z.number().describe("Scores that came without rollouts.") })),
  }),
  "versions.diagnose": service({
    says: "Labels a version with the diagnostics of the work tree and says what follows. It keeps what a program or a model said before, and refuses diagnostics that would let a quarantined version through.",
    editor: true,
    params: () =>
      z.object({
        version: z.string(),
        split: OpenSplit.exactOptional(),
        ...withFiles(),
        trusted: z
          .boolean()
          .default(false)
          .describe(
            "Whether the caller allows EvoTrainer to run programs of the workspace and to ask its models.",
          ),
      }),
    result: () => Diagnosis,
  }),
  "versions.label": service({
    says: "Sets on the rollouts of all versions, or of some, the labels of the diagnostics of the work tree that are conditions, in one reading. What follows from them, `versions.diagnose` says; of versions that were named here it takes less time.",
    editor: false,
    params: () =>
      z.object({
        versions: z.array(z.string()).min(1).max(100).exactOptional().describe("By default all."),
        split: OpenSplit.exactOptional().describe(
          "By default selection; of versions that are named the split that `versions.diagnose` takes.",
        ),
        ...withFiles(),
      }),
    result: () => z.object({ labels: z.int().describe("How many labels were tried.") }),
  }),
  "versions.compare": service({
    says: "Paired comparison of version b with a on the selection split, with the items that flipped; for the `divergences` largest flips, also where a passing and a failing rollout part. docs/statistics.md says what each field means.",
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
        ...withFiles(),
      }),
    result: () => VersionComparison,
  }),
  "versions.compareScores": service({
    says: "Compares version b with a by their solve rates alone, as independent samples: for versions that were imported as scores without rollouts. It says how far that goes.",
    editor: true,
    params: () => z.object(pair()),
    result: () => ScoreComparison,
  }),
  "versions.flow": service({
    says: "Where the items and rollouts of version a went in version b, by how they ended. Stores nothing.",
    editor: true,
    params: () =>
      z.object({
        ...pair(),
        by: z.enum(flowKinds).default("outcome"),
        split: OpenSplit.exactOptional(),
        ...withFiles(),
      }),
    result: () => Flow,
  }),
  "versions.labels": service({
    says: "How the rate of every label changed from version a to version b. Stores nothing.",
    editor: true,
    params: () => z.object({ ...pair(), split: OpenSplit.exactOptional(), ...withFiles() }),
    result: () => LabelShifts,
  }),
  "versions.cases": service({
    says: "The decided versions nearest to a version, the nearest first: by what it changes and what its parent failed at, or, of one that changes nothing, by what it fails at itself.",
    editor: true,
    params: () => z.object({ version: z.string(), limit: z.int().min(1).max(200).default(10) }),
    result: () => NearCases,
  }),
  "versions.tripwires": service({
    says: "How often each alarm on training curves was false on the runs of the archive, how many steps before a collapse it fired, and whether it may stop a job. Stores nothing.",
    editor: true,
    params: () => z.object({}),
    result: () => Tripwires,
  }),
  "versions.items": service({
    says: "How many of the rollouts of every item passed in each version, those first whose answer changed most often from version to version. Unknown outcomes count as rollouts only. Stores nothing.",
    editor: true,
    params: () =>
      z.object({
        versions: z
          .array(z.string())
          .min(1)
          .max(100)
          .exactOptional()
          .describe("By default the newest 100, by their names: v2 before v10."),
        split: OpenSplit.exactOptional(),
        limit: z.int().positive().max(10_000).default(1000),
      }),
    result: () => VersionItems,
  }),
  "versions.seeds": service({
    says: "The solve rate of each seed of versions on the selection split, by the rollouts whose outcome is known. Stores nothing.",
    editor: true,
    params: () => z.object({ versions: z.array(z.string()).min(1).max(400) }),
    result: () => z.array(SeedScores),
  }),
  "versions.rewards": service({
    says: "What the reward that each version trained with gives its passed and its failed rollouts of a split on the mean, term by term. Stores nothing.",
    editor: true,
    params: () =>
      z.object({
        versions: z.array(z.string()).min(1).max(100),
        split: OpenSplit.default("selection"),
      }),
    result: () => z.array(RewardMeans),
  }),
  "versions.gaps": service({
    says: "What the labels in force leave open in a version, and drafts of diagnostics, made from one half of the rollouts and judged on the other. Stores nothing.",
    editor: true,
    params: () =>
      z.object({
        version: z.string(),
        against: z.string().exactOptional().describe("What it is compared with; by default its parent."),
        split: OpenSplit.exactOptional(),
        seed: z
          .int()
          .nonnegative()
          .max(2 ** 31)
          .default(1)
          .describe("Which items are in which half."),
        without: z
          .array(z.string())
          .max(50)
          .default([])
          .describe("Diagnostics that count as if nobody had written them."),
        ...withFiles(),
      }),
    result: () => VersionGaps,
  }),
  "metrics.series": service({
    says: "The training curves of versions, downsampled to at most `points` each: those that the request names, or the most telling ones.",
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
      z.object({ version: z.string().exactOptional().describe("Only this version; by default all.") }),
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
        oneSeed: z
          .boolean()
          .optional()
          .describe("Promotes a version that was kept for what its first seed showed as well."),
        approve: z
          .boolean()
          .default(false)
          .describe("Approves the completion gate if it waits for a person."),
        trusted: z.boolean().default(false),
        by: z.string().min(1).exactOptional(),
      }),
    result: () => PromotedVersion,
  }),
};
