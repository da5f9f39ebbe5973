import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { VersionReport } from "../../shared/ledger/lineage.ts";
import { auditRuns, evotrainer, lineageOf } from "./cli.ts";
import { skipBecause } from "../support/base/skip.ts";
import { oneByOne } from "./finishedProject.ts";
import { makeToyProject, testedOnce, toyFiles, toyHarness } from "./toyProject.ts";

const project = testedOnce(toyFiles["evotrainer.yaml"] ?? "");
/** Only the candidates that a test adds. */
const noCatalogue = Object.fromEntries(
  Object.keys(toyFiles)
    .filter((f) => f.endsWith(".intervention.yaml"))
    .map((f) => [f, null]),
);

const fault = (kind: string): [string, string] => [
  `harness/interventions/${kind}.intervention.yaml`,
  `apiVersion: evotrainer/v1
kind: Intervention
name: ${kind}
hypothesis: { change: fault, metric: solve_rate, direction: increase, because: a test }
targets: [low-score]
factor: sampling
edit: [{ file: harness/toy.yaml, path: fault, from: none, to: ${kind} }]
success: { atLeast: 0 }
`,
];

/** One clear sentence: it ends, it is short enough to read, and it is no stack trace. */
function assertSentence(text: string): void {
  const lines = text.trim().split("\n");
  const last = lines.at(-1) ?? "";
  assert.match(last, /[.)?`]$/, last);
  assert.ok(!/\n\s+at /.test(text), text);
}

describe("evolve with failures", function () {
  this.timeout(120_000);
  const made: string[] = [];
  const make = (changes?: Parameters<typeof makeToyProject>[0]): string => {
    const root = makeToyProject({ "evotrainer.yaml": project, ...changes });
    made.push(root);
    return root;
  };
  after(() => {
    for (const root of made) rmSync(root, { recursive: true, force: true });
  });

  describe("in a candidate's trainer", () => {
    const kinds = ["preflight", "crash", "hang", "torn", "nothing", "tamper", "restore", "nopolicy"];
    let versions: readonly VersionReport[] = [];
    let root = "";
    before(() => {
      root = make({
        ...noCatalogue,
        ...Object.fromEntries(kinds.map(fault)),
        "evotrainer.yaml": (toyFiles["evotrainer.yaml"] ?? "")
          // What a confined trainer cannot do is found out of one that is not.
          .replace("budgetSeconds: 60", "budgetSeconds: 4, confine: off")
          .replace("  files: [trainer.mjs]", "  rerun: never\n  files: [trainer.mjs]")
          .replace("variantsPerGeneration: 3", "variantsPerGeneration: 9")
          .replace("generations: 2", "generations: 1")
          .replace("gates:", "  - { factor: sampling, file: harness/toy.yaml, paths: [fault] }\ngates:"),
      });
      const ran = evotrainer(root, "evolve");
      assert.equal(ran.code, 0, ran.stderr);
      versions = lineageOf(root).versions;
    });
    const of = (kind: string): VersionReport => {
      const found = versions.find((v) => v.intervention === kind);
      assert.ok(found, kind);
      return found;
    };
    for (const [kind, failure, decision, says] of [
      ["preflight", "preflight_crash", "reject", /no such module: torhc/],
      ["crash", "crash", "reject", /exit(ed with|.code)? ?3|code 3/i],
      ["hang", "train_budget_overrun", "reject", /4 s|budget/],
      ["nothing", "incomplete", "reject", /wrote no rollouts/],
      ["tamper", "disqualified", "invalid", /data\/selection\.jsonl/],
      ["restore", "disqualified", "invalid", /data\/selection\.jsonl and put it back before it ended/],
      ["nopolicy", "incomplete", "reject", /no policy.*EVO_POLICY_OUT/],
    ] as const)
      it(`records ${kind} as ${failure} and decides ${decision}`, () => {
        const v = of(kind);
        assert.equal(v.failure, failure, v.reason);
        assert.equal(v.decision, decision);
        assert.match(v.reason, says);
        assertSentence(v.reason);
      });
    it("sets torn and invalid lines aside by line number, and counts the rest", () => {
      const v = of("torn");
      assert.equal(v.failure, null);
      assert.notEqual(v.score, null);
      const quarantined = JSON.parse(evotrainer(root, "--json", "jobs", "--quarantine").stdout) as {
        path: string;
        line: number;
        reason: string;
      }[];
      const torn = quarantined.filter((q) => q.path.includes(v.name));
      assert.equal(torn.length, 12);
      assert.ok(torn.every((q) => q.line > 0 && q.reason !== ""));
      // It was measured on an item that the split does not have.
      const rest = quarantined.filter((q) => !torn.includes(q));
      assert.deepEqual(
        rest.map((q) => [q.path.split("/")[0], q.reason]),
        Array.from({ length: 4 }, () => [
          `${of("tamper").name}.train.s1`,
          'the selection split has no item "easy"',
        ]),
      );
    });
    it("keeps the logs of the failed version", () => {
      const ran = evotrainer(root, "logs", `${of("preflight").name}.train.s1`);
      assert.match(ran.stdout, /no such module: torhc/);
    });
    it("promotes nothing, and leaves the audit split sealed", () => {
      assert.ok(versions.every((v) => !v.promoted && v.audit === null));
      assert.deepEqual(auditRuns(root), []);
    });
  });

  it("stops with one sentence when the harness itself cannot be trained, and starts again once it is repaired", () => {
    const root = make({ "evotrainer.yaml": oneByOne, "harness/toy.yaml": toyHarness({ fault: "crash" }) });
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 1);
    assert.match(
      ran.stderr,
      /\nv1 cannot be used: its job crashed\. `evotrainer logs v1\.train\.s1` shows what it printed\. .*`evotrainer evolve --restart`\.\n$/,
    );
    assert.equal(ran.stderr.match(/The trainer exited with 3/g)?.length, 1, "the failure is said once");
    assertSentence(ran.stderr);
    assert.equal(evotrainer(root, "evolve").code, 1, "and says it again");
    writeFileSync(join(root, "harness/toy.yaml"), toyHarness({}));
    execFileSync(
      "git",
      ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-qam", "mend"],
      { cwd: root },
    );
    const again = evotrainer(root, "evolve", "--restart", "--generations", "1");
    assert.equal(again.code, 0, again.stderr);
    assert.deepEqual(
      lineageOf(root)
        .versions.slice(0, 4)
        .map((v) => [v.name, v.decision]),
      [
        ["v0", "base"],
        ["v1", "reject"],
        ["v2", "base"],
        ["v3", "keep"],
      ],
    );
  });

  for (const [what, changes, says] of [
    ["no evotrainer.yaml", { "evotrainer.yaml": null }, /There is no evotrainer\.yaml in .*evotrainer init/],
    ["a torn evotrainer.yaml", { "evotrainer.yaml": "apiVersion: [\n" }, /evotrainer\.yaml:\d+: /],
    [
      "an evotrainer.yaml with a wrong value",
      { "evotrainer.yaml": project.replace("budgetSeconds: 60", "budgetSeconds: soon") },
      /evotrainer\.yaml:5: trainer\.budgetSeconds: /,
    ],
  ] as const)
    it(`says what is wrong with ${what}`, () => {
      const root = make(changes);
      for (const verb of ["evolve", "lineage", "diagnose"]) {
        const ran = evotrainer(root, verb);
        assert.equal(ran.code, what.startsWith("no ") ? 2 : 1);
        assert.match(ran.stderr, says);
        assertSentence(ran.stderr);
        assert.equal(ran.stdout, "");
      }
    });

  it("says that a folder is not a git repository, or has no commit", () => {
    const folder = mkdtempSync(join(tmpdir(), "evo-bare-"));
    made.push(folder);
    writeFileSync(join(folder, "evotrainer.yaml"), project);
    assert.match(evotrainer(folder, "evolve").stderr, /git init/);
    execFileSync("git", ["init", "--quiet"], { cwd: folder });
    assert.match(evotrainer(folder, "evolve").stderr, /no commits yet/);
  });

  it("waits for a human when the gates demand one, and continues with the answer", () => {
    const root = make({
      "evotrainer.yaml": project
        .replace("firstVersionsGated: 0", "firstVersionsGated: 3")
        .replace("generations: 2", "generations: 1"),
    });
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 3);
    assert.match(
      ran.stderr,
      /Waiting for approval of v2-linear-shape, v3-bonus, v4-faster, because the first 3 versions/,
    );
    assertSentence(ran.stderr);
    assert.equal(evotrainer(root, "review", "v2", "approve").code, 0);
    assert.equal(evotrainer(root, "review", "v3", "reject", "--comment", "a known hack").code, 0);
    assert.equal(evotrainer(root, "review", "v4", "perhaps").code, 2);
    assert.equal(evotrainer(root, "review", "v4", "reject").code, 0);
    assert.match(evotrainer(root, "review", "v4", "approve").stderr, /was already answered/);
    assert.equal(evotrainer(root, "evolve").code, 0);
    assert.deepEqual(
      lineageOf(root)
        .versions.slice(2)
        .map((v) => [v.name, v.decision]),
      [
        ["v2-linear-shape", "keep"],
        ["v3-bonus", "prune"],
        ["v4-faster", "prune"],
      ],
    );
  });

  it("loses nothing on a full disk, and continues once there is space", function () {
    const root = make({ "evotrainer.yaml": oneByOne });
    const state = join(root, ".evotrainer");
    mkdirSync(state);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", state], { stdio: "pipe" });
    } catch {
      skipBecause(this, "this system does not let the test mount a file system");
    }
    try {
      const filler = join(state, "filler");
      writeFileSync(filler, Buffer.alloc(2_200_000));
      const ran = evotrainer(root, "evolve", "--generations", "1");
      assert.equal(ran.code, 1, ran.stdout);
      assert.match(ran.stderr, /disk is full|no space/i);
      assertSentence(ran.stderr);
      rmSync(filler);
      execFileSync("mount", ["-o", "remount,size=200m", state]);
      const again = evotrainer(root, "evolve", "--generations", "1");
      const restarted =
        again.code === 0 ? again : evotrainer(root, "evolve", "--restart", "--generations", "1");
      assert.equal(restarted.code, 0, `${again.stderr}\n${restarted.stderr}`);
    } finally {
      execFileSync("umount", ["-l", state]);
    }
  });

  it("refuses a read-only file system with one sentence, in every command that needs the archive", function () {
    const root = make();
    const state = join(root, ".evotrainer");
    mkdirSync(state);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", state], { stdio: "pipe" });
    } catch {
      skipBecause(this, "this system does not let the test mount a file system");
    }
    try {
      for (const verb of [["evolve"], ["rollouts"], ["jobs", "--quarantine"]]) {
        const ran = evotrainer(root, ...verb);
        assert.equal(ran.code, 1, verb.join(" "));
        assert.match(ran.stderr, /\.evotrainer is on a read-only file system \(EROFS\).*clone the project/);
        assertSentence(ran.stderr);
      }
    } finally {
      execFileSync("umount", ["-l", state]);
    }
  });

  it("refuses an invalid state file without touching it", () => {
    const root = make();
    mkdirSync(join(root, ".evotrainer"));
    writeFileSync(join(root, ".evotrainer/loop.json"), "{");
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, /loop\.json is not a state of the loop/);
    assert.equal(readFileSync(join(root, ".evotrainer/loop.json"), "utf8"), "{");
  });
});
