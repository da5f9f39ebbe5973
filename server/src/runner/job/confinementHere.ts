import { execFile } from "node:child_process";
import { baseEnvironment } from "./jobSpec.ts";
import { shellWord } from "../../base/shellWord.ts";
import { shippedConfiners } from "../confine/confiners.ts";
import { probeScript, readProbe } from "../confine/probe.ts";
import type { CannotConfine, Confine } from "../confine/step.ts";

/** How jobs are confined on this machine, found out by doing it. `keeper` is the path of keeper.sh. */
export async function confinementHere(runs: string, keeper: string): Promise<Confine | CannotConfine> {
  if (process.platform !== "linux") return { by: null, reason: "only Linux can" };
  const confiners = shippedConfiners(keeper);
  const script = probeScript(confiners, shellWord(`${runs}.scratch/.probe`));
  const said = await new Promise<string>((resolve) => {
    execFile("/bin/sh", ["-c", script], { env: baseEnvironment(), timeout: 20_000 }, (_error, stdout) =>
      resolve(stdout),
    );
  });
  const can = readProbe(said, confiners);
  return can.by === null ? can : { ...can, steps: [] };
}
