import { findProjectRoot } from "../engine/workspace.ts";
import { hostRoute } from "../engine/hostExecutor.ts";
import { loadProjectSpec } from "../project/project.ts";
import { workTree } from "../project/source.ts";
import { examineHost, type Finding } from "../runner/ssh/doctor.ts";
import { exitCodes, paint, printResult, type Io } from "./io.ts";
import { printable } from "./table.ts";

const marks = { good: "ok  ", note: "note", bad: "BAD " } as const;
const colours = { good: "green", note: "yellow", bad: "red" } as const;

/** `evotrainer doctor [host]`: what the project's hosts have and lack. Answers with the exit code. */
export async function doctor(io: Io, cwd: string, name: string | undefined): Promise<number> {
  const root = await findProjectRoot(cwd);
  const names = name === undefined ? Object.keys((await loadProjectSpec(workTree(root))).hosts) : [name];
  const hosts: { host: string; findings: Finding[] }[] = [];
  for (const host of names) hosts.push({ host, findings: await examineHost(await hostRoute(root, host)) });
  printResult(io, hosts, () =>
    hosts.length === 0
      ? "evotrainer.yaml names no hosts; jobs run on this machine."
      : hosts
          .map(({ host, findings }) => [host, ...findings.flatMap((f) => lines(io, f))].join("\n"))
          .join("\n\n"),
  );
  return hosts.some(({ findings }) => findings.some((f) => f.state === "bad"))
    ? exitCodes.finding
    : exitCodes.success;
}

function lines(io: Io, { about, state, found, mend }: Finding): string[] {
  const first = `  ${paint(io, colours[state], marks[state])} ${about.padEnd(7)} ${printable(found)}`;
  return mend === null ? [first] : [first, `               ${printable(mend)}`];
}
