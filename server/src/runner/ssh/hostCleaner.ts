import { posix } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { JobId } from "../../../../shared/model/jobId.ts";
import { statusOf } from "../job/jobDirectory.ts";
import { shellWord } from "../../base/shellWord.ts";
import { parseStatusReport, type JobFile } from "../keeper/statusReport.ts";
import { isOver } from "../job/executor.ts";
import type { HostShell } from "./hostShell.ts";
import type { HostPlace, HostWork } from "./hostWork.ts";
import { keeperQueue, type HostQueue } from "./queue.ts";

/** A run, a checkout or a policy of this project on a host. */
export interface HostItem {
  readonly kind: "run" | "checkout" | "policy";
  /** Id of the run, or the policy's key. */
  readonly name: string;
  readonly bytes: number;
  /** Seconds since something in it was last begun or ended. */
  readonly ageSeconds: number;
}

export interface HostRun extends HostItem {
  readonly kind: "run";
  readonly isOver: boolean;
  /** Evidence and logs. */
  readonly files: ReadonlyMap<string, JobFile>;
}

/** What this project has on a host. */
export interface HostHoldings {
  readonly runs: readonly HostRun[];
  readonly checkouts: readonly HostItem[];
  readonly policies: readonly HostItem[];
  /** Keys of policies that jobs which are not over start from. */
  readonly policiesInUse: ReadonlySet<string>;
}

const policyKey = /^[0-9a-f]{32}(?:\.partial(?:\.\d{1,10})?)?$/;

/** Looks at and removes what a project has on a host. It goes by names of a known form below our own folders, and by no link. */
export class HostCleaner {
  readonly #shell: HostShell;
  readonly #work: HostWork;
  readonly #queue: HostQueue;

  constructor(shell: HostShell, work: HostWork, queue: HostQueue = keeperQueue) {
    this.#shell = shell;
    this.#work = work;
    this.#queue = queue;
  }

  /** @throws HarnessError hostUnreachable, hostRefused, jobFailed */
  async look(): Promise<HostHoldings> {
    const place = await this.#work.place();
    const listed = await this.#ask(`now=$(date +%s)
for k in runs checkouts policies; do
cd ${shellWord(posix.dirname(place.runs))}/$k || continue
for n in *; do
[ -d "$n" ] && [ ! -L "$n" ] || continue
m=$(stat -c %Y "$n/exit" 2>/dev/null || stat -c %Y "$n" 2>/dev/null) || continue
s=$(du -sk "$n" 2>/dev/null)
printf '%s %s %s %s\\n' "$k" "\${s%%[!0-9]*}" "$((now - m))" "$n"
done
done
cd ${shellWord(place.runs)} && for n in *; do
[ -f "$n/job" ] && [ ! -e "$n/exit" ] && grep -o ${shellWord(`${place.policies}/[0-9a-f]*/policy`)} "$n/job" | sed 's/^/uses /'
done`);
    const items = new Map<string, HostItem[]>([
      ["runs", []],
      ["checkouts", []],
      ["policies", []],
    ]);
    for (const [, folder = "", kilobytes, age, name = ""] of listed.matchAll(
      /^(runs|checkouts|policies) (\d{1,15}) (-?\d{1,12}) (\S+)$/gm,
    )) {
      const kind = folder === "runs" ? "run" : folder === "checkouts" ? "checkout" : "policy";
      if (!(kind === "policy" ? policyKey.test(name) : JobId.safeParse(name).success)) continue;
      items
        .get(folder)
        ?.push({ kind, name, bytes: Number(kilobytes) * 1024, ageSeconds: Math.max(0, Number(age)) });
    }
    const inUse = [...listed.matchAll(/^uses .*\/([0-9a-f]{32})\/policy$/gm)].map(([, key = ""]) => key);
    return {
      runs: await this.#withStatus(place, items.get("runs") ?? []),
      checkouts: items.get("checkouts") ?? [],
      policies: items.get("policies") ?? [],
      policiesInUse: new Set(inUse),
    };
  }

  async #withStatus(place: HostPlace, items: readonly HostItem[]): Promise<HostRun[]> {
    if (items.length === 0) return [];
    const ids = items.map(({ name }) => name);
    const report = parseStatusReport(await this.#ask(this.#queue.status(place.programs, place.runs, ids)));
    if (report === undefined)
      throw new HarnessError(
        "jobFailed",
        `The keeper on ${this.#shell.route.name} does not say which jobs are over; run \`evotrainer doctor ${this.#shell.route.name}\`.`,
      );
    return items.map((item) => {
      const facts = report.jobs.get(item.name);
      return {
        ...item,
        kind: "run",
        // A folder without a job: its submission was cut off, or is about to come.
        isOver: facts === undefined ? false : isOver(statusOf(item.name, facts, report.now)),
        files: report.files.get(item.name) ?? new Map<string, JobFile>(),
      };
    });
  }

  /** SHA-256 of files below a run's folder, by their paths there; those that cannot be read are missing. */
  async hashes(run: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { runs } = await this.#work.place();
    const found = new Map<string, string>();
    for (const name of names) {
      // One at a time: the answer to a question must not be long in coming.
      const reply = await this.#ask(
        `cd ${shellWord(posix.join(runs, run))} 2>/dev/null && sha256sum <${shellWord(`./${name}`)} 2>/dev/null`,
      );
      const [hash] = /^[0-9a-f]{64}/m.exec(reply) ?? [];
      if (hash !== undefined) found.set(name, hash);
    }
    return found;
  }

  /** Paths of the files of a run's policy, in its folder; undefined when there is something else in it, or too much. */
  async policyFiles(run: string): Promise<readonly string[] | undefined> {
    const { runs } = await this.#work.place();
    const reply = await this.#ask(`cd ${shellWord(posix.join(runs, run))} 2>/dev/null || exit
[ -e policy ] || { echo listed; exit; }
find -L policy -type f 2>/dev/null && echo listed`);
    const lines = reply.split("\n");
    if (lines.at(-2) !== "listed") return undefined;
    const files = lines.slice(0, -2);
    return files.every((f) => /^policy(?:\/[^\p{Cc}]+)?$/u.test(f) && !/(?:^|\/)\.\.(?:\/|$)/.test(f))
      ? files
      : undefined;
  }

  /**
   * Removes an item if it is still what it was when it was looked at; gives whether it is gone. A run whose job is not over
   * stays whatever is asked.
   */
  async remove({ kind, name }: HostItem): Promise<boolean> {
    const place = await this.#work.place();
    const folder = { run: place.runs, checkout: place.checkouts, policy: place.policies }[kind];
    const isSafe = {
      run: '[ -f "$n/exit" ]',
      checkout: `{ [ ! -f ${shellWord(posix.join(place.runs, name, "job"))} ] || [ -f ${shellWord(posix.join(place.runs, name, "exit"))} ]; }`,
      policy: "! used",
    }[kind];
    const reply = await this.#ask(`cd ${shellWord(folder)} && [ "$(pwd -P)" = ${shellWord(folder)} ] || exit
n=${shellWord(name)}
used() {
for j in ${shellWord(place.runs)}/*/job; do
[ -e "\${j%job}exit" ] || ! grep -qs "/policies/$n/policy" "$j" || return 0
done
return 1
}
[ -d "$n" ] && [ ! -L "$n" ] && ${isSafe} || exit
t=.removed.$$
mv "$n" "$t" && echo removed
rm -rf "$t" 2>/dev/null || { chmod -R u+rwX "$t"; rm -rf "$t"; }
${kind === "checkout" ? `git --git-dir=${shellWord(place.repository)} worktree prune` : ""}`);
    return /^removed$/m.test(reply);
  }

  async #ask(script: string): Promise<string> {
    return (await this.#shell.run(script)).toString("utf8");
  }
}
