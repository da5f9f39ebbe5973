import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { simpleGit } from "simple-git";
import { codeOf, HarnessError, messageOf } from "../../base/errors.ts";
import type { Git, GitOptions } from "./commands.ts";
import { GitError } from "./gitError.ts";

/** GIT_ variables that this module sets or lets through; every other one is removed (a hook's GIT_DIR would redirect us). */
const ownVariables = [
  "GIT_INDEX_FILE",
  "GIT_AUTHOR_NAME",
  "GIT_AUTHOR_EMAIL",
  "GIT_AUTHOR_DATE",
  "GIT_COMMITTER_NAME",
  "GIT_COMMITTER_EMAIL",
  "GIT_COMMITTER_DATE",
  "GIT_TERMINAL_PROMPT",
  "GIT_OPTIONAL_LOCKS",
  "GIT_NO_REPLACE_OBJECTS",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
  "GIT_CEILING_DIRECTORIES",
];
const inherited = [
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
  "GIT_CEILING_DIRECTORIES",
];
/** Programs that git would start; simple-git refuses to run while they are set. */
const programs = new Set(["EDITOR", "VISUAL", "PAGER", "PREFIX", "SSH_ASKPASS"]);

/** No hooks (reference-transaction and post-checkout would run), no signing, no file system monitor, no path quoting. */
const safety = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  // A folder of the work tree may be a repository with programs in its configuration.
  "safe.bareRepository=explicit",
  "core.quotePath=false",
  "commit.gpgSign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "advice.detachedHead=false",
];

/** A git command that says nothing for this long hangs. */
const silenceMilliseconds = 600_000;

/** The environment that git is started with: the user's, without what would lead git elsewhere. */
export function gitEnvironment(): Record<string, string> {
  const own: Record<string, string> = {
    ...{ LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0" },
    // A commit is what its own objects say, whatever `git replace` shows in their place.
    GIT_NO_REPLACE_OBJECTS: "1",
  };
  for (const [name, value] of Object.entries(process.env)) {
    const upper = name.toUpperCase();
    if (value === undefined || upper === "LC_ALL" || programs.has(upper)) continue;
    if (upper.startsWith("GIT") && !inherited.includes(upper)) continue;
    own[name] = value;
  }
  return own;
}

/** What git is asked without another process in between. */
export interface DirectGit extends Pick<Git, "text" | "bytes"> {
  /** As git's own `stream`; git waits with the next piece for what `onChunk` returns. */
  stream(
    args: readonly string[],
    onChunk: (chunk: Buffer) => void | Promise<void>,
    options?: GitOptions,
  ): Promise<void>;
}

/**
 * Git bound to `directory`, as a child of this process. `config` are further `name=value` settings, `base` the environment.
 * @throws HarnessError notFound when the folder does not exist
 */
export function directGit(
  directory: string,
  config: readonly string[],
  base: Record<string, string>,
): DirectGit {
  const settings = [...safety, ...config];
  const plain = client(directory, settings, base);
  const run = (args: readonly string[], options: GitOptions): Promise<string> =>
    options.input !== undefined
      ? spawnGit(directory, settings, args, { ...options, base }).then((b) => b.toString("utf8"))
      : (options.env === undefined ? plain : client(directory, settings, { ...base, ...options.env })).raw([
          ...args,
        ]);
  return {
    text: async (args, options = {}) => (await run(args, options)).replace(/\r?\n$/, ""),
    bytes: (args, options = {}) => spawnGit(directory, settings, args, { ...options, base }),
    stream: async (args, onChunk, options = {}) => {
      await spawnGit(directory, settings, args, { ...options, base, onChunk });
    },
  };
}

function client(directory: string, settings: readonly string[], env: Record<string, string>) {
  try {
    const git = simpleGit({
      baseDir: directory,
      maxConcurrentProcesses: 6,
      timeout: { block: silenceMilliseconds },
      config: [...settings],
      // These settings and variables are ours: the guard is against values that come from outside.
      unsafe: { allowUnsafeHooksPath: true, allowUnsafeFsMonitor: true, allowUnsafeConfigPaths: true },
      allowEnvironment: ownVariables,
      // simple-git keeps only the text of an error; the exit code travels in it.
      errors: (error, result) => {
        if (error === undefined && result.exitCode === 0) return undefined;
        const stderr = Buffer.concat(result.stdErr).toString("utf8");
        const detail = stderr === "" && error instanceof Error ? error.message : stderr;
        return Buffer.from(JSON.stringify({ exitCode: result.exitCode, stderr: detail }));
      },
    });
    git.env(env);
    return {
      raw: async (args: string[]): Promise<string> => {
        try {
          return await git.raw(args);
        } catch (e) {
          throw failureOf(messageOf(e), directory);
        }
      },
    };
  } catch (e) {
    if (e instanceof Error && /does not exist/.test(e.message)) throw missingFolder(directory, e);
    throw e;
  }
}

function failureOf(message: string, directory: string): HarnessError {
  const { exitCode, stderr } = parseFailure(message);
  if (!/spawn \S+ ENOENT/.test(stderr)) return failure(exitCode, stderr);
  return existsSync(directory) ? missingGit() : missingFolder(directory, new Error(stderr));
}

/** By hand: with a library for schemas the small process would be three times as large. */
function parseFailure(message: string): { exitCode: number | null; stderr: string } {
  try {
    const sent: unknown = JSON.parse(message);
    if (typeof sent === "object" && sent !== null && "exitCode" in sent && "stderr" in sent)
      if (typeof sent.exitCode === "number" && typeof sent.stderr === "string")
        return { exitCode: sent.exitCode, stderr: sent.stderr };
  } catch {
    // Not ours: it is shown as it stands.
  }
  return { exitCode: null, stderr: message };
}

function missingFolder(directory: string, cause: Error): HarnessError {
  return new HarnessError("notFound", `There is no folder ${directory}.`, { cause });
}

function missingGit(): GitError {
  return new GitError("git was not found; install git 2.25 or newer and make sure it is on the PATH.", {
    reason: "gitMissing",
    exitCode: null,
    stderr: "",
  });
}

/** One sentence from git's own words: its first "fatal:" or "error:" line, else the last line. */
function failure(exitCode: number | null, stderr: string): GitError {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const line =
    lines.find((l) => /^(fatal|error): /.test(l)) ?? lines.at(-1) ?? `exit code ${exitCode ?? "?"}`;
  if (/dubious ownership/.test(stderr))
    return new GitError(
      "Git refuses this repository because it belongs to another user; run git config --global --add safe.directory with its path.",
      { exitCode, stderr },
    );
  return new GitError(`Git failed: ${line.replace(/^(fatal|error): /, "")}`, {
    ...(/No space left on device/.test(stderr) ? { reason: "diskFull" as const } : {}),
    exitCode,
    stderr,
  });
}

/** The one place that starts git without simple-git, which has neither binary output nor streams. */
function spawnGit(
  directory: string,
  settings: readonly string[],
  args: readonly string[],
  options: GitOptions & { base: Record<string, string>; onChunk?: (chunk: Buffer) => void | Promise<void> },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", [...settings.flatMap((s) => ["-c", s]), ...args], {
      cwd: directory,
      env: { ...options.base, ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    const out: Buffer[] = [];
    let stderr = "";
    const silence = setTimeout(() => child.kill("SIGKILL"), silenceMilliseconds);
    child.stdout.on("data", (chunk: Buffer) => {
      silence.refresh();
      try {
        const taken: unknown = options.onChunk === undefined ? out.push(chunk) : options.onChunk(chunk);
        // Some who take a chunk at once still return something.
        if (!(taken instanceof Promise)) return;
        child.stdout.pause();
        const goOn = (): void => {
          silence.refresh();
          child.stdout.resume();
        };
        taken.then(goOn, goOn);
      } catch (e) {
        reject(e instanceof Error ? e : new Error(String(e)));
        child.kill();
      }
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (stderr.length < 65_536) stderr += chunk.toString("utf8");
    });
    child.on("error", (e) => {
      clearTimeout(silence);
      if (codeOf(e) !== "ENOENT") reject(e);
      // Node reports a missing working folder as if the program were missing.
      else reject(existsSync(directory) ? missingGit() : missingFolder(directory, e));
    });
    child.on("close", (code) => {
      clearTimeout(silence);
      if (code === 0) resolve(Buffer.concat(out));
      else reject(failure(code, stderr));
    });
    // A command that fails early closes its input; its exit code says why.
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
  });
}
