import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { skipBecause } from "../support/base/skip.ts";
import { stepsOf } from "../support/pages/page.ts";
import { pageOf, Reader, writeFilesOf } from "../support/pages/tryPage.ts";
import { evotrainer } from "./cli.ts";
import { verlSample } from "./importAnswers.ts";
import { storedProject } from "./storedProject.ts";

const filesOf = (name: string) => (folder: string) => writeFilesOf(pageOf(name), folder);

/** A project whose evolution is over. */
function finished(folder: string): void {
  const project = storedProject();
  cpSync(project, folder, { recursive: true });
  rmSync(project, { recursive: true, force: true });
  // An earlier release made it: that its archive is rebuilt is said once, before the reader comes.
  assert.match(evotrainer(folder, "lineage").stderr, /^The archive \S+ was made by another release/);
}

/** A run that writes verl's dumps: two whole steps, five rollouts of the third, and metrics of the first two. */
function runOfSomebody(folder: string): void {
  const run = join(folder, "runs/grpo-17");
  mkdirSync(join(run, "rollouts"), { recursive: true });
  const sample = (i: number, step: number): string =>
    verlSample({
      ...{ input: `user\nquestion ${Math.floor(i / 4)}\nassistant\n`, output: i % 4 === 0 ? "" : String(i) },
      ...{ score: i % 4 === 1 ? 1 : 0, step },
    });
  for (const [step, count] of [16, 16, 5].entries())
    writeFileSync(
      join(run, `rollouts/${step + 1}.jsonl`),
      Array.from({ length: count }, (_, i) => sample(i, step + 1)).join(""),
    );
  const data = { "critic/score/mean": 0.25, "actor/grad_norm": 0.5 };
  writeFileSync(
    join(run, "metrics.jsonl"),
    [1, 2].map((step) => `${JSON.stringify({ step, data })}\n`).join(""),
  );
}

/** Pages whose files and commands a reader can follow, with what the reader has before. */
const pages: Readonly<Record<string, ((folder: string) => void) | undefined>> = {
  "first-rollouts.md": undefined,
  "first-diagnostic.md": filesOf("first-rollouts.md"),
  "first-trainer.md": undefined,
  "verl.md": undefined,
  "trl.md": undefined,
  "prime-rl.md": undefined,
  "roll.md": undefined,
  "gates.md": finished,
  "skills.md": finished,
  "comparing.md": finished,
  "evolution.md": finished,
  "replay.md": finished,
  "attach.md": runOfSomebody,
  "threat-model.md": finished,
  "../agents/evotrainer/SKILL.md": finished,
  "troubleshooting.md": (folder) => finished(join(folder, "my-project")),
};

describe("the pages that are tried", function () {
  this.timeout(240_000);
  let reader: Reader;
  before(() => {
    reader = new Reader();
  });
  after(() => reader.end());
  for (const [name, prepare] of Object.entries(pages))
    it(`${name} says what happens`, function () {
      const page = pageOf(name);
      const lacksPython = spawnSync("python3", ["--version"]).status !== 0;
      if (page.includes("python3 ") && lacksPython) skipBecause(this, "this machine has no python3");
      reader.tryPage(page, prepare);
    });
});

/** Pages that a reader must find, and that are not tried above: what holds them instead. */
const heldOtherwise: Readonly<Record<string, string>> = {
  "project-file.md": "scripts/specTables.test.ts has its example read, and every key of it explained",
  "interventions.md": "test/interventionsPage.test.ts checks its examples, and makes a change of each",
  "command-line.md": "it is generated, and scripts/schemas.test.ts says when it is old",
  "settings.md": "it is generated, and scripts/schemas.test.ts says when it is old",
  "spec-reference.md": "it is generated, and scripts/schemas.test.ts says when it is old",
  "slurm.md": "test/engine/slurm.test.ts tries it, where Slurm is running already",
  "concepts.md": "it explains, and has no commands",
  "alternatives.md": "it compares, and has no commands",
};

/** What somebody who comes with runs, a script or a cluster has to be able to read. */
const needed = [
  ...["first-rollouts.md", "first-diagnostic.md", "first-trainer.md", "verl.md", "trl.md", "prime-rl.md"],
  ...["roll.md", "project-file.md", "interventions.md", "gates.md", "skills.md", "comparing.md"],
  ...["concepts.md", "command-line.md", "settings.md", "spec-reference.md", "troubleshooting.md"],
  ...["threat-model.md", "alternatives.md", "slurm.md"],
];

describe("the pages that a reader needs", () => {
  it("exist, are linked from the README, and are tried, or held by something else", () => {
    const readme = pageOf("../README.md");
    for (const name of needed) {
      assert.ok(pageOf(name).startsWith("# "), name);
      assert.ok(readme.includes(`](docs/${name})`), `README.md has no link to docs/${name}.`);
      assert.notEqual(
        name in pages,
        name in heldOtherwise,
        `${name} is tried, or has a reason: one of both.`,
      );
    }
    assert.deepEqual(
      Object.keys(heldOtherwise).filter((name) => !needed.includes(name)),
      [],
    );
  });

  for (const [name, why] of Object.entries(heldOtherwise))
    it(`${name}: ${why}`, () => {
      const [, file] = /\b((?:test|scripts)\/\S+\.test\.ts)\b/.exec(why) ?? [];
      if (file === undefined) assert.deepEqual(stepsOf(pageOf(name)), [], `${name} has something to try.`);
      else readFileSync(resolve(import.meta.dirname, "../..", file));
    });
});

/** All that the product may say: its sources, without what marks a word in a template. */
function sources(): string {
  const root = resolve(import.meta.dirname, "../../server/src");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !path.endsWith(".test.ts"),
  );
  return files.map((path) => readFileSync(join(root, path), "utf8").replaceAll("\\`", "`")).join("\n");
}

describe("the page for troubleshooting", () => {
  it("quotes messages that exist", () => {
    const said = sources();
    const quotes = [...pageOf("troubleshooting.md").matchAll(/^> (.*)$/gm)].map(([, quote = ""]) => quote);
    const parts = quotes.flatMap((quote) => quote.split("…").map((part) => part.trim()));
    assert.ok(quotes.length >= 12);
    assert.deepEqual(
      parts.filter((part) => !said.includes(part)),
      [],
    );
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
  let reader: Reader;
  before(() => {
    reader = new Reader();
  });
  after(() => reader.end());
  for (const [what, [page, said]] of Object.entries(lies))
    it(`fails if it ${what}`, () => {
      assert.throws(
        () => reader.tryPage(page),
        (error: Error) => said.test(error.message),
      );
    });
});
