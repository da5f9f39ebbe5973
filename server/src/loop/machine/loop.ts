import { HarnessError } from "../../base/errors.ts";
import { testingRules } from "../../decision/testing/rules.ts";
import type { Project } from "../../project/project.ts";
import type { AuditDoor } from "../../proposals/standing/auditDoor.ts";
import { numberIn } from "../../proposals/standing/proposal.ts";
import { chooseParents } from "../parents.ts";
import type { LoopPorts } from "../ports.ts";
import { loopSteps, type Candidate, type Ground, type LoopState } from "../state.ts";
import { admitProposed } from "../steps/admit.ts";
import { approve, GateWaits, type ApprovalSource } from "../steps/approve.ts";
import { askDiagnosis } from "../steps/diagnosisGate.ts";
import { reviseCandidate } from "../steps/revise.ts";
import { calibrate, trainForCalibration } from "../steps/calibrate.ts";
import { endGeneration, type Deciding } from "../steps/decide.ts";
import { doubtChampion } from "../steps/doubtChampion.ts";
import { promote } from "../steps/promote.ts";
import { backtest, candidateOf, hypothesise, intervene } from "../steps/propose.ts";
import { measureAgain, replicate, type Budget } from "../steps/replicate.ts";
import { screen } from "../steps/screen.ts";
import { train } from "../steps/train.ts";
import type { Tests } from "../tests.ts";

export interface LoopOptions {
  readonly ports: LoopPorts;
  readonly tests: Tests;
  /** How a gate stands by what is in force at this moment. */
  readonly ask: ApprovalSource["ask"];
  /** Asked before a candidate gets a further seed; the first one is asked about where it is trained. */
  readonly budget: Budget;
  /** Asks the door to the audit split for a version, from the ledger as it is now. */
  readonly openAudit: (version: string) => Promise<AuditDoor>;
  /**
   * Why versions that were kept on this baseline are held until a person has looked at them, from the ledger as it is now; a
   * few sentences for each.
   */
  readonly whyHeld: (baseline: string) => Promise<readonly string[]>;
  /** The state as the ledger still supports it: another process may have reverted the champion. */
  readonly supported: (state: LoopState) => Promise<LoopState>;
  readonly commitOf: (version: string) => Promise<string>;
  /** Called with the new state after every step; must make it durable before it resolves. */
  readonly save: (state: LoopState) => Promise<void>;
  readonly signal: AbortSignal;
  /** calibration: stop once the noise of the baseline is known, before any candidate. */
  readonly until?: "calibration" | undefined;
}

/**
 * Runs the loop from a state until it is done: the base policy, the baseline, its calibration; then over the generations
 * collect → diagnose → hypothesise → intervene → backtest → approve → train → verify → screen → replicate → decide; then
 * the promotion.
 * @throws HarnessError gateWaiting, cancelled, and what the steps throw; the saved state is where it goes on
 */
export async function runLoop(start: LoopState, options: LoopOptions): Promise<LoopState> {
  let state = start;
  while (state.phase !== "done" && state.stopped === null) {
    if (options.until === "calibration" && state.calibrated) return state;
    if (options.signal.aborted)
      throw new HarnessError("cancelled", "Stopped; run `evotrainer evolve` to continue from here.");
    const { phase, generation, generations, step } = state;
    if (phase !== "promote") options.ports.emit({ type: "step", phase, generation, generations, step });
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
  const project = await options.ports.project(state.base);
  switch (state.phase) {
    case "promote":
      await promoteChampion(state, options);
      return { ...state, phase: "done" };
    case "calibrate":
      return advanceCalibration(state, project, options);
    case "base":
    case "baseline":
      return advanceFirst(state, project, options);
    case "evolve":
      // An evolution of a release that did not calibrate is calibrated before its next generation.
      return state.step === "collect" && !state.calibrated
        ? { ...state, phase: "calibrate", step: "train" }
        : advanceGeneration(state, project, options);
    case "done":
      return state;
  }
}

/** The base policy and the baseline: nothing is proposed, and nothing is asked. */
async function advanceFirst(state: LoopState, project: Project, options: LoopOptions): Promise<LoopState> {
  const { ports, commitOf } = options;
  const commitOfParent = async ({ parent }: Candidate): Promise<string> =>
    parent === null ? state.base : commitOf(parent);
  switch (state.step) {
    case "hypothesise":
      return withNumbers(next({ ...state, candidates: [firstCandidate(state)] }));
    case "intervene":
      return next({ ...state, candidates: await intervene(state, commitOfParent, project, ports) });
    case "train":
      return next(await train(state, project.spec, options));
    case "verify":
      return next(await verified(state, ports));
    case "decide":
      return endGeneration(state, project, deciding(state, project, options));
    case "collect":
    case "diagnose":
    case "backtest":
    case "approve":
    case "screen":
    case "replicate":
      return next(state);
  }
}

const deciding = (state: LoopState, { spec }: Project, { ports, tests, signal }: LoopOptions): Deciding => ({
  ...{ ports, signal },
  measureAgain: (candidate) => measureAgain(state, candidate, { spec, ports, tests, signal }),
});

/** More seeds of the baseline, and one evaluation twice: what follows knows what noise hides. */
async function advanceCalibration(
  state: LoopState,
  project: Project,
  options: LoopOptions,
): Promise<LoopState> {
  if (state.step === "train") {
    await trainForCalibration(state, { ...options, project });
    return { ...state, step: "decide" };
  }
  await calibrate(state, { ...options, project });
  const generation = Math.max(1, state.generation);
  const { candidates } = testingRules(project.spec, state.planned);
  return { ...state, phase: "evolve", step: "collect", generation, calibrated: true, planned: candidates };
}

async function advanceGeneration(
  state: LoopState,
  project: Project,
  options: LoopOptions,
): Promise<LoopState> {
  const { ports, commitOf } = options;
  const commitOfParent = async ({ parent }: Candidate): Promise<string> => commitOf(parent ?? state.base);
  switch (state.step) {
    case "collect": {
      await admitProposed(state, options.ask, ports);
      const from = await doubtChampion(state, project, options);
      const grounds = await chooseGrounds(from, ports);
      for (const { parent } of grounds) await ports.collect(parent, "all");
      return grounds.length === 0 ? nothingToTry(from, ports) : next({ ...from, grounds });
    }
    case "diagnose":
      return afterDiagnosis({ ...state, grounds: await diagnoseGrounds(state, project, ports) }, options);
    case "hypothesise": {
      const sourceOf = async (version: string) => ports.source(await commitOf(version));
      const { candidates, nothing } = await hypothesise(state, sourceOf, project, ports);
      if (candidates.length > 0) return withNumbers(next({ ...state, candidates }));
      for (const message of nothing) ports.emit({ type: "note", message });
      const exhausted = [...state.exhausted, ...state.grounds.map(({ parent }) => parent)];
      return { ...state, exhausted, step: "collect", grounds: [] };
    }
    case "intervene":
      return next({ ...state, candidates: await intervene(state, commitOfParent, project, ports) });
    case "backtest":
      return next({ ...state, candidates: await backtest(state, commitOfParent, ports) });
    case "approve":
      return next(withNumbers(await approved(state, commitOfParent, project, options)));
    case "train":
      return next(await train(state, project.spec, options));
    case "verify":
      return next(await verified(state, ports));
    case "screen":
      return next({ ...state, candidates: await screen(state, project, options) });
    case "replicate": {
      const { candidates, isOver } = await replicate(state, { ...options, spec: project.spec });
      return isOver ? next({ ...state, candidates }) : { ...state, candidates };
    }
    case "decide":
      return endGeneration(state, project, deciding(state, project, options));
  }
}

/** Nothing is proposed before the diagnosis of the versions that changes are made of has passed its gate. */
async function afterDiagnosis(state: LoopState, { ask, ports }: LoopOptions): Promise<LoopState> {
  const { domain, generation } = state;
  const grounds: Ground[] = [];
  const refusals: string[] = [];
  for (const ground of state.grounds) {
    const refusal = await askDiagnosis({ domain, version: ground.parent, generation }, ask, ports);
    if (refusal === null) grounds.push(ground);
    else refusals.push(refusal);
  }
  for (const message of refusals) ports.emit({ type: "note", message });
  return grounds.length > 0
    ? next({ ...state, grounds })
    : { ...state, ended: refusals.join(" "), phase: "promote", step: "collect" };
}

async function approved(
  state: LoopState,
  commitOfParent: (candidate: Candidate) => Promise<string>,
  project: Project,
  { ask, ports }: LoopOptions,
): Promise<LoopState> {
  const revise: ApprovalSource["revise"] = async (sent, comment) =>
    reviseCandidate({ state, parentCommit: await commitOfParent(sent), project }, sent, comment, ports);
  return { ...state, candidates: await approve(state, { ask, revise }, ports) };
}

async function verified(state: LoopState, ports: LoopPorts): Promise<LoopState> {
  for (const c of state.candidates) if (c.job !== null) await ports.collect(c.version, "all");
  return state;
}

/**
 * The end of an evolution: the best version is promoted, or why not is said, and so is what a person has to look at first.
 * @throws HarnessError gateWaiting where nothing is promoted before a person has answered
 */
async function promoteChampion(
  { champion, baseline, domain }: LoopState,
  { ports, openAudit, whyHeld, commitOf, signal }: LoopOptions,
): Promise<void> {
  if (champion === null) return;
  const held = await whyHeld(baseline ?? champion);
  const door = await openAudit(champion);
  if (door.type === "waits") throw new HarnessError("gateWaiting", [door.reason, ...held].join(" "));
  if (door.type === "closed" && held.length > 0) throw new HarnessError("gateWaiting", held.join(" "));
  for (const message of held) ports.emit({ type: "note", message });
  switch (door.type) {
    case "open":
      return promote({ ...door, domain }, commitOf, ports, signal);
    case "closed":
      ports.emit({ type: "note", message: `Nothing is promoted. ${door.reason}` });
      return;
    case "opened":
      ports.emit({ type: "note", message: `${champion} was promoted before, and stays promoted.` });
      return;
  }
}

function next(state: LoopState): LoopState {
  const following = loopSteps[loopSteps.indexOf(state.step) + 1];
  return following === undefined ? state : { ...state, step: following };
}

/** The versions that the next changes are made of, with nothing found out about them yet. */
async function chooseGrounds(state: LoopState, ports: LoopPorts): Promise<Ground[]> {
  const { champion, baseline, failuresInARow, exhausted } = state;
  if (champion === null) return [];
  const kept = await ports.keptOn(baseline ?? champion);
  return chooseParents({ champion, kept, failuresInARow, exhausted }).map((p) => ({ ...p, findings: [] }));
}

/** Nothing is left to try on any kept version. */
function nothingToTry(state: LoopState, ports: LoopPorts): LoopState {
  const { champion, generation, generations } = state;
  const ended = `The evolution ended in generation ${generation} of ${generations}, because nothing is left to try${champion === null ? "" : ` on ${champion} or another kept version`}. Add interventions, commit them, and run \`evotrainer evolve --restart\`; or propose a change yourself with \`evotrainer propose\`, approve it, and run \`evotrainer evolve\`.`;
  ports.emit({ type: "note", message: ended });
  return { ...state, ended, phase: "promote", step: "collect", exhausted: [] };
}

async function diagnoseGrounds(state: LoopState, project: Project, ports: LoopPorts): Promise<Ground[]> {
  const grounds: Ground[] = [];
  for (const ground of state.grounds) {
    const { findings } = await ports.diagnose(ground.parent, project);
    for (const { name, severity, message } of findings)
      ports.emit({ type: "finding", version: ground.parent, name, severity, message });
    grounds.push({ ...ground, findings: findings.map((f) => ({ ...f })) });
  }
  return grounds;
}

function firstCandidate({ phase, nextNumber, baseVersion }: LoopState): Candidate {
  const isBase = phase === "base";
  return candidateOf({
    version: `v${nextNumber}`,
    parent: isBase ? null : baseVersion,
    title: isBase ? "base policy" : "baseline: the harness as it is",
    finding: null,
    because: isBase ? "Every version starts from this policy." : "What every change is compared with.",
  });
}

/** No later version gets a number that one of the candidates has. */
function withNumbers(state: LoopState): LoopState {
  const numbers = state.candidates.map(({ version }) => numberIn(version));
  return { ...state, nextNumber: Math.max(state.nextNumber, ...numbers.map((n) => n + 1)) };
}
