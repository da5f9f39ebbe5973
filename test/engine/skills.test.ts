import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildLineage } from "../../server/src/lineage/graph.ts";
import { openLedger } from "../../server/src/lineage/ledger.ts";
import { openRepository } from "../../server/src/lineage/repository.ts";
import { SkillDetail, SkillsList } from "../../shared/protocol/views/skills.ts";
import { evotrainer, lineageOf } from "./cli.ts";
import { makeEvolvedProject, oneByOne, projectAfterOne } from "./finishedProject.ts";
import { makeToyProject, measuredOnce, toyFiles } from "./toyProject.ts";

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], {
    cwd,
    encoding: "utf8",
  });

/** Another project of another domain: the same knobs in a file of another name, and no intervention. */
function makeOtherProject(): string {
  const interventions = Object.keys(toyFiles).filter((path) => path.includes("interventions/"));
  const root = makeToyProject({
    ...Object.fromEntries(interventions.map((path) => [path, null])),
    "evotrainer.yaml": measuredOnce(toyFiles["evotrainer.yaml"] ?? "")
      .replace("generations: 2, variantsPerGeneration: 3", "generations: 1, variantsPerGeneration: 1")
      .replace("domain: toy", "domain: other")
      .replaceAll("harness/toy.yaml", "harness/knobs.yaml"),
    "harness/toy.yaml": null,
    "harness/knobs.yaml": toyFiles["harness/toy.yaml"] ?? "",
  });
  const trainer = join(root, "trainer.mjs");
  const text = readFileSync(trainer, "utf8");
  writeFileSync(trainer, text.replace('read("harness/toy.yaml")', 'read("harness/knobs.yaml")'));
  git(root, "commit", "--quiet", "--all", "--message", "another name");
  return root;
}

const skillText = (name: string, more = ""): string => `apiVersion: evotrainer/v1
kind: Skill
name: ${name}
# Why it is here.
when: { targets: [low-score] }
factor: reward
edit: [{ path: bonus, from: 0, to: 1 }]
expects: { metric: solve_rate, direction: increase }
${more}`;

describe("skills", function () {
  this.timeout(240_000);
  const made: string[] = [];
  const kept = (root: string): string => {
    made.push(root);
    return root;
  };
  const ofUser = process.env["EVOTRAINER_SKILLS"];
  let [root, library] = ["", ""];
  before(() => {
    root = kept(makeEvolvedProject());
    // Nobody's own library is read or written.
    library = join(kept(mkdtempSync(join(tmpdir(), "evo-skills-"))), "library");
    process.env["EVOTRAINER_SKILLS"] = library;
  });
  after(() => {
    if (ofUser === undefined) delete process.env["EVOTRAINER_SKILLS"];
    else process.env["EVOTRAINER_SKILLS"] = ofUser;
    for (const one of made) rmSync(one, { recursive: true, force: true });
  });

  const skillsOf = (at: string): SkillsList =>
    SkillsList.parse(JSON.parse(evotrainer(at, "--json", "skills").stdout));
  const show = (at: string, name: string): SkillDetail =>
    SkillDetail.parse(JSON.parse(evotrainer(at, "--json", "skills", "show", name).stdout));
  const refuses = (at: string, words: readonly string[], says: RegExp): void => {
    const ran = evotrainer(at, "skills", ...words);
    assert.notEqual(ran.code, 0, ran.stdout);
    assert.match(ran.stderr, says);
    assert.doesNotMatch(ran.stderr, /This is a bug/);
  };

  it("are proved by a version that was kept on several seeds, without a file before somebody asks for it", () => {
    const [proved, ...others] = skillsOf(root).skills;
    assert.deepEqual([proved?.name, proved?.origin, proved?.file], ["linear-shape", "version", null]);
    assert.deepEqual(others, []);
    assert.deepEqual(proved?.versions, ["v2-linear-shape"]);
    assert.match(
      evotrainer(root, "skills").stdout,
      /v2-linear-shape can become a skill: `evotrainer skills save v2-linear-shape`/,
    );
    assert.equal(git(root, "status", "--short"), "");
    for (const [version, says] of [
      ["v1", /v1 is a starting point/],
      ["v3-bonus", /v3-bonus was not kept \(reject\)/],
      ["v99", /no version v99/],
    ] as const)
      refuses(root, ["save", version], says);
    refuses(root, ["retire", "linear-shape", "--because", "no"], /No file holds linear-shape yet/);
    refuses(root, ["save", "v2", "--name", "../out"], /\.\.\/out is no name for a skill/);
  });

  it("are tried by the search of an evolution where their own domain confirmed them, and the use is scored", () => {
    const interventions = Object.keys(toyFiles).filter((path) => path.includes("interventions/"));
    const validation = "version: v2, change: 0.3, low: 0.2, high: 0.4, outcome: confirmed";
    const here = kept(
      makeToyProject({
        ...Object.fromEntries(interventions.map((path) => [path, null])),
        "evotrainer.yaml": oneByOne.replace("generations: 2", "generations: 1"),
        "harness/skills/more-bonus.skill.yaml": skillText(
          "more-bonus",
          `validations: [{ domain: toy, ${validation} }]\n`,
        ),
      }),
    );
    const ran = evotrainer(here, "evolve");
    assert.equal(ran.code, 0, ran.stderr);
    const tried = lineageOf(here).versions.find(({ name }) => name === "v2-more-bonus");
    assert.ok(tried !== undefined && tried.decision !== "pending", ran.stderr);
    assert.match(evotrainer(here, "skills", "show", "more-bonus").stdout, /used 1 times?: /);
  });

  it("refuses one that was kept on one seed, and says what is missing", () => {
    const { root: once, ran } = projectAfterOne();
    kept(once);
    assert.match(ran.stdout, /v2-linear-shape .* keep \(one seed\) /, ran.stderr);
    refuses(once, ["save", "v2"], /v2-linear-shape was kept on one seed only\. .*testing\.seeds/);
    assert.match(evotrainer(once, "skills").stdout, /v2-linear-shape cannot become a skill: .* one seed/);
    refuses(once, ["apply", "linear-shape"], /no skill linear-shape/);
  });

  it("are saved, exported, offered in another project, applied, trained, decided and scored there", async () => {
    const saved = evotrainer(root, "skills", "save", "v2");
    assert.equal(saved.code, 0, saved.stderr);
    assert.match(
      saved.stdout,
      /linear-shape is saved: harness\/skills\/linear-shape\.skill\.yaml, with 1 version/,
    );
    assert.equal(git(root, "status", "--short"), "?? harness/skills/\n");
    refuses(root, ["save", "v2"], /linear-shape\.skill\.yaml holds this change already/);
    assert.match(evotrainer(root, "check").stdout, /^(?!.*linear-shape\.skill\.yaml.*unvalidated).*$/s);
    refuses(root, ["apply", "linear-shape"], /shape in harness\/toy\.yaml is "linear" already/);

    const exported = evotrainer(root, "skills", "export", "linear-shape");
    assert.equal(exported.code, 0, exported.stderr);
    assert.deepEqual(readdirSync(library), ["linear-shape.skill.yaml"]);

    const other = kept(makeOtherProject());
    const first = evotrainer(other, "evolve");
    assert.equal(first.code, 0, first.stderr);
    const listed = evotrainer(other, "skills").stdout;
    assert.match(
      listed,
      /linear-shape +library +0 +0 .* local to toy; answers insufficient-signal, low-score/,
    );

    const applied = evotrainer(other, "skills", "apply", "linear-shape");
    assert.equal(applied.code, 0, applied.stderr);
    assert.match(
      applied.stdout,
      /^v2-linear-shape on v1: shape: flat → linear\n {2}because the skill linear-shape says so/,
    );
    const before = show(other, "linear-shape");
    assert.deepEqual([before.skill.used, before.skill.cameTrue, before.open.length], [1, 0, 1]);
    assert.match(before.open[0]?.because ?? "", /not decided yet/);

    assert.equal(evotrainer(other, "review", "v2", "approve").code, 0);
    const second = evotrainer(other, "evolve", "--generations", "2");
    assert.equal(second.code, 0, second.stderr);
    const version = lineageOf(other).versions.find(({ name }) => name === "v2-linear-shape");
    assert.deepEqual([version?.decision, version?.stage], ["keep", "replicated"]);
    assert.match(git(other, "show", "evo/other/v2-linear-shape:harness/knobs.yaml"), /^shape: linear$/m);
    // The ledger says who proposed it, with which skill, and what that expected before anything was trained.
    const { entries } = await openLedger(await openRepository(other)).read();
    const claims = buildLineage(entries, "other").versions.find(
      ({ name }) => name === "v2-linear-shape",
    )?.hypothesis;
    assert.deepEqual([claims?.proposer, claims?.skill?.name], ["skill", "linear-shape"]);
    assert.deepEqual(claims?.skill?.expected?.low, before.skill.expected?.low);

    const { skill, trials, pooled, open } = show(other, "linear-shape");
    assert.deepEqual(open, []);
    assert.deepEqual(
      trials.map(({ domain, version: of, used, outcome }) => [domain, of, used, outcome]),
      [
        ["toy", "v2-linear-shape", false, "confirmed"],
        ["other", "v2-linear-shape", true, "confirmed"],
      ],
    );
    assert.deepEqual(
      [skill.used, skill.cameTrue, skill.shared, skill.domains],
      [1, 1, true, ["other", "toy"]],
    );
    // Two uses that agree tell more than one: what is expected of the next lies closer.
    const [was, is] = [before.skill.expected, skill.expected];
    assert.ok(was !== null && is !== null && pooled !== null);
    assert.ok(is.high - is.low < was.high - was.low && is.low > 0);
    assert.ok(pooled.low <= pooled.difference && pooled.difference <= pooled.high);

    // What was learned there comes back with the file.
    assert.equal(evotrainer(other, "skills", "export", "linear-shape").code, 0);
    const back = evotrainer(root, "skills", "import", "linear-shape");
    assert.match(
      back.stdout,
      /imported: harness\/skills\/linear-shape\.skill\.yaml, with 2 versions/,
      back.stderr,
    );
    assert.deepEqual(
      [show(root, "linear-shape").skill.shared, show(root, "linear-shape").skill.used],
      [true, 1],
    );
  });

  it("are taken out of use by hand, with the reason in their file, and are not applied any more", () => {
    mkdirSync(join(root, "harness/skills"), { recursive: true });
    const file = join(root, "harness/skills/pay.skill.yaml");
    writeFileSync(file, skillText("pay"));
    refuses(root, ["retire", "pay", "--because", " "], /Say why pay is retired/);
    const ran = evotrainer(root, "skills", "retire", "pay", "--because", "it made echo traps");
    assert.equal(ran.code, 0, ran.stderr);
    const text = readFileSync(file, "utf8");
    assert.match(text, /# Why it is here\.[\s\S]*retired:\n {2}because: it made echo traps/);
    refuses(root, ["apply", "pay"], /pay is retired, so it is not applied\. .*it made echo traps/);
    refuses(root, ["retire", "pay", "--because", "again"], /pay is retired already/);
    assert.match(evotrainer(root, "skills").stdout, /pay .*retired: Somebody retired it: it made echo traps/);
    rmSync(file);
  });

  it("from a library are read as far as possible, and files that are not skills are named", () => {
    mkdirSync(library, { recursive: true });
    writeFileSync(join(library, "name.skill.yaml"), skillText("../../x"));
    const listed = evotrainer(root, "skills");
    assert.equal(listed.code, 0);
    assert.match(listed.stderr, /name\.skill\.yaml:3: name: Use 1 to 64/);
    refuses(root, ["import", "name"], /name\.skill\.yaml:3: name: Use 1 to 64/);
    rmSync(join(library, "name.skill.yaml"));
  });
});
