import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeToyProject } from "./toyProject.ts";
import { HarnessError } from "../../server/src/base/errors.ts";
import { exportSkill, importSkill, retireSkill } from "../../server/src/engine/skills/keepSkill.ts";

const skillText = (name: string, more = ""): string => `apiVersion: evotrainer/v1
kind: Skill
name: ${name}
when: { targets: [low-score] }
factor: reward
edit: [{ path: bonus, from: 0, to: 1 }]
expects: { metric: solve_rate, direction: increase }
${more}`;

const refuses = async (doing: Promise<unknown>, says: RegExp): Promise<void> => {
  await assert.rejects(doing, (e) => HarnessError.is(e) && says.test(e.message));
};

describe("skill files from elsewhere", () => {
  const made: string[] = [];
  const folder = (): string => {
    const at = mkdtempSync(join(tmpdir(), "evo-skills-"));
    made.push(at);
    return at;
  };
  const ofUser = process.env["EVOTRAINER_SKILLS"];
  let [root, from] = ["", ""];
  before(() => {
    root = makeToyProject();
    made.push(root);
    from = folder();
    process.env["EVOTRAINER_SKILLS"] = join(folder(), "library");
  });
  after(() => {
    if (ofUser === undefined) delete process.env["EVOTRAINER_SKILLS"];
    else process.env["EVOTRAINER_SKILLS"] = ofUser;
    for (const at of made) rmSync(at, { recursive: true, force: true });
  });
  const file = (name: string, text: string): string => {
    writeFileSync(join(from, name), text);
    return join(from, name);
  };
  const take = (path: string, to = root): Promise<unknown> => importSkill(to, { name: path, file: path });

  it("are refused by name where they are no skill, too large, no plain file, or lead out of the project", async () => {
    symlinkSync(file("aim.skill.yaml", skillText("aim")), join(from, "link.skill.yaml"));
    const cases: readonly (readonly [string, RegExp])[] = [
      [file("broken.skill.yaml", "a: [1\n"), /broken\.skill\.yaml:\d+: /],
      [file("name.skill.yaml", skillText("../../x")), /name\.skill\.yaml:3: name: Use 1 to 64/],
      [
        file("path.skill.yaml", skillText("p").replace("{ path:", "{ file: ../../etc/passwd, path:")),
        /path\.skill\.yaml:6: .*stays inside the project/,
      ],
      [file("more.skill.yaml", skillText("m", "run: rm -rf .\n")), /more\.skill\.yaml:\d+: .*run/],
      [
        file("huge.skill.yaml", `${skillText("huge")}# ${"x".repeat(300_000)}\n`),
        /huge\.skill\.yaml has \d+ bytes; a skill has at most/,
      ],
      [file("deep.skill.yaml", `${"[".repeat(5000)}\n`), /deep\.skill\.yaml:\d+: /],
      [join(from, "link.skill.yaml"), /link\.skill\.yaml is not a plain file/],
      [join(from, "none.skill.yaml"), /There is no file .*none\.skill\.yaml/],
      [from, /is not a plain file/],
    ];
    for (const [path, says] of cases) await refuses(take(path), says);
    assert.deepEqual(readdirSync(join(root, "harness")).includes("skills"), false, "nothing was written");
  });

  it("are not written through a link that leads out of the project", async () => {
    const linked = makeToyProject();
    const outside = folder();
    made.push(linked);
    symlinkSync(outside, join(linked, "harness/skills"));
    await refuses(
      take(file("good.skill.yaml", skillText("good")), linked),
      /harness\/skills is no folder of the project/,
    );
    assert.deepEqual(readdirSync(outside), []);
  });

  it("are taken as what the schema knows, and joined with the same skill, but not with another of its name", async () => {
    const trial = (domain: string): string =>
      `validations: [{ domain: ${domain}, version: v2, change: 0.1, low: 0.05, high: 0.15 }]\n`;
    const good = file("good.skill.yaml", `# a comment\n${skillText("good", trial("math"))}`);
    await take(good);
    const taken = join(root, "harness/skills/good.skill.yaml");
    assert.doesNotMatch(readFileSync(taken, "utf8"), /comment/);
    file("good.skill.yaml", skillText("good", trial("swe")));
    await take(good);
    assert.equal(readFileSync(taken, "utf8").match(/domain: (math|swe)/g)?.length, 2);
    file("good.skill.yaml", skillText("good").replace("to: 1", "to: 2"));
    await refuses(take(good), /good\.skill\.yaml is another skill \(good, which changes something else\)/);
    await refuses(exportSkill(root, { name: "good", to: good }), /is another skill/);
    await refuses(
      exportSkill(root, { name: "good", to: join(from, "no/such.yaml") }),
      /cannot be written \(ENOENT\)/,
    );
    await refuses(exportSkill(root, { name: "god" }), /no skill god .* Did you mean good\?/);
  });

  it("keep the reason why somebody retired them when they move", async () => {
    await take(file("tired.skill.yaml", skillText("tired")));
    await retireSkill(root, { name: "tired", because: "it made echo traps" });
    await exportSkill(root, { name: "tired", to: join(from, "out.skill.yaml") });
    assert.match(
      readFileSync(join(from, "out.skill.yaml"), "utf8"),
      /retired:\n {2}because: it made echo traps/,
    );
    await refuses(retireSkill(root, { name: "tired", because: "again" }), /tired is retired already/);
  });
});
