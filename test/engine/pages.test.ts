import assert from "node:assert/strict";
import { cpSync, rmSync } from "node:fs";
import { pageOf, tryPage, writeFilesOf } from "../support/pages/tryPage.ts";
import { storedProject } from "./storedProject.ts";

const filesOf = (name: string) => (folder: string) => writeFilesOf(pageOf(name), folder);

/** A project whose evolution is over. */
function finished(folder: string): void {
  const project = storedProject();
  cpSync(project, folder, { recursive: true });
  rmSync(project, { recursive: true, force: true });
}

/** Pages whose files and commands a reader can follow, with what the reader has before. */
const pages: Readonly<Record<string, ((folder: string) => void) | undefined>> = {
  "first-rollouts.md": undefined,
  "first-diagnostic.md": filesOf("first-rollouts.md"),
  "comparing.md": finished,
};

describe("the pages that are tried", function () {
  this.timeout(240_000);
  for (const [name, prepare] of Object.entries(pages))
    it(`${name} says what happens`, () => tryPage(pageOf(name), prepare));
});

describe("a page that is tried", () => {
  const lies: Readonly<Record<string, readonly [page: string, said: RegExp]>> = {
    "shows output that does not come": [
      "```console\n$ evotrainer rollouts\noutputs, train split: 8 rollouts\n```",
      /^line 2: evotrainer rollouts\nprints something else\./,
    ],
    "hides an error": [
      "```console\n$ evotrainer rollouts\n…\n```",
      /^line 2: evotrainer rollouts\nfailed, and the page does not say so:\n/,
    ],
    "gives a command that fails": ["```sh\nevotrainer import nowhere\n```", /\nThere is no file or folder/],
    "names a command that does not exist": [
      "```console\n$ evotrianer check\nNo problem in any spec.\n```",
      /^line 2: evotrianer check\nis no command:/,
    ],
    "has a file that is wrong": [
      "Save `a.jsonl`:\n\n```jsonl\n{}\n```\n\n```sh\nevotrainer validate a.jsonl\n```",
      /^line 8: evotrainer validate a\.jsonl\nfailed/,
    ],
  };
  for (const [what, [page, said]] of Object.entries(lies))
    it(`fails if it ${what}`, () => {
      assert.throws(
        () => tryPage(page),
        (error: Error) => said.test(error.message),
      );
    });
});
