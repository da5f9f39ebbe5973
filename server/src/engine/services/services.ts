import type { AllServices } from "../../../../shared/protocol/services.ts";
import { plainServices } from "./plainServices.ts";
import type { ServiceTable } from "./service.ts";

/**
 * Who does the work of every service of the contract: what has no line here, or answers with another shape than the contract
 * says, does not compile. To add one: its entry in the contract (shared/protocol/services), a file that exports
 * `defineService("<name>", { … })`, and its line here; callers then have `engine.request("<name>", params)`.
 */
export const services: ServiceTable<AllServices> = {
  ...plainServices,
  "rollouts.list": async () => (await import("./rolloutsList.ts")).rolloutsList,
  "rollouts.window": async () => (await import("./rolloutsWindow.ts")).rolloutsWindow,
  "rollouts.groups": async () => (await import("./rolloutsGroups.ts")).rolloutsGroups,
  "rollouts.show": async () => (await import("./rolloutsShow.ts")).rolloutsShow,
  "rollouts.divergence": async () => (await import("./rolloutsDivergence.ts")).rolloutsDivergence,
  "rollouts.note": async () => (await import("./rolloutsNote.ts")).rolloutsNote,
  "rollouts.export": async () => (await import("./rolloutsExport.ts")).rolloutsExport,
  "rollouts.label": async () => (await import("./rolloutsLabel.ts")).rolloutsLabel,
  "versions.diagnose": async () => (await import("./versionsDiagnose.ts")).versionsDiagnose,
  "versions.compare": async () => (await import("./versionsCompare.ts")).versionsCompare,
  "versions.flow": async () => (await import("./versionsFlow.ts")).versionsFlow,
  "versions.labels": async () => (await import("./versionsLabels.ts")).versionsLabels,
  "metrics.series": async () => (await import("./metricsSeries.ts")).metricsSeries,
  "lineage.predictions": async () => (await import("./lineagePredictions.ts")).lineagePredictions,
  "diagnostics.liveCount": async () => (await import("./liveCount.ts")).liveCount,
  "diagnostics.try": async () => (await import("./diagnosticsTry.ts")).diagnosticsTry,
  "backtest.diagnostic": async () => (await import("./backtestDiagnostic.ts")).backtestDiagnostic,
  "backtest.removal": async () => (await import("./backtestRemoval.ts")).backtestRemoval,
  "backtest.reward": async () => (await import("./backtestReward.ts")).backtestReward,
  "versions.list": async () => (await import("./versionsList.ts")).versionsList,
  "evidence.collect": async () => (await import("./evidenceCollect.ts")).evidenceCollect,
  "evidence.import": async () => (await import("./evidenceImport.ts")).evidenceImport,
  "archive.status": async () => (await import("./archiveStatus.ts")).archiveStatus,
  "archive.facts": async () => (await import("./archiveFacts.ts")).archiveFacts,
  "archive.forget": async () => (await import("./archiveForget.ts")).archiveForget,
  "archive.trim": async () => (await import("./archiveTrim.ts")).archiveTrim,
  "quarantine.list": async () => (await import("./quarantineList.ts")).quarantineList,
  "proposals.list": async () => (await import("./proposalsList.ts")).proposalsList,
  "proposals.show": async () => (await import("./proposalsShow.ts")).proposalsShow,
  "proposals.make": async () => (await import("./proposalsMake.ts")).proposalsMake,
  "proposals.answer": async () => (await import("./proposalsAnswer.ts")).proposalsAnswer,
  "versions.revert": async () => (await import("./versionsRevert.ts")).versionsRevert,
  "versions.promote": async () => (await import("./versionsPromote.ts")).versionsPromote,
};

export type ParamsOf<N extends keyof AllServices> = AllServices[N]["params"];
export type ResultOf<N extends keyof AllServices> = AllServices[N]["result"];
