import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { evolutionStatus } from "../../server/src/engine/evolution/status.ts";
import { evotrainer, lineageOf, startEvotrainer, stateOf, type Ran } from "./cli.ts";
import {
  makeCalibratedProject,
  makeProjectAfterOne,
  makeWaitingProject,
  oneByOne,
} from "./finishedProject.ts";
import { firstProposal } from "./reviewProject.ts";
import { commitChanges, makeToyProject, toyFiles, toyHarness } from "./toyProject.ts";

const full = "autonomy: full, firstVersionsGated: 0, escalateAfterFailures: 99";

describe("what is in force", function () {
  this.timeout(600_000);
  const made: string[] = [];
  const project = (changes: Parameters<typeof makeToyProject>[0] = {}): string => {
    const root = makeToyProject({ "evotrainer.yaml": oneByOne, ...changes });
    made.push(root);
    return root;
  };
  /** One change after the other, so that gates come one after the other as well: the first was tried. */
  const afterOne = (): string => {
    const root = makeProjectAfterOne();
    made.push(root);
    return root;
  };
  after(() => {
    for (const root of made) rmSync(root, { recursive: true, force: true });
  });
  const commit = (root: string, message: string): unknown =>
    execFileSync(
      "git",
      ["-c", "user.name=t", "-c", "user.email=t@e", "commit", "--quiet", "--all", "-m", message],
      {
        cwd: root,
      },
    );
  const replace = (root: string, file: string, from: string, to: string): void => {
    const text = readFileSync(join(root, file), "utf8");
    assert.ok(text.includes(from), `${file} has ${from}`);
    writeFileSync(join(root, file), text.replace(from, to));
  };
  const trained = (root: string): string[] =>
    lineageOf(root).versions.flatMap((v) => (v.score === null ? [] : [v.name]));
  const waits = (ran: Ran, why: RegExp): void => {
    assert.equal(ran.code, 3, ran.stderr);
    assert.match(ran.stderr, /Waiting for approval of v\d/);
    assert.match(ran.stderr, why);
  };

  it("asks at the next gate after human_gated was committed", () => {
    const root = afterOne();
    const before = trained(root);
    replace(root, "evotrainer.yaml", "autonomy: full", "autonomy: human_gated");
    commit(root, "gate it");
    waits(evotrainer(root, "evolve", "--generations", "2"), /because the project is human-gated/);
    assert.deepEqual(trained(root), before);
  });

  /** Runs an evolution, and changes the gates by a commit while its baseline is in training. */
  const gatedMeanwhile = async (
    spec: string,
    [from, to]: readonly [string, string],
    ...options: string[]
  ) => {
    const hold = join(mkdtempSync(join(tmpdir(), "evo-hold-")), "hold");
    made.push(join(hold, ".."));
    writeFileSync(hold, "");
    const root = project({
      "evotrainer.yaml": spec,
      "harness/toy.yaml": `${toyHarness({ step_ms: 5 })}hold: ${hold}\n`,
    });
    const evolve = startEvotrainer(root, "evolve", ...options);
    const over = once(evolve, "exit");
    // The baseline is the first that trains, and is held in the middle of it.
    while (!existsSync(join(root, ".evotrainer/runs/v1.train.s1/metrics.jsonl"))) {
      assert.equal(evolve.exitCode, null, stateOf(root));
      await delay(20);
    }
    replace(root, "evotrainer.yaml", from, to);
    commit(root, "gate it");
    rmSync(hold);
    assert.deepEqual(await over, [3, null]);
    const { state, message } = await evolutionStatus(root);
    assert.equal(state, "gate", message);
    assert.deepEqual(trained(root), ["v0", "v1"]);
  };

  it("asks at the next gate although the commit came while a version was in training", () =>
    gatedMeanwhile(oneByOne, ["autonomy: full", "autonomy: human_gated"]));

  it("counts what is committed, and nothing that only lies in the work tree", () => {
    const root = makeWaitingProject();
    made.push(root);
    replace(root, "evotrainer.yaml", "autonomy: human_gated", "autonomy: full");
    waits(evotrainer(root, "evolve"), /because the project is human-gated/);
    commit(root, "let the rule answer");
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(
      ran.stderr,
      /are less strict than when an evolution last ran here \(changed by commit \w+ of t, /,
    );
    assert.ok(trained(root).includes(firstProposal));
  });

  it("uses budgets and interventions that were committed in the middle", () => {
    const root = afterOne();
    const faster = toyFiles["harness/interventions/faster.intervention.yaml"] ?? "";
    commitChanges(root, {
      "evotrainer.yaml": oneByOne.replace("variantsPerGeneration: 1", "variantsPerGeneration: 2"),
      "harness/interventions/amble.intervention.yaml": faster
        .replace("name: faster", "name: amble")
        .replace("to: fast", "to: medium")
        .replace("atLeast: 0.02", "atLeast: 0.1"),
    });
    const ran = evotrainer(root, "evolve", "--generations", "2");
    assert.equal(ran.code, 0, ran.stderr);
    const second = lineageOf(root).versions.filter((v) => v.generation === 2);
    assert.equal(second.length, 2);
    assert.ok(second.some(({ intervention }) => intervention === "amble"));
  });

  it("reports once what cannot change in the middle of an evolution, with what to do", () => {
    const root = afterOne();
    replace(root, "evotrainer.yaml", "paths: [speed]", "paths: [speed, step_ms]");
    replace(root, "harness/toy.yaml", "step_ms: 30", "step_ms: 31");
    commit(root, "another surface");
    const ran = evotrainer(root, "evolve", "--generations", "2");
    assert.equal(ran.code, 0, ran.stderr);
    const said = [...ran.stderr.matchAll(/Commit [0-9a-f]{12} changes .*/g)].map(([text]) => text);
    assert.equal(said.length, 1, ran.stderr);
    assert.match(said[0] ?? "", /surfaces in evotrainer\.yaml and harness\/toy\.yaml/);
    assert.match(ran.stderr, /evotrainer evolve --restart/);
  });

  it("does not continue while the newest commit has no sound project", () => {
    const root = afterOne();
    const before = trained(root);
    const sound = readFileSync(join(root, "evotrainer.yaml"), "utf8");
    replace(root, "evotrainer.yaml", full, "autonomy: perhaps");
    commit(root, "broken");
    // The work tree is sound again: only what is committed counts.
    writeFileSync(join(root, "evotrainer.yaml"), sound);
    const ran = evotrainer(root, "evolve", "--generations", "2");
    assert.equal(ran.code, 1);
    assert.match(ran.stderr, /newest commit of your branch has no sound evotrainer\.yaml/);
    assert.deepEqual(trained(root), before);
  });

  describe("options of the command line", () => {
    const gated = oneByOne.replace(
      full,
      "autonomy: human_gated, firstVersionsGated: 0, escalateAfterFailures: 1",
    );
    const failing = {
      "harness/interventions/linear-shape.intervention.yaml": null,
      "harness/interventions/visible-history.intervention.yaml": null,
    };

    it("say what they override, and do not answer an escalation", () => {
      const root = makeCalibratedProject();
      made.push(root);
      commitChanges(root, { "evotrainer.yaml": gated, ...failing });
      const ran = evotrainer(root, "evolve", "--approve");
      waits(ran, /because the last version was not kept/);
      assert.match(ran.stderr, /--approve approves the gates of this run in advance/);
      assert.deepEqual(trained(root), ["v0", "v1", "v2-bonus"]);
      const full = evotrainer(root, "evolve", "--autonomy", "full");
      waits(full, /because the last version was not kept/);
      assert.match(full.stderr, /--autonomy full overrides `gates: \{ autonomy: human_gated \}`/);
    });

    it("end where the gates are changed by a commit", () =>
      gatedMeanwhile(
        gated.replace("escalateAfterFailures: 1", "escalateAfterFailures: 9"),
        ["escalateAfterFailures: 9", "escalateAfterFailures: 8"],
        "--approve",
      ));
  });
});
