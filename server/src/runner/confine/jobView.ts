import { isAbsolute, join, posix } from "node:path";
import type { Step } from "./step.ts";

/** Where things of a job are on the machine that runs it, all absolute. */
interface JobPlaces {
  /** The folder of the run. */
  readonly run: string;
  /** Top level of the checkout. */
  readonly checkout: string;
  /** What of the checkout no job may change. */
  readonly fixed: readonly string[];
  readonly policyIn: string | undefined;
  readonly policyOut: string;
  readonly data: readonly string[];
  /** What the project lets jobs write to beside that; `~/` is the home folder. */
  readonly writable: readonly string[];
}

/** What a job must not see, and what of it it needs nevertheless. */
export interface Hidden {
  readonly steps: readonly Step[];
  /** Programs and the like that lie in there. */
  readonly needed: readonly string[];
}

/**
 * What a user has that would let a job act as the user: keys, logins that no training needs, and ways to the user's screen.
 * Those by which trainers fetch models and data (~/.netrc, ~/.aws, ~/.cache/huggingface) are not among them.
 */
const ofTheUser = [
  ...["~/.ssh", "~/.gnupg", "~/.Xauthority", "~/.config/evotrainer"],
  ...["~/.git-credentials", "~/.config/git/credentials", "~/.config/gh", "~/.config/glab-cli", "~/.kube"],
  ...["~/.npmrc", "~/.pypirc", "~/.password-store", "~/.local/share/keyrings", "~/.mozilla"],
  ...["~/.config/google-chrome", "~/.config/chromium"],
];

/** Logins of coding agents: an agent that proposes needs the one that is its own, and a job none. */
export const agentLogins = [
  "~/.claude",
  "~/.codex",
  "~/.gemini",
  "~/.config/opencode",
  "~/.local/share/opencode",
];

/**
 * Files of the keeper's in the folder of the run. What is mounted at a name can be neither replaced nor removed from within,
 * and what is shown cannot be written.
 */
const unwritten = ["job", "keeper", "pid", "host.json", "slurm.job", "slurm.requeue", "ray.job"];
const unmoved = [
  ...["job.lock", "heartbeat", "keeper.log", "stdout.log", "stderr.log"],
  ...["exit.pending", "code.pending", "stop.pending", "cancel.pending"],
];

export const hide = (path: string): Step => ({ what: "hide", path });
const show = (path: string): Step => ({ what: "show", path });
const keep = (path: string): Step => ({ what: "keep", path });

/** The steps by which a job sees what it needs: what is hidden first, then what of it is needed. */
export function jobView({ steps, needed }: Hidden, places: JobPlaces): Step[] {
  const { run, checkout, fixed, policyIn, policyOut, data, writable } = places;
  return [
    ...writable.map(keep),
    ...ofTheUser.map(hide),
    ...steps,
    ...needed.map(show),
    ...data.map(show),
    ...(policyIn === undefined ? [] : [show(policyIn)]),
    keep(checkout),
    // It leads to the repository, and git runs what the folder that it names says.
    hide(posix.join(checkout, ".git")),
    ...fixed.map(show),
    keep(run),
    ...unwritten.map((name) => show(posix.join(run, name))),
    ...unmoved.map((name) => keep(posix.join(run, name))),
    ...(isWithin(policyOut, run) ? [] : [keep(posix.dirname(policyOut))]),
  ];
}

export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

/**
 * The paths in a folder that a command and its environment name, such as the interpreter of a virtual environment, of which
 * the whole environment is needed. Nothing is among them that holds one of `secret`, or lies in it.
 */
export function namedWithin(folder: string, words: readonly string[], secret: readonly string[]): string[] {
  const found = words
    .flatMap((word) => word.split(":"))
    .filter((path) => isAbsolute(path) && path !== folder && isWithin(join(path), folder))
    .map((path) => environmentOf(join(path), folder));
  return [...new Set(found)].filter(
    (path) => !secret.some((one) => isWithin(one, path) || isWithin(path, one)),
  );
}

/** /project/.venv of /project/.venv/bin/python and of /project/.venv/bin. */
function environmentOf(path: string, folder: string): string {
  const [, environment] = /^(.+)\/bin(?:\/[^/]+)?$/.exec(path) ?? [];
  return environment === undefined || environment === folder || !isWithin(environment, folder)
    ? path
    : environment;
}
