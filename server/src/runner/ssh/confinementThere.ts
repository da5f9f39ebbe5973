import { posix } from "node:path";
import { probeScript, readProbe } from "../confine/probe.ts";
import type { CannotConfine, Confine } from "../confine/step.ts";
import { shellWord } from "../../base/shellWord.ts";
import type { HostShell } from "./hostShell.ts";
import type { HostWork } from "./hostWork.ts";
import type { HostQueue } from "./queue.ts";

/** How jobs are confined on a host, found out by doing it there, and the folders of all projects there. */
export async function confinementThere(
  shell: HostShell,
  work: HostWork,
  { spreads }: HostQueue,
): Promise<Confine | CannotConfine> {
  if (spreads !== undefined) return { by: null, reason: spreads };
  const { runs } = await work.place();
  const script = probeScript(work.confiners, shellWord(`${runs}.scratch/.probe`));
  const can = readProbe((await shell.run(script)).toString("utf8"), work.confiners);
  if (can.by === null) return can;
  return { ...can, steps: [{ what: "others", path: posix.dirname(posix.dirname(runs)) }] };
}
