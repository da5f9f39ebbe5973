import { counted } from "../../../../shared/words/numbers.ts";
import type { GatesSpec } from "../../../../shared/spec/gates.ts";
import { refuseLettingThrough } from "../../backtest/quarantine.ts";
import { HarnessError } from "../../base/errors.ts";
import { sweepTemporaries } from "../../base/files.ts";
import type { Log } from "../../base/log.ts";
import { calibrate } from "../../decision/testing/calibrate.ts";
import { replicate } from "../../decision/testing/replicate.ts";
import { screen } from "../../decision/testing/screen.ts";
import { seedNoise } from "../../decision/testing/seedNoise.ts";
import { unanswerableGates } from "../../decision/gates/whoAnswers.ts";
import { refuseSecondLedger } from "../../lineage/ledger.ts";
import { resolveCommit } from "../../lineage/repository.ts";
import type { LoopEvent } from "../../loop/events.ts";
import { runLoop } from "../../loop/machine/loop.ts";
import { initialState, readLoopState, writeLoopState, type LoopState } from "../../loop/state.ts";
import { heldAbove } from "../training/keptVersions.ts";
import { withStandingChampion } from "../../loop/standingChampion.ts";
import { supportedState } from "../../loop/supportedState.ts";
import { loadProject, loadProjectSpec } from "../../project/project.ts";
import { workTree, type FileSource } from "../../project/source.ts";
import { frozenSurfaces } from "../../project/surfaces.ts";
import { proposersOf } from "../../project/proposersOf.ts";
import { firstFreeNumber } from "../../proposals/standing/proposal.ts";
import { spendingGuard } from "../budget/spendingGuard.ts";
import { changedSince } from "../project/changedSince.ts";
import { commitSource } from "../project/commitSource.ts";
import { gateStanding } from "../evolution/askGate.ts";
import { seeGates } from "../evolution/gatesSeen.ts";
import { inForceReader } from "../evolution/inForce.ts";
import { keepRecord, type KeptRecord } from "../evolution/keepRecord.ts";
import { openFleet, type OpenFleet } from "../training/fleet.ts";
import { hostRoute } from "../hosts/hostExecutor.ts";
import { hostsOf } from "../jobs/jobList.ts";
import { here, machineNames } from "../workspace/machineNames.ts";
import { placeOf } from "../workspace/place.ts";
import { openAudit } from "../proposals/openAudit.ts";
import { proposerPorts } from "../proposals/proposerPorts.ts";
import { triedFirst } from "../proposals/whyUntried.ts";
import { harnessReader } from "../harness/harnessReader.ts";
import { keepEngine } from "../owner/withEngine.ts";
import { enginePorts } from "../training/ports.ts";
import { findVersion } from "../../lineage/graph.ts";
import { readLineage, type Workspace } from "../workspace/workspace.ts";

export interface EvolveOptions {
  readonly workspace: Workspace;
  /** Names of the machines that jobs run on; those of trainer.hosts, or this one, where left out. */
  readonly hosts?: readonly string[];
  readonly generations?: number;
  readonly autonomy?: "full" | "human_gated";
  /** Who approves every gate in advance. */
  readonly approvedBy?: string;
  /** Start a new evolution from HEAD even if there is one to go on with. */
  readonly restart?: boolean;
  /** calibration: stop before the first candidate. */
  readonly until?: "calibration";
  readonly emit: (event: LoopEvent) => void;
  readonly signal: AbortSignal;
  readonly log?: Log;
}

/**
 * Starts an evolution from HEAD, or goes on with the one that was started.
 * @throws HarnessError projectMissing, projectInvalid, storeBusy, gateWaiting, cancelled, jobFailed, revisionRefused
 */
export async function evolve(options: EvolveOptions): Promise<LoopState> {
  const { workspace } = options;
  const over = await alreadyOver(options);
  if (over !== undefined) return over;
  const engine = await keepEngine(placeOf(workspace.root), {
    role: "evolve",
    // It runs the project's trainer as well.
    trusted: true,
    ...(options.log === undefined ? {} : { log: options.log }),
  });
  const { store } = engine;
  let record: KeptRecord | undefined;
  let open: OpenFleet | undefined;
  const emit = (event: LoopEvent): void => {
    record?.note(event);
    options.emit(event);
  };
  try {
    open = await openFleet(workspace, options.hosts, {
      note: (message) => emit({ type: "note", message }),
      ...(options.log === undefined ? {} : { log: options.log }),
    });
    const names = open.names.join(",");
    if (options.hosts !== undefined) emit({ type: "note", message: `Jobs run on ${open.names.join(", ")}.` });
    record = await keepRecord(workspace.engineFolder, { host: names === here ? null : names });
    // The archive is ours now, so what a killed engine left is nobody's.
    await sweepTemporaries(workspace.engineFolder);
    const state = await startingState({ ...options, emit });
    const project = await loadProject(commitSource(workspace.repository, state.base));
    const note = (message: string): void => emit({ type: "note", message });
    const inForce = inForceReader({
      repository: workspace.repository,
      began: project,
      base: state.base,
      overrides: { autonomy: options.autonomy, approvedBy: options.approvedBy ?? null },
      seeGates: (now) => seeGates(workspace, now),
      note,
    });
    refuseUnanswerable((await inForce()).gates);
    for (const p of project.problems) note(`${p.path}:${p.line}: ${p.message} It is left out.`);
    const { signal } = options;
    const ports = {
      ...enginePorts({ workspace, store, fleet: open.fleet, project, emit, signal }),
      ...proposerPorts({ workspace, store, project, signal }),
    };
    const domain = project.spec.domain;
    const asHarnessed = harnessReader(workspace, domain, note);
    await refuseLettingThrough(store, {
      versions: (await readLineage(workspace, domain)).versions,
      diagnostics: (await asHarnessed(project)).diagnostics.map((d) => d.spec),
      domain,
    });
    const guard = spendingGuard({
      workspace,
      spec: async () => (await inForce()).project.spec,
      since: state.startedAt,
      machine: open.names[0] ?? here,
      note,
    });
    await guard.noteEmpty();
    await guard.refuseSpent(state);
    await writeLoopState(workspace.engineFolder, state);
    const final = await runLoop(state, {
      ports: {
        ...ports,
        train: guard.guarded((...asked) => ports.train(...asked)),
        project: async () => asHarnessed((await inForce()).project),
      },
      ask: async (question) => {
        const now = await inForce();
        const standing = gateStanding(now, await readLineage(workspace, domain), question);
        return standing.type === "passes" && question.gate === "design"
          ? triedFirst(workspace, standing, { domain, version: question.version, inAdvance: now.approvedBy })
          : standing;
      },
      openAudit: async (version) =>
        openAudit(workspace, { domain, version, inAdvance: (await inForce()).approvedBy }),
      whyHeld: async (baseline) => heldAbove(await readLineage(workspace, domain), baseline),
      supported: async (s) => {
        if (s.step === "collect") await guard.refuseSpent(s);
        await guard.estimate(s);
        return supportedState(s, await readLineage(workspace, s.domain));
      },
      commitOf: (name) => commitIn(workspace, domain, name),
      tests: { calibrate, screen, replicate, seedNoise },
      budget: guard.whyNot,
      save: (s) => writeLoopState(workspace.engineFolder, s),
      signal: options.signal,
      until: options.until,
    });
    await record.end({ state: final });
    return final;
  } catch (error) {
    await record?.end({ error });
    throw error;
  } finally {
    open?.close();
    await engine.close();
  }
}

/** @throws HarnessError projectInvalid for a gate that nobody can answer */
function refuseUnanswerable(gates: GatesSpec): void {
  const [first] = unanswerableGates(gates, proposersOf());
  if (first !== undefined) throw new HarnessError("projectInvalid", first.message);
}

/** The commit that the ledger has for a version. @throws HarnessError notFound */
async function commitIn(workspace: Workspace, domain: string, name: string): Promise<string> {
  const version = findVersion(await readLineage(workspace, domain), name);
  if (version === undefined)
    throw new HarnessError(
      "notFound",
      `The ledger has no version ${name}, although the evolution goes on from it; run \`evotrainer evolve --restart\`.`,
    );
  return version.commit;
}

async function startingState(options: EvolveOptions): Promise<LoopState> {
  const { workspace, generations } = options;
  const saved = options.restart === true ? undefined : await readLoopState(workspace.engineFolder);
  // The files on disk are checked as well: what the user sees broken must not be passed over because HEAD is sound.
  const spec = await loadProjectSpec(workTree(workspace.root));
  if (saved !== undefined)
    return supportedState(goOn(saved, generations), await readLineage(workspace, saved.domain));
  if (options.restart !== true) await refuseSecondLedger(workspace.repository);
  await noteUncommitted(options);
  const base = await resolveCommit(workspace.repository, "HEAD");
  await refuseFrozenSurfaces(commitSource(workspace.repository, base));
  const { versions } = await readLineage(workspace, spec.domain);
  const changed = await changedSince(workspace.repository, base, versions);
  if (changed !== undefined) options.emit({ type: "note", message: changed });
  const state = initialState({
    domain: spec.domain,
    base,
    startedAt: new Date().toISOString(),
    generations: generations ?? spec.budgets.generations,
    firstNumber: firstFreeNumber({ versions }),
  });
  return state;
}

/** A surface that is part of the evaluation could raise its own score. @throws HarnessError projectInvalid */
async function refuseFrozenSurfaces(source: FileSource): Promise<void> {
  const spec = await loadProjectSpec(source);
  const [first] = frozenSurfaces(spec, await source.links?.());
  if (first !== undefined) throw new HarnessError("projectInvalid", first.message);
}

/** The state of an evolution that has nothing left to do, which is said with what to do; undefined for any other. */
async function alreadyOver(options: EvolveOptions): Promise<LoopState | undefined> {
  const { workspace, generations, restart, until, emit } = options;
  const saved = restart === true ? undefined : await readLoopState(workspace.engineFolder);
  if (saved === undefined || saved.stopped !== null) return undefined;
  const isDone = saved.phase === "done" && saved.ended === null;
  const isOver =
    until === "calibration"
      ? saved.calibrated
      : isDone && (generations === undefined || generations <= saved.generations);
  if (!isOver) return undefined;
  // The files on disk and the hosts that were asked for are checked as well: what is wrong must not be passed over.
  const spec = await loadProjectSpec(workTree(workspace.root));
  for (const name of machineNames(spec, await hostsOf(workspace.root), options.hosts))
    if (name !== here) await hostRoute(workspace.root, name);
  if (until === "calibration") return saved;
  const head = await resolveCommit(workspace.repository, "HEAD");
  const lineage = await readLineage(workspace, saved.domain);
  const held = saved.baseline === null ? [] : heldAbove(lineage, saved.baseline);
  // A person may have answered since it was over.
  emit({
    type: "note",
    message: overText(withStandingChampion(saved, lineage), { head, isAnswered: held.length === 0 }),
  });
  for (const message of held) emit({ type: "note", message });
  return saved;
}

function overText(
  { generations, base, champion }: LoopState,
  { head, isAnswered }: { readonly head: string; readonly isAnswered: boolean },
): string {
  const newer =
    head === base
      ? ""
      : ` Your branch has a newer commit (${head.slice(0, 12)}) than the one that this evolution began on (${base.slice(0, 12)}): \`evotrainer evolve --restart\` begins a new evolution there.`;
  const best = champion === null ? "" : `; the best version is ${champion}`;
  return `${generations === 1 ? "The one generation is" : `All ${generations} generations are`} done${best}. ${isAnswered ? "There is nothing left to do: run" : "Answer what is said below first. Apart from that, nothing is left to do: run"} \`evotrainer evolve --generations ${generations + 1}\` for one more, or \`evotrainer evolve --restart\` to start over.${newer}`;
}

function goOn(saved: LoopState, generations: number | undefined): LoopState {
  if (saved.stopped !== null) throw new HarnessError("jobFailed", saved.stopped);
  // What it ended for may have changed: proposals may have been approved since.
  if (saved.phase === "done" && saved.ended !== null) {
    const most = Math.max(saved.generations, generations ?? 0);
    return { ...saved, generations: most, ended: null, phase: "evolve", step: "collect", exhausted: [] };
  }
  if (generations === undefined || generations <= saved.generations) return saved;
  const more = { ...saved, generations };
  return saved.phase === "done" || saved.phase === "promote"
    ? { ...more, phase: "evolve", step: "collect", generation: saved.generations + 1 }
    : more;
}

/** Versions are made from commits: say so when the work tree holds more. */
async function noteUncommitted({ workspace, emit }: EvolveOptions): Promise<void> {
  const status = await workspace.repository.git.text(["status", "--porcelain", "--untracked-files=no"]);
  const files = status.split("\n").filter((l) => l !== "").length;
  if (files > 0)
    emit({
      type: "note",
      message: `${counted(files, "changed file is", "changed files are")} not committed and not part of this evolution, which starts from HEAD; they stay as they are.`,
    });
}
