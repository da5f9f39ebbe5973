import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { patience } from "../base/patience.ts";
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

/** Runs the command of a page in a shell, and says what the page gets wrong about it. */
function tryCommand(
  step: PageStep & { type: "command" },
  place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): void {
  // One stream, as a reader sees it on a terminal.
  const { status, signal, stdout } = spawnSync("sh", ["-c", `exec 2>&1\n${step.command}`], {
    ...place,
    encoding: "utf8",
    timeout: 240_000 * patience,
  });
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

/**
 * Does what a page tells its reader, in a new empty folder, with the built command line as `evotrainer`.
 * @param page the text of a Markdown page, as `stepsOf` describes it
 * @param prepare makes what the page says is there already
 * @throws an assertion error that names the line of the page, what it shows and what was printed
 */
export function tryPage(page: string, prepare: (folder: string) => void = () => {}): void {
  const place = mkdtempSync(join(tmpdir(), "evo-page-"));
  try {
    const cwd = join(place, "reader");
    mkdirSync(cwd);
    prepare(cwd);
    const path = [programFolder(join(place, "bin")), process.env["PATH"]].join(delimiter);
    // A reader has told git who they are.
    const author = { GIT_AUTHOR_NAME: "Reader", GIT_AUTHOR_EMAIL: "reader@example.invalid" };
    const committer = { GIT_COMMITTER_NAME: "Reader", GIT_COMMITTER_EMAIL: "reader@example.invalid" };
    const env = {
      ...author,
      ...committer,
      ...process.env,
      PATH: path,
      HOME: place,
      XDG_CONFIG_HOME: join(place, "config"),
      NO_COLOR: "1",
    };
    for (const step of stepsOf(page))
      if (step.type === "file") writeFile(cwd, step);
      else tryCommand(step, { cwd, env });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The text of a page of docs/. */
export const pageOf = (name: string): string =>
  readFileSync(resolve(import.meta.dirname, "../../../docs", name), "utf8");
