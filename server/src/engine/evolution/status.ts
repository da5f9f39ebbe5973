import { existsSync } from "node:fs";
import { counted } from "../../../../shared/words/numbers.ts";
import type { ArchiveOwner, EvolutionStatus } from "../../../../shared/protocol/views/evolution.ts";
import { HarnessError } from "../../base/errors.ts";
import { readLoopState, type LoopState } from "../../loop/state.ts";
import { stateOf } from "../../proposals/standing/proposal.ts";
import { loadProjectSpec } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { hostsOf } from "../jobs/jobList.ts";
import { isAlive, readOwnerFile } from "../workspace/ownerFile.ts";
import { canonicalArchive, placeOf } from "../workspace/place.ts";
import { engineFolderOf, openWorkspace, readLineage } from "../workspace/workspace.ts";
import { isRunning, readRecord, type EvolutionRecord } from "./record.ts";

/** "All 3 generations are done." */
export const generationsDone = (generations: number): string =>
  `${generations === 1 ? "The one generation is" : `All ${generations} generations are`} done.`;

/** Where the evolution of a project stands. Takes no archive. @throws HarnessError badInput for a state that is none */
export async function evolutionStatus(root: string): Promise<EvolutionStatus> {
  const engineFolder = engineFolderOf(root);
  const [record, loop, hosts] = await Promise.all([
    readRecord(engineFolder),
    readLoopState(engineFolder),
    hostsOf(root),
  ]);
  const running = record !== undefined && isRunning(record);
  const waiting = !running && loop?.step === "approve" ? await waitingVersions(root, loop) : [];
  const isPromoted = !running && loop?.phase === "promote" && (await isChampionPromoted(root, loop));
  return {
    ...told(record, loop, { running, waiting: waiting.length, isPromoted }),
    pid: running ? record.process.pid : null,
    host: record?.host ?? null,
    startedAt: record?.startedAt ?? null,
    ...placeIn(loop),
    waiting,
    hosts: Object.keys(hosts),
    usualHosts: await usualHosts(root),
    owner: await archiveOwner(root, running ? record.process.pid : undefined),
    events: record?.id ?? null,
  };
}

async function usualHosts(root: string): Promise<string[]> {
  try {
    return (await loadProjectSpec(workTree(root))).trainer.hosts ?? [];
  } catch (e) {
    if (HarnessError.is(e)) return [];
    throw e;
  }
}

function placeIn(
  loop: LoopState | undefined,
): Pick<EvolutionStatus, "phase" | "step" | "generation" | "generations"> {
  if (loop === undefined) return { phase: null, step: null, generation: 0, generations: 0 };
  const { phase, step, generation, generations } = loop;
  return { phase, step, generation, generations };
}

function told(
  record: EvolutionRecord | undefined,
  loop: LoopState | undefined,
  {
    running,
    waiting,
    isPromoted,
  }: { readonly running: boolean; readonly waiting: number; readonly isPromoted: boolean },
): Pick<EvolutionStatus, "state" | "message"> {
  if (running) return { state: "running", message: loop === undefined ? "It is starting." : doing(loop) };
  if (loop === undefined) {
    if (record?.ended?.how === "failed") return { state: "failed", message: record.ended.message };
    return { state: "none", message: "No evolution has been started yet." };
  }
  if (loop.stopped !== null) return { state: "blocked", message: loop.stopped };
  if (loop.phase === "done" || isPromoted)
    return { state: "done", message: loop.ended ?? generationsDone(loop.generations) };
  if (waiting > 0 && record?.ended?.how !== "failed")
    return {
      state: "gate",
      message: `${counted(waiting, "version is waiting", "versions are waiting")} for an answer at the design gate.`,
    };
  return stopped(record?.ended, loop);
}

/** What an evolution says that no process works on and that has not come to its end. */
function stopped(
  ended: EvolutionRecord["ended"] | undefined,
  loop: LoopState,
): Pick<EvolutionStatus, "state" | "message"> {
  if (loop.phase === "promote" && ended?.how === "gate") return { state: "gate", message: ended.message };
  if (ended?.how === "failed") return { state: "failed", message: ended.message };
  // A budget is spent; with a higher one it goes on.
  if (ended?.how === "blocked") return { state: "blocked", message: ended.message };
  return {
    state: "interrupted",
    message: `${
      ended === null ? "Its process was killed" : "It was stopped"
    } at this step: ${doing(loop).replace(/\.$/, "")}; it can go on from there.`,
  };
}

function doing({ phase, generation, generations, step }: LoopState): string {
  if (phase === "base") return "measuring the base policy.";
  if (phase === "baseline") return "training the baseline.";
  if (phase === "calibrate") return "finding out how large a difference noise can hide in the baseline.";
  if (phase === "promote") return "auditing the best version.";
  return `generation ${generation} of ${generations}, ${step}.`;
}

/** Whether the version that the evolution ended with was promoted since, by whoever was asked to. */
async function isChampionPromoted(root: string, { champion, domain }: LoopState): Promise<boolean> {
  try {
    const { versions } = await readLineage(await openWorkspace(root, { readOnly: true }), domain);
    return versions.some(({ name, promotion }) => name === champion && promotion !== undefined);
  } catch (e) {
    if (HarnessError.is(e)) return false;
    throw e;
  }
}

/** Candidates that wait for their answer, with what they are now. */
async function waitingVersions(root: string, loop: LoopState): Promise<EvolutionStatus["waiting"]> {
  try {
    const { versions } = await readLineage(await openWorkspace(root, { readOnly: true }), loop.domain);
    return loop.candidates
      .filter((c) => c.pruned === null)
      .flatMap((c) => versions.find((v) => v.name === c.version) ?? [])
      .filter((v) => stateOf(v) === "waiting")
      .map(({ name, title }) => ({ version: name, title }));
  } catch (e) {
    // Without a repository there is no gate either.
    if (HarnessError.is(e)) return [];
    throw e;
  }
}

/** Who has the archive, as the file beside it says; its socket is gone as soon as the owner has given it back. */
async function archiveOwner(root: string, evolution: number | undefined): Promise<ArchiveOwner> {
  const archive = await canonicalArchive(placeOf(root));
  const file = await readOwnerFile(archive);
  const gone =
    file === undefined || !isAlive(file.pid) || (process.platform !== "win32" && !existsSync(file.address));
  if (gone) return { type: "none", pid: null };
  const { pid } = file;
  return { type: pid === process.pid ? "self" : pid === evolution ? "evolution" : "other", pid };
}
