import { unnamedProposer } from "../../project/proposersOf.ts";
import type { WaitingGate } from "../../../../shared/protocol/views/proposals.ts";
import type { GateName, GatesSpec } from "../../../../shared/spec/gates.ts";
import { whoAnswers, type Answerer } from "../../decision/gates/whoAnswers.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { readLoopState } from "../../loop/state.ts";
import { proposersOf } from "../../project/proposersOf.ts";
import { auditDoor } from "../../proposals/standing/auditDoor.ts";
import { heldVersions } from "../../proposals/standing/heldVersion.ts";
import { gateHistory } from "../../proposals/standing/gateHistory.ts";
import { gateAnswer, isProposal, isReadyToTrain, stateOf } from "../../proposals/standing/proposal.ts";
import { newestProject } from "../evolution/newestProject.ts";
import type { OpenDomain } from "./openDomain.ts";

/** What waits at which gate, by what is committed now: proposals first, then what the evolution stands at. */
export async function waitingGates(open: OpenDomain): Promise<WaitingGate[]> {
  const { lineage, workspace, domain, spec } = open;
  const gates = await committedGates(open);
  const history = gateHistory(lineage);
  const answererOf = (version: VersionRecord, gate: GateName): Answerer =>
    whoAnswers({
      ...{ ...history, gate, gates, proposers: proposersOf(spec) },
      author: gate === "diagnosis" ? null : (version.hypothesis?.proposer ?? unnamedProposer),
    });
  const waits = (version: VersionRecord, gate: GateName): WaitingGate => {
    const answerer = answererOf(version, gate);
    const who = answerer.who === "human" ? "person" : answerer.who;
    return { version: version.name, gate, title: version.title, why: whyOf(answerer), who };
  };
  const proposals = lineage.versions.filter(isProposal);
  const found = [
    ...proposals.filter((v) => stateOf(v) === "waiting").map((v) => waits(v, "design")),
    ...proposals
      .filter((v) => isReadyToTrain(v) && gateAnswer(v, "backtest") === null)
      .map((v) => waits(v, "backtest"))
      // By default nobody is asked there.
      .filter(({ why }) => why !== null),
  ];
  // Whatever the gates say, a person looks at what may be a shortcut.
  found.push(
    ...heldVersions(lineage).map((v): WaitingGate => ({
      ...waits(v, "completion"),
      why: "its gain may be a shortcut",
      who: "person",
    })),
  );
  const state = await readLoopState(workspace.engineFolder);
  const champion = lineage.versions.find((v) => v.name === state?.champion);
  if (state?.domain !== domain || champion === undefined) return found;
  const { generation } = state;
  if (state.phase === "evolve" && state.step === "diagnose") {
    const asked = { ...waits(champion, "diagnosis"), generation };
    if (asked.why !== null && gateAnswer(champion, "diagnosis", generation)?.answer !== "approve")
      found.push(asked);
  }
  const isFound = found.some(({ version, gate }) => version === champion.name && gate === "completion");
  if (
    !isFound &&
    state.phase === "promote" &&
    auditDoor({ lineage, version: champion.name, gates }).type === "waits"
  )
    found.push(waits(champion, "completion"));
  return found;
}

/** Those of the newest commit of the user's branch; while it has no sound project, those of the work tree. */
export async function committedGates({ workspace, spec }: OpenDomain): Promise<GatesSpec> {
  const newest = await newestProject(workspace.repository)();
  return newest.type === "sound" ? newest.project.spec.gates : spec.gates;
}

function whyOf(answerer: Answerer): string | null {
  if (answerer.who === "rule") return null;
  return answerer.who === "proposer" ? `${answerer.why}: ${answerer.names.join(", ")}` : answerer.why;
}
