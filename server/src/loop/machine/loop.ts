import { HarnessError } from "../../base/errors.ts";
import type { Project } from "../../project/project.ts";
import type { AuditDoor } from "../../proposals/auditDoor.ts";
import type { LoopPorts } from "../ports.ts";
import { loopSteps, type Candidate, type LoopState } from "../state.ts";
import { approve, GateWaits, type ApprovalSource } from "../steps/approve.ts";
import { askDiagnosis } from "../steps/diagnosisGate.ts";
import { endGeneration } from "../steps/decide.ts";
import { promote } from "../steps/promote.ts";
import { backtest, hypothesise, intervene } from "../steps/propose.ts";
import { reviseCandidate } from "../steps/revise.ts";
import { train } from "../steps/train.ts";

export interface LoopOptions {
  readonly ports: LoopPorts;
  /** How a gate stands by what is in force at this moment. */
  readonly ask: ApprovalSource["ask"];
  /** Asks the door to the audit split for a version, from the ledger as it is now. */
  readonly openAudit: (version: string) => Promise<AuditDoor>;
  /** The state as the ledger still supports it: another process may have reverted the champion. */
  readonly supported: (state: LoopState) => Promise<LoopState>;
  readonly commitOf: (version: string) => Promise<string>;
  /** Called with the new state after every step; must make it durable before it resolves. */
  readonly save: (state: LoopState) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Runs the loop from a state until it is done: collect → diagnose → hypothesise → intervene → backtest → approve →
 * train → verify → decide, over the generations, then the promotion.
 * @throws HarnessError gateWaiting, cancelled, and what the steps throw; the saved state is where it goes on
 */
export async function runLoop(start: LoopState, options: LoopOptions): Promise<LoopState> {
  let state = start;
  while (state.phase !== "done" && state.stopped === null) {
    if (options.signal.aborted)
      throw new HarnessError("cancelled", "Stopped; run `evotrainer evolve` to go on from here.");
    if (state.phase !== "promote")
      options.ports.emit({
        type: "step",
        phase: state.phase,
        generation: state.generation,
        generations: state.generations,
        step: state.step,
      });
    try {
      state = await advance(await options.supported(state), options);
    } catch (e) {
      // What was answered and drafted before the gate that waits is not asked for again.
      if (e instanceof GateWaits) await options.save(withNumbers(e.state));
      throw e;
    }
    await options.save(state);
  }
  return state;
}

async function advance(state: LoopState, options: LoopOptions): Promise<LoopState> {
  const { ports, signal, commitOf } = options;
  const parent = state.champion ?? state.baseVersion;
  const parentCommit = parent === null ? state.base : await commitOf(parent);
  const project = await ports.project(state.base);
  if (state.phase === "promote") {
    await promoteChampion(state, options);
    return { ...state, phase: "done" };
  }
  switch (state.step) {
    case "collect":
      if (state.champion !== null) await ports.collect(state.champion, "all");
      return next(state);
    case "diagnose":
      return afterDiagnosis({ ...state, findings: await diagnoseChampion(state, project, ports) }, options);
    case "hypothesise":
      return afterHypotheses({
        ...state,
        candidates: await chooseCandidates(state, parentCommit, project, ports),
      });
    case "intervene":
      return next({ ...state, candidates: await intervene(state, parentCommit, project, ports) });
    case "backtest":
      return next(
        state.phase === "evolve"
          ? { ...state, candidates: await backtest(state, parentCommit, ports) }
          : state,
      );
    case "approve":
      return next(
        state.phase === "evolve"
          ? withNumbers({
              ...state,
              candidates: await approve(
                state,
                {
                  ask: options.ask,
                  revise: (sent, comment) =>
                    reviseCandidate({ state, parentCommit, project }, sent, comment, ports),
                },
                ports,
              ),
            })
          : state,
      );
    case "train":
      return next({
        ...state,
        candidates: await train(state, project.spec, ports, signal),
      });
    case "verify":
      for (const c of state.candidates) if (c.job !== null) await ports.collect(c.version, "all");
      return next(state);
    case "decide":
      return endGeneration(state, project, ports);
  }
}

/** The end of an evolution: the best version is promoted, or why not is said. @throws HarnessError gateWaiting */
async function promoteChampion(
  { champion, domain }: LoopState,
  { ports, openAudit, commitOf, signal }: LoopOptions,
): Promise<void> {
  if (champion === null) return;
  const door = await openAudit(champion);
  switch (door.type) {
    case "open":
      return promote({ ...door, domain }, commitOf, ports, signal);
    case "waits":
      throw new HarnessError("gateWaiting", door.reason);
    case "closed":
      ports.emit({ type: "note", message: `Nothing is promoted. ${door.reason}` });
      return;
    case "opened":
      return;
  }
}

function next(state: LoopState): LoopState {
  const following = loopSteps[loopSteps.indexOf(state.step) + 1];
  return following === undefined ? state : { ...state, step: following };
}

async function diagnoseChampion(
  state: LoopState,
  project: Project,
  ports: LoopPorts,
): Promise<LoopState["findings"]> {
  if (state.phase !== "evolve" || state.champion === null) return [];
  const { findings } = await ports.diagnose(state.champion, project);
  for (const f of findings)
    ports.emit({
      type: "finding",
      version: state.champion,
      name: f.name,
      severity: f.severity,
      message: f.message,
    });
  return findings.map((f) => ({ ...f }));
}

async function chooseCandidates(
  state: LoopState,
  parentCommit: string,
  project: Project,
  ports: LoopPorts,
): Promise<Candidate[]> {
  if (state.phase === "evolve") return hypothesise(state, parentCommit, project, ports);
  const isBase = state.phase === "base";
  return [
    {
      version: `v${state.nextNumber}`,
      parent: isBase ? null : state.baseVersion,
      commit: null,
      intervention: null,
      title: isBase ? "base policy" : "baseline: the harness as it is",
      finding: null,
      because: isBase ? "Every version starts from this policy." : "What every change is compared with.",
      pruned: null,
      job: null,
    },
  ];
}

/** Nothing is proposed before the diagnosis has passed its gate. */
async function afterDiagnosis(state: LoopState, { ask, ports }: LoopOptions): Promise<LoopState> {
  const { phase, champion: version, domain, generation } = state;
  if (phase !== "evolve" || version === null) return next(state);
  const refusal = await askDiagnosis({ domain, version, generation }, ask, ports);
  if (refusal === null) return next(state);
  ports.emit({ type: "note", message: refusal });
  return { ...state, phase: "promote", step: "collect" };
}

function afterHypotheses(state: LoopState): LoopState {
  if (state.candidates.length === 0) return { ...state, phase: "promote", step: "collect" };
  return next(withNumbers(state));
}

/** The state with the next number after those that its candidates have. */
function withNumbers(state: LoopState): LoopState {
  const numbers = state.candidates.map(({ version }) => Number(/^v(\d+)/.exec(version)?.[1] ?? -1));
  return { ...state, nextNumber: Math.max(state.nextNumber, ...numbers.map((n) => n + 1)) };
}
