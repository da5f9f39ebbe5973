import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { access, constants } from "node:fs/promises";
import { HarnessError } from "../../base/errors.ts";
import { shellWord } from "../../base/shellWord.ts";
import { hostsForChild } from "../hosts/knownHosts.ts";
import { identify, type ProcessIdentity } from "../../runner/job/processes.ts";

const logLimit = 1024 ** 2;

export interface DetachOptions {
  readonly root: string;
  readonly engineFolder: string;
  /** Name of its log in the engine's folder. */
  readonly log: string;
  /** The verb and its arguments. */
  readonly args: readonly string[];
  /** The command line to run; the one beside the bundle that is running where left out. */
  readonly cli?: string | undefined;
}

/** A process that nobody waits for, and where its output begins in its log. */
export interface Detached {
  readonly process: ProcessIdentity;
  readonly log: string;
  readonly from: number;
}

/**
 * Starts a verb of the command line that outlives this process and all that end with it: in a session of its own, and as
 * nobody's child, because editors end the children of what they started. @throws HarnessError jobFailed
 */
export async function detach(options: DetachOptions): Promise<Detached> {
  const { root, engineFolder, args } = options;
  const cli = options.cli ?? join(__dirname, "cli.cjs");
  mkdirSync(engineFolder, { recursive: true });
  const log = join(engineFolder, options.log);
  const size = sizeOf(log);
  const out = openSync(log, size > logLimit ? "w" : "a", 0o600);
  const from = size > logLimit ? 0 : size;
  const env = {
    ...process.env,
    ...(await nodeOnPath(engineFolder)),
    ...(await hostsForChild(engineFolder)),
    NO_COLOR: "1",
  };
  const command = [process.execPath, cli, ...args];
  try {
    const pid = await (process.platform === "win32" ? direct : orphaned)(command, { cwd: root, env, out });
    const identity = identify(pid);
    if (identity === undefined)
      throw new HarnessError("jobFailed", `evotrainer ${args.join(" ")} ended at once; ${log} says why.`);
    return { process: identity, log, from };
  } finally {
    closeSync(out);
  }
}

interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly out: number;
}

/** Through a shell that ends at once, so that the process is adopted by the system. Answers with its number. */
async function orphaned(command: readonly string[], { cwd, env, out }: Surroundings): Promise<number> {
  const shell = spawn("/bin/sh", ["-c", '"$@" </dev/null >&3 2>&3 3>&- & echo $!', "sh", ...command], {
    cwd,
    env: asNode(env),
    detached: true,
    stdio: ["ignore", "pipe", "ignore", out],
  });
  let said = "";
  shell.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await once(shell, "close");
  const pid = Number(said.trim());
  if (!Number.isInteger(pid) || pid <= 0)
    throw new HarnessError(
      "jobFailed",
      "/bin/sh could not start a process; check how many processes this user may run.",
    );
  return pid;
}

async function direct(
  [program = "", ...args]: readonly string[],
  { cwd, env, out }: Surroundings,
): Promise<number> {
  const child = spawn(program, args, {
    cwd,
    env: asNode(env),
    detached: true,
    windowsHide: true,
    stdio: ["ignore", out, out],
  });
  await once(child, "spawn");
  child.unref();
  return child.pid ?? 0;
}

/** The program of an editor works as Node only when it is told to. */
const asNode = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  process.versions["electron"] === undefined ? env : { ...env, ELECTRON_RUN_AS_NODE: "1" };

/**
 * A PATH on which trainers find `node`, as that of the example does: the editor brings one that is on no PATH. Empty
 * where there is one already.
 */
async function nodeOnPath(engineFolder: string): Promise<{ PATH?: string }> {
  if (process.platform === "win32") return {};
  const path = process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin";
  for (const folder of path.split(delimiter))
    if (folder !== "" && (await isProgram(join(folder, "node")))) return {};
  const folder = join(engineFolder, "bin");
  mkdirSync(folder, { recursive: true });
  const shim = join(folder, "node");
  await writeFile(shim, `#!/bin/sh\nELECTRON_RUN_AS_NODE=1 exec ${shellWord(process.execPath)} "$@"\n`);
  await chmod(shim, 0o700);
  return { PATH: `${path}${delimiter}${folder}` };
}

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
