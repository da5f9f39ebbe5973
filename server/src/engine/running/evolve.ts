import { counted } from "../../../../shared/words/numbers.ts";
import { refuseLettingThrough } from "../../backtest/quarantine.ts";
import { HarnessError } from "../../base/errors.ts";
import { sweepTemporaries } from "../../base/files.ts";
import type { Log } from "../../base/log.ts";
import { resolveCommit } from "../../lineage/repository.ts";
import type { LoopEvent } from "../../loop/events.ts";
import { runLoop } from "../../loop/machine/loop.ts";
import { initialState, readLoopState, writeLoopState, type LoopState } from "../../loop/state.ts";
import { supportedState } from "../../loop/supportedState.ts";
import { loadProject, loadProjectSpec, type Project } from "../../project/project.ts";
import { workTree, type FileSource } from "../../project/source.ts";
import { frozenSurfaces } from "../../project/surfaces.ts";
import { firstFreeNumber, gateAnswer } from "../../proposals/proposal.ts";
import { changedSince } from "../project/changedSince.ts";
import { commitSource } from "../project/commitSource.ts";
import { keepRecord, type KeptRecord } from "../evolution/keepRecord.ts";
import { openFleet, type OpenFleet } from "../training/fleet.ts";
import { here } from "../workspace/machineNames.ts";
import { placeOf } from "../workspace/place.ts";
import { openAudit } from "../proposals/openAudit.ts";
import { whyUntried } from "../proposals/whyUntried.ts";
import { keepEngine } from "../owner/withEngine.ts";
import { enginePorts } from "../training/ports.ts";
import { findVersion, type VersionRecord } from "../../lineage/graph.ts";
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
    record = await keepRecord(workspace.engineFolder, { host: names === here ? null : names });
    // The archive is ours now, so what a killed engine left is nobody's.
    await sweepTemporaries(workspace.engineFolder);
    const state = await startingState({ ...options, emit });
    const project = withAutonomy(
      await loadProject(commitSource(workspace.repository, state.base)),
      options.autonomy,
    );
    for (const p of project.problems)
      emit({ type: "note", message: `${p.path}:${p.line}: ${p.message} It is left out.` });
    const ports = enginePorts({
      workspace,
      store,
      fleet: open.fleet,
      project,
      emit,
      signal: options.signal,
    });
    const domain = project.spec.domain;
    await refuseLettingThrough(store, {
      versions: (await readLineage(workspace, domain)).versions,
      diagnostics: project.diagnostics.map((d) => d.spec),
      domain,
    });
    await writeLoopState(workspace.engineFolder, state);
    const versionNamed = async (name: string) => findVersion(await readLineage(workspace, domain), name);
    const final = await runLoop(state, {
      ports: { ...ports, project: () => Promise.resolve(project) },
      approvals: {
        inAdvance: options.approvedBy ?? null,
        answerFor: async (name) => {
          const version = await versionNamed(name);
          if (version !== undefined) refuseUnknownHand(version);
          return version === undefined ? null : gateAnswer(version);
        },
        whyUntried: (version, by) => whyUntried(workspace, { domain, version, by }),
      },
      openAudit: (version) =>
        openAudit(workspace, { domain, version, approvedBy: options.approvedBy ?? null }),
      supported: async (s) => supportedState(s, await readLineage(workspace, s.domain)),
      commitOf: async (name) => {
        const version = await versionNamed(name);
        if (version === undefined)
          throw new HarnessError(
            "notFound",
            `The ledger has no version ${name}, although the evolution goes on from it; run \`evotrainer evolve --restart\`.`,
          );
        return version.commit;
      },
      save: (s) => writeLoopState(workspace.engineFolder, s),
      signal: options.signal,
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

/** No rule answers for a version that no engine made: nobody checked what it changes. @throws HarnessError ledgerInvalid */
function refuseUnknownHand({ name, standing, approvals }: VersionRecord): void {
  if (standing !== "claim" || approvals.length > 0) return;
  throw new HarnessError(
    "ledgerInvalid",
    `${name} is not trained: no engine that you trust wrote it into the ledger; look at it with \`evotrainer review ${name}\` and answer there, or trust the key of who wrote it (\`evotrainer trust\`).`,
  );
}

function withAutonomy(project: Project, autonomy: EvolveOptions["autonomy"]): Project {
  if (autonomy === undefined) return project;
  return { ...project, spec: { ...project.spec, gates: { ...project.spec.gates, autonomy } } };
}

async function startingState(options: EvolveOptions): Promise<LoopState> {
  const { workspace, generations } = options;
  const saved = options.restart === true ? undefined : await readLoopState(workspace.engineFolder);
  // The files on disk are checked as well: what the user sees broken must not be passed over because HEAD is sound.
  const spec = await loadProjectSpec(workTree(workspace.root));
  if (saved !== undefined)
    return supportedState(goOn(saved, generations), await readLineage(workspace, saved.domain));
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

function goOn(saved: LoopState, generations: number | undefined): LoopState {
  if (saved.stopped !== null) throw new HarnessError("jobFailed", saved.stopped);
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
