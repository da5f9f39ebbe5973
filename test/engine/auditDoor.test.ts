import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { evolutionStatus } from "../../server/src/engine/evolution/status.ts";
import { refuseSealed } from "../../server/src/engine/proposals/openAudit.ts";
import { openRepository } from "../../server/src/lineage/repository.ts";
import { auditRuns, evotrainerAlone as evotrainer, lineageOf, startEvotrainer } from "./cli.ts";
import { makeEvolvedProject, makeProjectAtPromotion, makeWaitingProject } from "./finishedProject.ts";
import { firstProposal, makeReviewProject } from "./reviewProject.ts";
import { makeToyProject, measuredOnce, oneChange, toyFiles, toyHarness } from "./toyProject.ts";

/**
 * Commits an entry to the ledger with plain git, as any program can that may write to the repository. The engine and other
 * trainings write to the ledger meanwhile: the index is the process's own, and a head that moved is taken up again.
 */
const forging = `
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
export function forge(root, entry) {
  const git = (input, ...args) => execFileSync("git", args, { cwd: root, input, encoding: "utf8",
    env: { ...process.env, GIT_INDEX_FILE: root + "/.git/forged-index-" + process.pid, GIT_AUTHOR_NAME: "t", GIT_AUTHOR_EMAIL: "t@e",
      GIT_COMMITTER_NAME: "t", GIT_COMMITTER_EMAIL: "t@e" } }).trim();
  const ref = "refs/heads/evotrainer/ledger";
  const folder = createHash("sha256").update(entry.id).digest("hex").slice(0, 2);
  const path = "entries/" + folder + "/" + entry.id.replaceAll(":", "=3a") + ".json";
  const blob = git(JSON.stringify(entry), "hash-object", "-w", "--stdin");
  const commit = () => {
    const head = git("", "rev-parse", ref);
    git("", "read-tree", head);
    git("", "update-index", "--add", "--cacheinfo", "100644," + blob + "," + path);
    git("", "update-ref", ref, git("", "commit-tree", git("", "write-tree"), "-p", head, "-m", "forged"), head);
  };
  for (let tries = 1; ; tries++)
    try {
      return commit();
    } catch (error) {
      if (tries === 20) throw error;
    }
}
`;
/** A trainer that does its work, and approves the next proposal itself while the baseline is trained. */
const falseTrainer = `
import { join } from "node:path";
import { forge } from "./forge.mjs";
console.log("keys: " + (process.env.EVOTRAINER_KEYS ?? "none"));
if (process.env.EVO_RUN_ID === "v1.train.s1")
  forge(join(process.env.EVO_RUN_DIR, "../../.."), { id: "approval:${firstProposal}:design", at: new Date().toISOString(),
    domain: "toy", version: "${firstProposal}", type: "approval", gate: "design", answer: "approve", by: "alice" });
await import("./trainer.mjs");
`;

describe("the door to the audit split", function () {
  this.timeout(240_000);
  const made: string[] = [];
  const keep = (root: string): string => {
    made.push(root);
    return root;
  };
  after(() => {
    for (const root of made) rmSync(root, { recursive: true, force: true });
  });
  const git = (root: string, ...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@e", ...args], {
      cwd: root,
      encoding: "utf8",
    });
  const forge = (root: string, entry: object): void => {
    const script = join(mkdtempSync(join(tmpdir(), "evo-forge-")), "forge.mjs");
    keep(join(script, ".."));
    writeFileSync(script, `${forging}\nforge(process.argv[2], JSON.parse(process.argv[3]));`);
    execFileSync(process.execPath, [
      script,
      root,
      JSON.stringify({ at: new Date().toISOString(), domain: "toy", ...entry }),
    ]);
  };
  const versionOf = (root: string, name: string) => lineageOf(root).versions.find((v) => v.name === name);
  /** A copy of the gated project after its proposal was approved, trained and kept: it waits for its promotion. */
  const atThePromotion = (): string => keep(makeProjectAtPromotion());
  const editState = (root: string, edit: object): void => {
    const file = join(root, ".evotrainer/loop.json");
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, "utf8")) as object), ...edit }));
  };

  it("stays shut after every proposal was rejected, and the evolution ends", () => {
    const root = keep(makeWaitingProject());
    assert.equal(evotrainer(root, "review", firstProposal, "reject").code, 0);
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stderr, /Nothing is promoted\. v1 is a baseline/);
    assert.deepEqual(auditRuns(root), []);
    assert.equal(evotrainer(root, "evolve").code, 0);
    assert.deepEqual(auditRuns(root), []);
  });

  it("waits in a gated project, and an approval by its user opens it", async () => {
    const root = atThePromotion();
    assert.deepEqual(auditRuns(root), []);
    const status = await evolutionStatus(root);
    assert.equal(status.state, "gate");
    assert.match(status.message, /evotrainer promote \S+ --approve/);
    const ran = evotrainer(root, "promote", firstProposal, "--approve");
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(versionOf(root, firstProposal)?.promoted, true);
    assert.equal((await evolutionStatus(root)).state, "done");
    const measured = new Set(auditRuns(root).map((run) => run.replace(/\.audit\.s\d+$/, "")));
    assert.deepEqual([...measured].sort(), ["v1", firstProposal]);
  });

  it("is opened by evolve --approve, which approves every gate of its run", () => {
    const root = atThePromotion();
    const ran = evotrainer(root, "evolve", "--approve");
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(versionOf(root, firstProposal)?.promoted, true);
  });

  it("goes by the gates that are committed, not by the work tree or an option", () => {
    const root = atThePromotion();
    const file = join(root, "evotrainer.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("autonomy: human_gated", "autonomy: full"));
    for (const args of [["evolve"], ["evolve", "--autonomy", "full"], ["promote", firstProposal]]) {
      const ran = evotrainer(root, ...args);
      assert.equal(ran.code, 3, args.join(" "));
      assert.match(ran.stderr, /waits for approval, because the project is human-gated/);
    }
    assert.deepEqual(auditRuns(root), []);
    git(root, "commit", "--quiet", "--all", "--message", "full autonomy");
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(versionOf(root, firstProposal)?.promoted, true);
  });

  it("is not opened by entries that somebody else committed to the ledger", () => {
    const root = atThePromotion();
    forge(root, {
      ...{ id: `approval:${firstProposal}:completion`, type: "approval", version: firstProposal },
      ...{ gate: "completion", answer: "approve", by: "alice" },
    });
    forge(root, { id: "promotion:x", type: "promotion", version: firstProposal, gap: null, reason: "good" });
    for (const verb of [["promote", firstProposal], ["evolve"]])
      assert.match(evotrainer(root, ...verb).stderr, /waits for approval/);
    assert.deepEqual(auditRuns(root), []);
    const version = versionOf(root, firstProposal);
    assert.equal(version?.promoted, false);
    assert.match(
      version.reason,
      /The ledger says that alice answered "approve" at the completion gate, but this does not count: it is not signed/,
    );
    const listed = evotrainer(root, "lineage").stdout;
    assert.match(listed, /says\s+that\s+it\s+was\s+promoted/);
    assert.match(listed, new RegExp(`${firstProposal} .*keep \\(partly a claim\\)`));
    assert.equal(
      evotrainer(root, "promote", firstProposal, "--approve").code,
      0,
      "a claim is in nobody's way",
    );
    assert.equal(versionOf(root, firstProposal)?.promoted, true);
  });

  it("does not train what a trainer approved in its user's name", () => {
    const root = keep(
      makeReviewProject({
        "forge.mjs": forging,
        "false.mjs": falseTrainer,
        "evotrainer.yaml": (toyFiles["evotrainer.yaml"] ?? "")
          .replace("[node, trainer.mjs]", "[node, false.mjs]")
          // A confined job cannot write the ledger; the signature has to hold without that.
          .replace("budgetSeconds: 60", "budgetSeconds: 60, confine: off")
          .replace("autonomy: full", "autonomy: human_gated")
          .replace("generations: 2, variantsPerGeneration: 3", "generations: 1, variantsPerGeneration: 1"),
      }),
    );
    const ran = evotrainer(root, "evolve");
    assert.match(git(root, "log", "--format=%s", "evotrainer/ledger"), /forged/, "it was committed");
    assert.equal(ran.code, 3, ran.stderr);
    assert.match(evotrainer(root, "logs", "v1.train.s1").stdout, /keys: none/);
    assert.match(ran.stderr, new RegExp(`Waiting for approval of ${firstProposal}`));
    const waiting = versionOf(root, firstProposal);
    assert.equal(waiting?.decision, "pending");
    assert.match(
      waiting.reason,
      /says that alice answered "approve" at the design gate, but this does not count: it is not signed/,
    );
    assert.match(evotrainer(root, "review", firstProposal).stdout, /says that alice answered\s+"approve"/);
    assert.equal(evotrainer(root, "review", firstProposal, "approve").code, 0, "its user still can");
    evotrainer(root, "evolve");
    assert.notEqual(versionOf(root, firstProposal)?.score, null);
  });

  const states: [string, object, RegExp][] = [
    [
      "a rejected champion",
      { champion: "v3-bonus", phase: "promote" },
      /v3-bonus .* but the ledger says it was decided otherwise \(reject\)/,
    ],
    [
      "an invalid champion",
      { champion: "v5-visible-history", phase: "evolve", generations: 3, generation: 3, step: "collect" },
      /decided otherwise \(invalid\)/,
    ],
    ["a version that is not there", { champion: "v9", phase: "promote" }, /the ledger has no such version/],
    ["another baseline", { baseline: "v3-bonus", phase: "promote" }, /names v3-bonus as the baseline/],
  ];
  for (const [what, edit, says] of states)
    it(`refuses a state on the disk that names ${what}`, () => {
      const root = keep(makeEvolvedProject());
      const before = auditRuns(root);
      editState(root, edit);
      const ran = evotrainer(root, "evolve");
      assert.notEqual(ran.code, 0);
      assert.match(ran.stderr, says);
      assert.match(ran.stderr, /evotrainer evolve --restart/);
      assert.deepEqual(auditRuns(root), before);
    });

  it("lets an audit be measured once more only for what it was opened for", async () => {
    const root = keep(makeEvolvedProject());
    const repository = await openRepository(root);
    for (const version of ["v2-linear-shape", "v1"]) await refuseSealed({ repository }, "toy", version);
    for (const version of ["v0", "v3-bonus", "v5-visible-history"])
      await assert.rejects(refuseSealed({ repository }, "toy", version), /not a kept version|baseline/);
    const gated = await openRepository(atThePromotion());
    for (const version of [firstProposal, "v1"])
      await assert.rejects(
        refuseSealed({ repository: gated }, "toy", version),
        /waits for approval|baseline/,
      );
  });

  it("does not train a commit that only the state on the disk names", () => {
    const root = keep(makeWaitingProject());
    const file = join(root, ".evotrainer/loop.json");
    const state = JSON.parse(readFileSync(file, "utf8")) as { candidates: object[] };
    const commit = git(root, "rev-parse", "HEAD").trim();
    for (const [candidates, says] of [
      [state.candidates, /nobody who is trusted here approved it/],
      [state.candidates.map((c) => ({ ...c, commit })), /state names commit [0-9a-f]{12}, and the ledger/],
    ] as const) {
      editState(root, { step: "train", candidates });
      const ran = evotrainer(root, "evolve");
      assert.equal(ran.code, 3);
      assert.match(ran.stderr, says);
    }
    assert.equal(versionOf(root, firstProposal)?.score, null);
  });

  it("is not opened for a champion that another process reverted while the evolution ran", async () => {
    const root = keep(
      makeToyProject({
        "evotrainer.yaml": measuredOnce(oneChange(toyFiles["evotrainer.yaml"] ?? "")),
        "harness/toy.yaml": toyHarness({ step_ms: 300 }),
      }),
    );
    const evolve = startEvotrainer(root, "evolve");
    const over = once(evolve, "exit");
    const state = (): { generation?: number; step?: string } => {
      try {
        return JSON.parse(readFileSync(join(root, ".evotrainer/loop.json"), "utf8")) as object;
      } catch {
        return {};
      }
    };
    while (state().generation !== 2 || state().step !== "train") {
      assert.equal(evolve.exitCode, null, "it still runs");
      await delay(20);
    }
    const reverted = evotrainer(root, "revert", "v2-linear-shape");
    assert.equal(reverted.code, 0, reverted.stderr);
    assert.equal(evolve.exitCode, null, "the evolution goes on");
    assert.deepEqual(await over, [0, null]);
    assert.deepEqual(auditRuns(root), []);
    assert.ok(lineageOf(root).versions.every(({ promoted }) => !promoted));
    assert.match(
      evotrainer(root, "promote", "v2-linear-shape").stderr,
      /v2-linear-shape is reverted by v\d+-revert/,
    );
  });
});
