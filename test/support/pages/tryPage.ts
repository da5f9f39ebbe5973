import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { patience } from "../base/patience.ts";
import { ReaderVerbs } from "../commands/sharedVerbs.ts";
import { isShown, stepsOf, type PageStep } from "./page.ts";

const cli = resolve(import.meta.dirname, "../../../dist/cli.cjs");

/** A folder with a program `evotrainer` that is the built command line. */
function programFolder(folder: string): string {
  if (!existsSync(cli)) throw new Error("dist/cli.cjs is missing; run npm run build first.");
  mkdirSync(folder);
  const quoted = [process.execPath, cli].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`);
  writeFileSync(join(folder, "evotrainer"), `#!/bin/sh\nexec ${quoted.join(" ")} "$@"\n`);
  chmodSync(join(folder, "evotrainer"), 0o755);
  return folder;
}

interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly verbs: ReaderVerbs;
}

/** The folder and the words of a command that is `evotrainer` alone, and in which a shell would find no more than words. */
function plainVerb(
  command: string,
): { readonly folder: string; readonly words: readonly string[] } | undefined {
  const word = String.raw`(?:'[^']*'|"[^"$\x60\\!]*"|[\w./:@=,+-]+)`;
  const [, folder = ".", rest] =
    new RegExp(String.raw`^(?:cd ([\w./-]+) && )?evotrainer((?: +${word})+)$`).exec(command) ?? [];
  if (rest === undefined) return undefined;
  return {
    folder,
    words: (rest.match(new RegExp(word, "g")) ?? []).map((w) => w.replace(/^(['"])(.*)\1$/s, "$2")),
  };
}

/** Runs the command of a page, in a shell unless it is a verb that needs no process to itself; one stream, as on a terminal. */
function runCommand(
  command: string,
  { cwd, env, verbs }: Place,
): { readonly status: number | null; readonly signal: string | null; readonly stdout: string } {
  const verb = plainVerb(command);
  const ran = verb && verbs.run(resolve(cwd, verb.folder), verb.words);
  if (ran !== undefined)
    return { status: ran.code, signal: ran.code === null ? "its time limit" : null, stdout: ran.stdout };
  return spawnSync("sh", ["-c", `exec 2>&1\n${command}`], {
    ...{ cwd, env },
    encoding: "utf8",
    timeout: 240_000 * patience,
  });
}

/** Runs the command of a page, and says what the page gets wrong about it. */
function tryCommand(step: PageStep & { type: "command" }, place: Place): void {
  const { status, signal, stdout } = runCommand(step.command, place);
  const where = `line ${step.line}: ${step.command}`;
  if (signal !== null) assert.fail(`${where}\nwas ended by ${signal}:\n${stdout}`);
  if (step.shown === null || step.shown.every((line) => ["", "…"].includes(line.trim())))
    assert.equal(status, 0, `${where}\nfailed, and the page does not say so:\n${stdout}`);
  assert.ok(status !== 127, `${where}\nis no command:\n${stdout}`);
  const printed = stdout.split("\n");
  if (step.shown !== null && !isShown(printed, step.shown))
    assert.equal(stdout.trimEnd(), step.shown.join("\n").trimEnd(), `${where}\nprints something else.`);
}

function writeFile(folder: string, { path, text }: PageStep & { type: "file" }): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Writes the files that a page has its reader write, as they are at its end. */
export function writeFilesOf(page: string, folder: string): void {
  for (const step of stepsOf(page)) if (step.type === "file") writeFile(folder, step);
}

/** A reader of pages. For each page it has an empty home and an empty folder; the built command line is its `evotrainer`. */
export class Reader {
  readonly #place = mkdtempSync(join(tmpdir(), "evo-page-"));
  readonly #home = join(this.#place, "home");
  readonly #env: NodeJS.ProcessEnv;
  readonly #verbs: ReaderVerbs;

  constructor() {
    const path = [programFolder(join(this.#place, "bin")), process.env["PATH"]].join(delimiter);
    // A reader has told git who they are.
    const author = { GIT_AUTHOR_NAME: "Reader", GIT_AUTHOR_EMAIL: "reader@example.invalid" };
    const committer = { GIT_COMMITTER_NAME: "Reader", GIT_COMMITTER_EMAIL: "reader@example.invalid" };
    this.#env = {
      ...author,
      ...committer,
      ...process.env,
      PATH: path,
      HOME: this.#home,
      XDG_CONFIG_HOME: join(this.#home, "config"),
      NO_COLOR: "1",
    };
    this.#verbs = new ReaderVerbs(this.#env);
  }

  /**
   * Does what a page tells its reader.
   * @param page the text of a Markdown page, as `stepsOf` describes it
   * @param prepare makes what the page says is there already
   * @throws an assertion error that names the line of the page, what it shows and what was printed
   */
  tryPage(page: string, prepare: (folder: string) => void = () => {}): void {
    rmSync(this.#home, { recursive: true, force: true });
    mkdirSync(this.#home);
    const folder = mkdtempSync(join(this.#place, "page-"));
    try {
      const cwd = join(folder, "reader");
      mkdirSync(cwd);
      prepare(cwd);
      for (const step of stepsOf(page))
        if (step.type === "file") writeFile(cwd, step);
        else tryCommand(step, { cwd, env: this.#env, verbs: this.#verbs });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  end(): void {
    this.#verbs.end();
    rmSync(this.#place, { recursive: true, force: true });
  }
}

/** The text of a page of docs/. */
export const pageOf = (name: string): string =>
  readFileSync(resolve(import.meta.dirname, "../../../docs", name), "utf8");
