import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "../../server/src/base/random.ts";
import { comparable, evotrainer, lineageOf, startEvotrainer, stateOf } from "./cli.ts";
import { makeEvolvedProject, makeProjectAfterOne, oneByOne } from "./finishedProject.ts";
import { makeToyProject } from "./toyProject.ts";

const git = (cwd: string, ...args: string[]): string => execFileSync("git", args, { cwd, encoding: "utf8" });

describe("an interrupted evolution", function () {
  this.timeout(240_000);
  const made: string[] = [];
  const project = (files: Readonly<Record<string, string>> = {}): string => {
    const root = makeToyProject(files);
    made.push(root);
    return root;
  };
  let expected: unknown;
  let expectedOfOne: unknown;
  before(() => {
    const evolved = makeEvolvedProject();
    made.push(evolved);
    expected = comparable(lineageOf(evolved));
    const afterOne = makeProjectAfterOne();
    made.push(afterOne);
    expectedOfOne = comparable(lineageOf(afterOne));
  });
  after(() => {
    for (const root of made) rmSync(root, { recursive: true, force: true });
  });

  it("gives the same lineage after kill -9 in every state", async () => {
    const root = project();
    const states = [
      "collect",
      "diagnose",
      "hypothesise",
      "intervene",
      "backtest",
      "approve",
      "train",
      "verify",
      "decide",
    ].map((s) => `evolve/${s}`);
    const left = [
      "base/intervene",
      "base/train",
      "baseline/train",
      "baseline/decide",
      ...states,
      "promote/collect",
    ];
    const killed: string[] = [];
    for (let runs = 0; left.length > 0 && runs < 30; runs++) {
      const child = startEvotrainer(root, "evolve");
      const over = once(child, "exit");
      for (;;) {
        const next = left.findIndex((s) => s === stateOf(root));
        if (next >= 0) {
          // States that were passed over between two looks stay for a later generation, or are told below.
          killed.push(...left.splice(next, 1));
          child.kill("SIGKILL");
          break;
        }
        if (child.exitCode !== null || child.signalCode !== null) break;
        await delay(1);
      }
      await over;
      if (stateOf(root).startsWith("done")) break;
    }
    assert.equal(evotrainer(root, "evolve").code, 0);
    assert.deepEqual(comparable(lineageOf(root)), expected);
    assert.ok(killed.length >= 10, `killed in ${killed.join(", ")}`);
    assertNothingLeft(root);
  });

  it("gives the same lineage after kill -9 at five random points", async () => {
    const root = project();
    const random = seededRandom(20261121);
    for (let kill = 0; kill < 5; kill++) {
      const child = startEvotrainer(root, "evolve");
      const over = once(child, "exit");
      await Promise.race([delay(500 + random() * 4000), over]);
      child.kill("SIGKILL");
      await over;
    }
    assert.equal(evotrainer(root, "evolve").code, 0);
    assert.deepEqual(comparable(lineageOf(root)), expected);
    assertNothingLeft(root);
  });

  it("stops between steps on an interrupt, continues later, and ends as another evolution with the same seed did", async () => {
    const root = project({ "evotrainer.yaml": oneByOne });
    const child = startEvotrainer(root, "evolve", "--generations", "1");
    const over = once(child, "close") as Promise<[number | null]>;
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (said += text));
    while (!stateOf(root).startsWith("baseline")) await delay(5);
    child.kill("SIGINT");
    assert.equal((await over)[0], 130);
    assert.match(
      said,
      /\nInterrupted\. Run `evotrainer evolve` again to go on; jobs that were started keep running\.\n$/,
    );
    assert.equal(evotrainer(root, "evolve", "--generations", "1").code, 0);
    assert.deepEqual(comparable(lineageOf(root)), expectedOfOne);
  });
});

/** No checkout, temporary file or lock is left behind. */
function assertNothingLeft(root: string): void {
  assert.equal(git(root, "worktree", "list").trim().split("\n").length, 1);
  assert.deepEqual(
    readdirSync(join(root, ".evotrainer")).filter((f) => f.endsWith(".tmp") || f.endsWith(".lock")),
    [],
  );
  assert.equal(git(root, "status", "--porcelain").trim(), "");
}
