import { inLine } from "../../base/plainText.ts";
import type { HostFinding } from "../../../../shared/protocol/views/hosts.ts";
import { knownHosts, trainerCommand } from "../../engine/hosts/knownHosts.ts";
import { hostRoute, shippedPrograms } from "../../engine/hosts/hostExecutor.ts";
import { confinement } from "../../runner/doctor/confinementFinding.ts";
import { confinementHere } from "../../runner/job/confinementHere.ts";
import { runsFolder } from "../../engine/workspace/archive.ts";
import { engineFolderOf, findProjectRoot } from "../../engine/workspace/workspace.ts";
import { changedEvidence } from "../../engine/jobs/changedEvidence.ts";
import { here } from "../../engine/workspace/machineNames.ts";
import { examineHost } from "../../runner/doctor/doctor.ts";
import { exitCodes, paint, printResult, type Io } from "../terminal/io.ts";
import { askInTerminal } from "../terminal/terminalPrompts.ts";
import type { AddVerb } from "../terminal/verb.ts";

export const addDoctor: AddVerb = (program, { io, cwd, exitWith }) => {
  program
    .command("doctor [host]")
    .description(
      "check the hosts that jobs can run on, and whether the evidence of ended jobs is unchanged; say what is wrong and how to fix it",
    )
    .action(async (host: string | undefined) => exitWith(await doctor(io(), cwd, host)));
};

const marks = { good: "ok  ", note: "note", bad: "BAD " } as const;
const colours = { good: "green", note: "yellow", bad: "red" } as const;

/** `evotrainer doctor [host]`: what the hosts have and lack. Answers with the exit code. */
export async function doctor(io: Io, cwd: string, name: string | undefined): Promise<number> {
  askInTerminal();
  const root = await findProjectRoot(cwd);
  const { hosts, problems } = await knownHosts(root);
  for (const problem of problems) io.err(`${inLine(problem)}\n`);
  const names = name === undefined ? [...hosts.keys()] : [name];
  const reports: { host: string; findings: HostFinding[] }[] =
    name === undefined ? await onThisMachine(root) : [];
  const command = await trainerCommand(root);
  for (const host of names)
    reports.push({
      host,
      findings: await examineHost(await hostRoute(root, host), { programs: shippedPrograms(), command }),
    });
  printResult(io, reports, (reports) =>
    reports.length === 0
      ? "evotrainer.yaml names no hosts; jobs run on this machine. `evotrainer host add` adds one from ~/.ssh/config."
      : reports
          .map(({ host, findings }) => [host, ...findings.flatMap((f) => lines(io, f))].join("\n"))
          .join("\n\n"),
  );
  return reports.some(({ findings }) => findings.some((f) => f.state === "bad"))
    ? exitCodes.finding
    : exitCodes.success;
}

/** What somebody did to the evidence of runs that are over, and that jobs cannot run or are not confined here: a host of its own. */
async function onThisMachine(root: string): Promise<{ host: string; findings: HostFinding[] }[]> {
  const changed = await changedEvidence(root);
  const findings: HostFinding[] = changed.map((found) => ({
    about: "evidence",
    state: "bad",
    found,
    mend: null,
  }));
  if (process.platform === "win32") {
    const mend = "Open the folder in WSL or on a remote host, or name a host (docs/hosts.md).";
    const found = "jobs on this machine need Linux or macOS";
    findings.push({ about: "jobs", state: "note", found, mend });
    return [{ host: here, findings }];
  }
  const { keeper } = shippedPrograms();
  const can = await confinementHere(runsFolder({ engineFolder: engineFolderOf(root) }), keeper);
  if (can.by === null) findings.push(confinement(can));
  return findings.length === 0 ? [] : [{ host: here, findings }];
}

function lines(io: Io, { about, state, found, mend }: HostFinding): string[] {
  const first = `  ${paint(io, colours[state], marks[state])} ${about.padEnd(7)} ${found}`;
  return mend === null ? [first] : [first, `               ${mend}`];
}
