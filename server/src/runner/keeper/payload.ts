import { HarnessError } from "../../base/errors.ts";
import { confinedCommand } from "../confine/confinedCommand.ts";
import type { JobSpec } from "../job/jobSpec.ts";
import { shellWord } from "../../base/shellWord.ts";

/** Shells keep these for themselves: they cannot be set, or break the shell that sets them. */
const shellNames = new Set([
  "BASHOPTS",
  "EUID",
  "FUNCNAME",
  "GROUPS",
  "IFS",
  "LINENO",
  "OPTIND",
  "PPID",
  "SHELLOPTS",
  "UID",
]);

/**
 * The file `job` of a job directory: a header for the keeper, and a script for the job's own shell. The same spec gives
 * the same bytes, so comparing them tells whether a job was submitted before.
 * @throws HarnessError badInput for values that no process can be given
 */
export function renderJob(spec: JobSpec): Buffer {
  const { id, command, cwd, environment, budgetSeconds } = spec;
  for (const [what, text] of [
    ["cwd", cwd],
    ...command.map((c) => ["command", c]),
    ...Object.entries(environment),
  ])
    if (text?.includes("\0") === true)
      throw new HarnessError("badInput", `The ${what} of the job ${id} contains a NUL character; remove it.`);
  if (!cwd.startsWith("/") || /[\r\n]/.test(cwd))
    throw new HarnessError(
      "badInput",
      `The job ${id} cannot run in ${JSON.stringify(cwd)}; give an absolute path without line breaks.`,
    );
  const declared = {
    ...environment,
    EVO_JOB: id,
    EVO_RUN_ID: id,
    EVO_BUDGET_SECONDS: String(budgetSeconds),
  };
  const exports = Object.entries(declared).map(([name, value]) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || shellNames.has(name))
      throw new HarnessError(
        "badInput",
        `"${name}" cannot be a variable of the job ${id}; use letters, digits and _, and no name that shells keep for themselves.`,
      );
    return `export ${name}=${shellWord(value)}\n`;
  });
  const words = `"$@" ${command.map(shellWord).join(" ")}`;
  const begin =
    spec.confine === undefined
      ? `exec ${words}\n`
      : confinedCommand(spec.confine, { scratch: '"${evo_dir%/*}.scratch/${evo_dir##*/}"', command: words });
  const hundredths = (seconds: number): string => String(Math.round(seconds * 100));
  return Buffer.from(
    `#evotrainer-job 2 ${id}
#gpus ${spec.gpus}
#budget ${hundredths(budgetSeconds)}
#grace ${hundredths(spec.graceSeconds)}
#evidence ${Math.floor(spec.evidenceLimitBytes)}
#log ${Math.floor(spec.logLimitBytes)}
#cwd ${cwd}
${spec.batch ? "#batch\n" : ""}#end
${spec.confine === undefined ? "" : "evo_home=${HOME-}\n"}${exports.join("")}evo_contract
${begin}`,
  );
}

const table = Uint32Array.from({ length: 256 }, (_, i) => {
  let c = i << 24;
  for (let bit = 0; bit < 8; bit++) c = c & 0x80000000 ? (c << 1) ^ 0x04c11db7 : c << 1;
  return c >>> 0;
});

/** The checksum that cksum(1) of POSIX prints. */
export function posixChecksum(bytes: Uint8Array): number {
  let c = 0;
  const add = (byte: number): void => {
    c = ((c << 8) ^ (table[((c >>> 24) ^ byte) & 255] ?? 0)) >>> 0;
  };
  for (const byte of bytes) add(byte);
  for (let left = bytes.length; left > 0; left = Math.floor(left / 256)) add(left & 255);
  return ~c >>> 0;
}
