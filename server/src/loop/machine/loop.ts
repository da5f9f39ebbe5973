import { HarnessError } from "../../base/errors.ts";
import type { Project } from "../../project/project.ts";
import type { AuditDoor } from "../../proposals/auditDoor.ts";
import type { LoopPorts } from "../ports.ts";
import { loopSteps, type Candidate, type LoopState } from "../state.ts";
import { approve, type ApprovalSource } from "../steps/approve.ts";
import { endGeneration } from "../steps/decide.ts";
import { promote } from "../steps/promote.ts";
import { backtest, hypothesise, intervene } from "../steps/propose.ts";
import { train } from "../steps/train.ts";

export interface LoopOptions {
  readonly ports: LoopPorts;
  readonly approvals: ApprovalSource;
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
    state = await advance(await options.supported(state), options);
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
      return next({ ...state, findings: await diagnoseChampion(state, project, ports) });
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
          ? { ...state, candidates: await approve(state, project, options.approvals, ports) }
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
      return endGeneration(state, project, ports, signal);
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

function afterHypotheses(state: LoopState): LoopState {
  if (state.candidates.length === 0) return { ...state, phase: "promote", step: "collect" };
  const numbers = state.candidates.map(({ version }) => Number(/^v(\d+)/.exec(version)?.[1] ?? -1));
  return next({ ...state, nextNumber: Math.max(state.nextNumber, ...numbers.map((n) => n + 1)) });
}
