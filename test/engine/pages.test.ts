import assert from "node:assert/strict";
import { pageOf, tryPage, writeFilesOf } from "../support/pages/tryPage.ts";

/** Pages whose files and commands a reader can follow in an empty folder, with what the reader has from another page. */
const pages: Readonly<Record<string, { readonly after?: string }>> = {
  "first-rollouts.md": {},
  "first-diagnostic.md": { after: "first-rollouts.md" },
};

describe("the pages for a beginner", function () {
  this.timeout(240_000);
  for (const [name, { after }] of Object.entries(pages))
    it(`${name} says what happens`, () => {
      tryPage(pageOf(name), (folder) => {
        if (after !== undefined) writeFilesOf(pageOf(after), folder);
      });
    });
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
