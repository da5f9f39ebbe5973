import type { AllServices } from "../../../../shared/protocol/services.ts";
import { plainServices } from "./plainServices.ts";
import type { ServiceTable } from "../workspace/service.ts";

/**
 * Who does the work of every service of the contract: what has no line here, or answers with another shape than the contract
 * says, does not compile. To add one: its entry in the contract (shared/protocol/services), and a file in a folder of the
 * engine that exports `defineService("<name>", { … })`. `npm run protocol` finds it by its name and writes its line here;
 * callers then have `engine.request("<name>", params)`.
 */
export const services: ServiceTable<AllServices> = {
  ...plainServices,
  // services: written by npm run protocol
  "diagnostics.liveCount": async () => (await import("../backtest/liveCount.ts")).liveCount,
  "diagnostics.try": async () => (await import("../backtest/diagnosticsTry.ts")).diagnosticsTry,
  "proposals.list": async () => (await import("../proposals/proposalsList.ts")).proposalsList,
  "proposals.show": async () => (await import("../proposals/proposalsShow.ts")).proposalsShow,
  "proposals.make": async () => (await import("../proposals/proposalsMake.ts")).proposalsMake,
  "proposals.explain": async () => (await import("../proposals/proposalsExplain.ts")).proposalsExplain,
  "proposals.exam": async () => (await import("../proposals/proposalsExam.ts")).proposalsExam,
  "proposals.answer": async () => (await import("../proposals/proposalsAnswer.ts")).proposalsAnswer,
  "proposals.try": async () => (await import("../proposals/proposalsTry.ts")).proposalsTry,
  "lineage.replay": async () => (await import("../replay/lineageReplay.ts")).lineageReplay,
  "rollouts.list": async () => (await import("../rollouts/rolloutsList.ts")).rolloutsList,
  "rollouts.window": async () => (await import("../rollouts/rolloutsWindow.ts")).rolloutsWindow,
  "rollouts.groups": async () => (await import("../rollouts/rolloutsGroups.ts")).rolloutsGroups,
  "rollouts.show": async () => (await import("../rollouts/rolloutsShow.ts")).rolloutsShow,
  "rollouts.divergence": async () => (await import("../rollouts/rolloutsDivergence.ts")).rolloutsDivergence,
  "rollouts.note": async () => (await import("../rollouts/rolloutsNote.ts")).rolloutsNote,
  "rollouts.export": async () => (await import("../rollouts/rolloutsExport.ts")).rolloutsExport,
  "rollouts.label": async () => (await import("../rollouts/rolloutsLabel.ts")).rolloutsLabel,
  "rollouts.people": async () => (await import("../rollouts/rolloutsPeople.ts")).rolloutsPeople,
  "rollouts.queue": async () => (await import("../rollouts/rolloutsQueue.ts")).rolloutsQueue,
  "skills.offered": async () => (await import("../skills/skillsOffered.ts")).skillsOffered,
  "skills.apply": async () => (await import("../skills/skillsApply.ts")).skillsApply,
  "versions.list": async () => (await import("../versions/versionsList.ts")).versionsList,
  "versions.diagnose": async () => (await import("../versions/versionsDiagnose.ts")).versionsDiagnose,
  "versions.label": async () => (await import("../versions/versionsLabel.ts")).versionsLabel,
  "versions.compare": async () => (await import("../comparison/versionsCompare.ts")).versionsCompare,
  "versions.compareScores": async () =>
    (await import("../comparison/versionsCompareScores.ts")).versionsCompareScores,
  "versions.flow": async () => (await import("../versions/versionsFlow.ts")).versionsFlow,
  "versions.labels": async () => (await import("../versions/versionsLabels.ts")).versionsLabels,
  "versions.cases": async () => (await import("../versions/versionsCases.ts")).versionsCases,
  "versions.tripwires": async () => (await import("../versions/versionsTripwires.ts")).versionsTripwires,
  "versions.items": async () => (await import("../versions/versionsItems.ts")).versionsItems,
  "versions.seeds": async () => (await import("../versions/versionsSeeds.ts")).versionsSeeds,
  "versions.rewards": async () => (await import("../versions/versionsRewards.ts")).versionsRewards,
  "versions.gaps": async () => (await import("../gaps/versionsGaps.ts")).versionsGaps,
  "metrics.series": async () => (await import("../versions/metricsSeries.ts")).metricsSeries,
  "lineage.predictions": async () => (await import("../comparison/lineagePredictions.ts")).lineagePredictions,
  "versions.revert": async () => (await import("../proposals/versionsRevert.ts")).versionsRevert,
  "versions.promote": async () => (await import("../proposals/versionsPromote.ts")).versionsPromote,
  "archive.status": async () => (await import("../archive/archiveStatus.ts")).archiveStatus,
  "archive.facts": async () => (await import("../archive/archiveFacts.ts")).archiveFacts,
  "archive.forget": async () => (await import("../archive/archiveForget.ts")).archiveForget,
  "archive.trim": async () => (await import("../archive/archiveTrim.ts")).archiveTrim,
  "quarantine.list": async () => (await import("../archive/quarantineList.ts")).quarantineList,
  "backtest.diagnostic": async () => (await import("../backtest/backtestDiagnostic.ts")).backtestDiagnostic,
  "backtest.removal": async () => (await import("../backtest/backtestRemoval.ts")).backtestRemoval,
  "backtest.curriculum": async () => (await import("../backtest/backtestCurriculum.ts")).backtestCurriculum,
  "backtest.reward": async () => (await import("../backtest/backtestReward.ts")).backtestReward,
  "evidence.collect": async () => (await import("../importing/evidenceCollect.ts")).evidenceCollect,
  "evidence.follow": async () => (await import("../attach/evidenceFollow.ts")).evidenceFollow,
  "evidence.followTotals": async () => (await import("../attach/followTotals.ts")).followTotals,
  "evidence.import": async () => (await import("../importing/evidenceImport.ts")).evidenceImport,
  // /services
};

export type ParamsOf<N extends keyof AllServices> = AllServices[N]["params"];
export type ResultOf<N extends keyof AllServices> = AllServices[N]["result"];
