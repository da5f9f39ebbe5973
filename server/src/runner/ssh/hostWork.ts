import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { posix } from "node:path";
import { PassThrough } from "node:stream";
import { gigabytes } from "../../../../shared/words/numbers.ts";
import type { HostSpec } from "../../../../shared/spec/host.ts";
import { HarnessError } from "../../base/errors.ts";
import { noAttributes } from "../../lineage/checkouts/plainFiles.ts";
import { assertCommit } from "../../lineage/versions.ts";
import type { Repository } from "../../lineage/repository.ts";
import { shippedConfiners } from "../confine/confiners.ts";
import type { Confiner } from "../confine/step.ts";
import { shellWord } from "../../base/shellWord.ts";
import type { HostShell } from "./hostShell.ts";
import { installation, type HostPrograms } from "./hostPrograms.ts";
import type { TrainerData } from "../job/trainerData.ts";
import { upload } from "./transfer.ts";

/** Folders of one project on a host, all absolute. */
export interface HostPlace {
  readonly programs: HostPrograms;
  readonly runs: string;
  readonly checkouts: string;
  readonly policies: string;
  readonly repository: string;
}

/** The folder of a host that all we write there lies in, as a word of its shell. */
export const workFolder = (spec: HostSpec): string =>
  spec.directory.startsWith("~/")
    ? `"$HOME"/${shellWord(spec.directory.slice(2))}`
    : shellWord(spec.directory);
const gitSafety =
  "-c core.hooksPath=/dev/null -c core.fsmonitor=false -c gc.auto=0 -c core.quotePath=false -c core.autocrlf=false -c core.sparseCheckout=false -c core.attributesFile=/dev/null";

/** The newest commits of a host that a pack is made against. */
const comparedCommits = 50;

/** A file whose time says when the checkout of a run was made, out of the folders in which jobs run. */
const marks = (place: HostPlace, run = ""): string =>
  shellWord(posix.join(place.repository, "checked-out", run));

/** What lies on a host for one project: the keeper, a bare repository, checkouts, policies, runs. */
export class HostWork {
  readonly #shell: HostShell;
  readonly #repository: Repository;
  readonly #programs: HostPrograms;
  #place: Promise<HostPlace> | undefined;
  /** Commits that this engine has sent. */
  readonly #sent = new Set<string>();

  /** `programs` are the paths of keeper.sh and slurm.sh on this machine. */
  constructor(shell: HostShell, repository: Repository, programs: HostPrograms) {
    this.#shell = shell;
    this.#repository = repository;
    this.#programs = programs;
  }

  /** The ways to confine a job there, the best first. */
  get confiners(): Confiner[] {
    return shippedConfiners(this.#programs.keeper);
  }

  /** Makes the folders and installs the programs by their content, once per engine. @throws HarnessError hostUnreachable, hostRefused, jobFailed */
  place(): Promise<HostPlace> {
    this.#place ??= this.#prepare().catch((e: unknown) => {
      this.#place = undefined;
      throw e;
    });
    return this.#place;
  }

  async #prepare(): Promise<HostPlace> {
    const { script, installedIn } = installation(this.#programs);
    const project = createHash("sha256")
      .update(JSON.stringify([hostname(), this.#repository.commonDir, this.#repository.prefix]))
      .digest("hex")
      .slice(0, 12);
    const { name, spec } = this.#shell.route;
    const reply = await this.#ask(`umask 077
d=${workFolder(spec)}/${project}
mkdir -p "$d/runs" "$d/checkouts" "$d/policies" "$HOME/.evotrainer/keeper" || exit 1
d=$(cd "$d" && pwd -P) || exit 1
k=$(cd "$HOME/.evotrainer/keeper" && pwd -P) || exit 1
${script}(flock 9; [ -f "$d/repository.made" ] || { git init --quiet --bare "$d/repository" && : >"$d/repository.made"; }) 9>"$d/repository.lock" || exit 1
printf 'place %s\\nprograms %s\\n' "$d" "$k"`);
    const place = /^place (\/.*)$/m.exec(reply)?.[1];
    const installed = /^programs (\/.*)$/m.exec(reply)?.[1];
    if (place === undefined || installed === undefined)
      throw new HarnessError(
        "jobFailed",
        `The host ${name} cannot be used in ${spec.directory}: ${reply.trim().split("\n").at(-1) ?? ""}; run \`evotrainer doctor ${name}\`.`,
      );
    const at = (folder: string): string => posix.join(place, folder);
    return {
      programs: installedIn(installed),
      runs: at("runs"),
      checkouts: at("checkouts"),
      policies: at("policies"),
      repository: at("repository"),
    };
  }

  /** Sends a commit, of which the host gets only what it lacks. */
  async push(commit: string): Promise<void> {
    assertCommit(commit);
    const place = await this.place();
    const sent = [...this.#sent];
    if (sent.length > 0 && !this.#sent.has(commit)) {
      // What was sent before is most likely still there, and asking for it takes as long as sending.
      const done = await this.#send(place, commit, sent.slice(-comparedCommits)).then(
        () => true,
        (e: unknown) => {
          if (!HarnessError.is(e, "hostUnreachable")) throw e;
          return false;
        },
      );
      if (done) return;
    }
    const git = `git ${gitSafety} --git-dir=${shellWord(place.repository)}`;
    const known = await this.#ask(`${git} cat-file -e ${commit}^{commit} 2>/dev/null && echo there ||
${git} for-each-ref --sort=-creatordate --count=${comparedCommits} --format='has %(objectname)'`);
    if (/^there$/m.test(known)) return;
    const has = [...known.matchAll(/^has ([0-9a-f]{40,64})$/gm)].flatMap(([, id]) =>
      id === undefined ? [] : [id],
    );
    await this.#send(place, commit, await this.#known(has));
  }

  /**
   * Sends a commit and checks it out for a run, without the files `withheld` (paths from its top level). Gives the project's
   * folder there.
   */
  async checkout(run: string, commit: string, withheld: readonly string[] = []): Promise<string> {
    await this.push(commit);
    const place = await this.place();
    const git = `git ${gitSafety} --git-dir=${shellWord(place.repository)}`;
    const folder = posix.join(place.checkouts, run);
    const info = shellWord(posix.join(place.repository, "info"));
    const left = withheld.map(shellWord).join(" ");
    const without =
      left === ""
        ? ":"
        : `(cd ${shellWord(folder)} && rm -f -- ${left} && git ${gitSafety} update-index --skip-worktree -- ${left})`;
    // Another engine may be adding one: git reads half-written files of it.
    const made = await this.#ask(`(flock 9
rm -rf ${shellWord(folder)}
mkdir -p ${info} && printf '%s' ${shellWord(noAttributes)} >${info}/attributes || exit 1
${git} worktree prune
${git} -c advice.detachedHead=false worktree add --detach --force --quiet ${shellWord(folder)} ${commit} && ${without} && mkdir -p ${marks(place)} && : >${marks(place, run)} && echo made
) 9>${shellWord(`${place.repository}.lock`)}`);
    if (!/^made$/m.test(made))
      throw new HarnessError(
        "gitFailed",
        `The host ${this.#shell.route.name} cannot check out ${commit}: ${made.trim().split("\n").at(-1) ?? ""}`,
      );
    return this.projectFolder(place, run);
  }

  /** Lays links to what was sent into the checkout of a run. */
  async link(run: string, data: readonly TrainerData[]): Promise<void> {
    if (data.length === 0) return;
    const folder = this.projectFolder(await this.place(), run);
    const lines = data.map(({ path, at }) => {
      const link = shellWord(posix.join(folder, path));
      return `mkdir -p ${shellWord(posix.dirname(posix.join(folder, path)))} && { [ -L ${link} ] || ln -s ${shellWord(at)} ${link}; }`;
    });
    const reply = await this.#ask(`${lines.join(" && ")} && echo linked`);
    if (!/^linked$/m.test(reply))
      throw new HarnessError(
        "jobFailed",
        `The host ${this.#shell.route.name} cannot put the data of trainer.data into ${folder}: ${reply.trim().split("\n").at(-1) ?? ""}`,
      );
  }

  projectFolder(place: HostPlace, run: string): string {
    return posix.join(place.checkouts, run, this.#repository.prefix).replace(/\/$/, "");
  }

  async #send(place: HostPlace, commit: string, ours: readonly string[]): Promise<void> {
    const pack = new PassThrough();
    const packed = this.#repository.git
      .stream(
        ["pack-objects", "--revs", "--stdout", "--thin", "--delta-base-offset", "-q"],
        (chunk) => pack.write(chunk),
        {
          input: [commit, ...ours.map((id) => `^${id}`), ""].join("\n"),
        },
      )
      .then(
        () => pack.end(),
        (e: unknown) => {
          pack.destroy();
          throw e;
        },
      );
    const git = `git ${gitSafety} --git-dir=${shellWord(place.repository)}`;
    await Promise.all([
      packed,
      upload(
        this.#shell.route,
        `umask 077
${git} index-pack --stdin --fix-thin >/dev/null && ${git} update-ref refs/evotrainer/${commit} ${commit} && echo && echo received`,
        pack,
      ),
    ]);
    this.#sent.add(commit);
  }

  /** Those of some commits that are here as well. */
  async #known(commits: readonly string[]): Promise<string[]> {
    if (commits.length === 0) return [];
    const told = await this.#repository.git.text(["cat-file", "--batch-check=%(objecttype) %(objectname)"], {
      input: [...commits, ""].join("\n"),
    });
    return [...told.matchAll(/^commit ([0-9a-f]{40,64})$/gm)].flatMap(([, id]) =>
      id === undefined ? [] : [id],
    );
  }

  /**
   * The first of the declared paths that is not as the commit has it, or of those that were withheld from the job where it
   * made one itself; undefined when there is none.
   */
  async changedPath(
    run: string,
    commit: string,
    paths: readonly string[],
    withheld: readonly string[] = [],
  ): Promise<string | undefined> {
    assertCommit(commit);
    const place = await this.place();
    const folder = posix.join(place.checkouts, run);
    const { prefix } = this.#repository;
    const words = [
      ...paths.map((path) => `:(literal)${posix.join(prefix, path)}`),
      ...withheld.map((path) => `:(exclude,literal)${path}`),
    ].map(shellWord);
    const given = words.join(" ");
    const made = withheld.map((path) => {
      const word = shellWord(path);
      return `if [ -e ${word} ] || [ -L ${word} ]; then printf '%s\\n' ${word}; fi\n`;
    });
    // A new index has no times to trust, so every content is compared.
    const reply = await this.#ask(`cd ${shellWord(folder)} || exit 1
GIT_DIR=${shellWord(place.repository)} GIT_WORK_TREE=${shellWord(folder)} GIT_NO_REPLACE_OBJECTS=1
GIT_INDEX_FILE=${shellWord(posix.join(place.runs, run, ".index"))}
export GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_NO_REPLACE_OBJECTS
rm -f "$GIT_INDEX_FILE"
git ${gitSafety} read-tree ${commit} || exit 1
git ${gitSafety} update-index -q --refresh >/dev/null
echo changed:
${made.join("")}git ${gitSafety} diff-files --name-only -- ${given} && git ${gitSafety} ls-files --others -- ${given} && echo compared
rm -f "$GIT_INDEX_FILE"`);
    const [, list] = /^changed:\n([^]*)^compared$/m.exec(reply) ?? [];
    if (list === undefined)
      throw new HarnessError(
        "jobFailed",
        `The host ${this.#shell.route.name} cannot tell whether the evaluation changed in ${folder}: ${reply.trim().split("\n").at(-1) ?? ""}`,
      );
    const first = list.split("\n").find((line) => line !== "");
    return first?.startsWith(prefix) === true ? first.slice(prefix.length) : first;
  }

  /** The first file at or below some paths that was altered since the checkout: a program cannot set a file's ctime back. */
  async touchedPath(run: string, paths: readonly string[]): Promise<string | undefined> {
    const place = await this.place();
    const { prefix } = this.#repository;
    const words = paths.map((path) => shellWord(`./${posix.join(prefix, path)}`)).join(" ");
    const mark = marks(place, run);
    // A checkout that an earlier release made has no mark.
    const reply = await this.#ask(`[ -f ${mark} ] || exit 0
cd ${shellWord(posix.join(place.checkouts, run))} && find ${words} ! -type d -cnewer ${mark} 2>/dev/null`);
    const [, first] = /^\.\/(.+)$/m.exec(reply) ?? [];
    return first?.startsWith(prefix) === true ? first.slice(prefix.length) : first;
  }

  /** Whether a run has left a policy. */
  async hasPolicy(run: string): Promise<boolean> {
    const { runs } = await this.place();
    return /^there$/m.test(
      await this.#ask(`[ -e ${shellWord(posix.join(runs, run, "policy"))} ] && echo there`),
    );
  }

  /** Refuses what would go beyond the host's quota, unless the run is there already. @throws HarnessError diskFull */
  async assertQuota(run: string): Promise<void> {
    const { spec, name } = this.#shell.route;
    if (spec.quota === undefined) return;
    const { runs } = await this.place();
    const begun = shellWord(posix.join(runs, run, "job"));
    const reply = await this.#ask(`[ -e ${begun} ] || du -sk ${shellWord(posix.dirname(runs))} 2>/dev/null`);
    const used = Number(/^(\d{1,15})\s/m.exec(reply)?.[1] ?? 0) * 1024;
    if (used > spec.quota * 1e9)
      throw new HarnessError(
        "diskFull",
        `This project takes up ${gigabytes(used)} on ${name}, more than the ${gigabytes(spec.quota * 1e9)} of hosts.${name}.quota; \`evotrainer host clean ${name}\` removes what the host no longer needs.`,
      );
  }

  /** Removes the checkout of a run; its evidence stays. */
  async release(run: string): Promise<void> {
    const place = await this.place();
    await this.#ask(`rm -rf ${shellWord(posix.join(place.checkouts, run))} ${marks(place, run)}`);
  }

  async #ask(script: string): Promise<string> {
    return (await this.#shell.run(script)).toString("utf8");
  }
}
