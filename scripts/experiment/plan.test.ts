import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { arms } from "./arms.ts";
import { leaksOf, settingsOf, withoutLeaks, withSettings, type Harness } from "./harness.ts";
import { root } from "./paths.ts";
import {
  armNames,
  cellName,
  cellsOf,
  freshSeedsOf,
  mendPlans,
  Plan,
  otherPlans,
  planNames,
  quickPlan,
  readPlan,
  searchSeeds,
} from "./plan.ts";
import { skillFiles } from "./project.ts";
import { SkillSpec } from "../../shared/spec/skill.ts";
import { ProjectSpec } from "../../shared/spec/project.ts";
import { withValues } from "./harness.ts";
import { parse, parseDocument } from "yaml";
import { readReference } from "./reference.ts";

const plan = readPlan();

describe("the plan of the experiment", () => {
  it("has what the protocol asks for: all domains and arms, five seeds or more", () => {
    assert.deepEqual([...plan.domains].sort(), ["code", "math", "swe"]);
    assert.deepEqual([...plan.arms, "with-skills"], armNames);
    assert.ok(plan.seeds.length >= 5 && plan.small === null);
  });
  it("is what its page says", () => {
    const page = readFileSync(join(root, "docs/experiment-plan.md"), "utf8");
    for (const arm of plan.arms) assert.ok(page.includes(`| \`${arm}\``), arm);
    assert.ok(page.includes(`**${plan.trainings} trainings**`));
    assert.ok(page.includes(`has ${plan.domains.length * plan.arms.length * plan.seeds.length} cells`));
  });
  for (const name of otherPlans)
    it(`has a ${name} one with other seeds and the same budget, for some of the arms`, () => {
      const other = readPlan(name);
      assert.equal(other.name, name);
      const before = planNames
        .slice(0, planNames.indexOf(name))
        .flatMap((earlier) => readPlan(earlier).seeds);
      assert.ok(other.seeds.length >= 5 && !other.seeds.some((seed) => before.includes(seed)));
      assert.ok(other.arms.every((arm) => plan.arms.includes(arm)));
      const some = { name: "", domains: [], arms: [], seeds: [] };
      assert.deepEqual({ ...other, ...some }, { ...plan, ...some });
      const page = readFileSync(join(root, "docs/experiment-plan.md"), "utf8");
      assert.ok(page.includes(`seeds ${other.seeds[0]} to ${other.seeds.at(-1)}`));
    });
  it("has one of skills, in a domain that the skills are not from, with other seeds and the same budget", () => {
    const own = readPlan("skills");
    const before = [plan, ...otherPlans.map((name) => readPlan(name))].flatMap(({ seeds }) => seeds);
    assert.ok(own.seeds.length >= 5 && !own.seeds.some((seed) => before.includes(seed)));
    assert.deepEqual(own.arms, ["evotrainer", "with-skills"]);
    const some = { name: "", domains: [], arms: [], seeds: [] };
    assert.deepEqual({ ...own, ...some }, { ...plan, ...some });
    const page = readFileSync(join(root, "docs/experiment-plan.md"), "utf8");
    assert.ok(page.includes(`seeds ${own.seeds[0]} to ${own.seeds.at(-1)}`));
    assert.ok(skillFiles().length > 0);
    for (const file of skillFiles())
      for (const { domain } of SkillSpec.parse(parse(readFileSync(file, "utf8"))).validations)
        assert.ok(!own.domains.some((one) => one === domain), file);
  });
  it("has two that are the same but for their names, of EvoTrainer alone, with seeds and items that no other plan has", () => {
    const [first, second] = mendPlans.map((name) => readPlan(name));
    assert.ok(first !== undefined && second !== undefined);
    assert.deepEqual([first.name, second.name], mendPlans);
    assert.deepEqual({ ...first, name: "" }, { ...second, name: "" });
    assert.deepEqual([second.arms, second.items], [["evotrainer"], "fresh"]);
    const some = { name: "", arms: [], seeds: [], items: "" };
    assert.deepEqual({ ...second, ...some }, { ...plan, ...some });
    const before = planNames.filter((name) => !mendPlans.some((one) => one === name)).map(readPlan);
    assert.ok(before.every(({ items }) => items === "usual"));
    assert.ok(second.seeds.length >= 5);
    assert.ok(!second.seeds.some((seed) => before.some(({ seeds }) => seeds.includes(seed))));
    const page = readFileSync(join(root, "docs/experiment-plan.md"), "utf8");
    assert.ok(page.includes(`seeds ${second.seeds[0]} to ${second.seeds.at(-1)}`));
    for (const name of mendPlans) assert.ok(page.includes(`npm run experiment -- --plan ${name} `), name);
  });
  it("gives its cells seed by seed, and only those that are asked for", () => {
    assert.equal(cellsOf(plan).length, 180);
    assert.deepEqual(cellsOf(plan, { domain: "swe", arm: "human,evotrainer", seed: "2" }).map(cellName), [
      "swe.human.s2",
      "swe.evotrainer.s2",
    ]);
    assert.throws(() => cellsOf(plan, { arm: "magic" }), /The plan has no arm magic; it has base, baseline/);
    assert.throws(() => cellsOf(plan, { seed: "99" }), /no seed 99/);
  });
  it("refuses what is no plan", () => {
    assert.throws(() => Plan.parse({ ...plan, arms: ["magic"] }));
    assert.throws(() => Plan.parse({ ...plan, trainings: 1 }));
    assert.throws(() => Plan.parse({ ...plan, more: 1 }));
  });
  it("shares no seed of training between two searches, nor with what judges them", () => {
    const all = plan.seeds.flatMap((seed) => [
      ...searchSeeds(seed, plan.trainings),
      ...freshSeedsOf(plan, seed),
    ]);
    assert.equal(new Set(all).size, all.length);
    assert.ok(!all.includes(901) && !all.includes(902), "the seeds of the references");
  });
  it("never mixes the results of a trial with those of a full run", () => {
    assert.notEqual(quickPlan(plan).name, plan.name);
    assert.notEqual(quickPlan(plan).small, null);
  });
});

describe("the arms", () => {
  for (const [domain, name] of [
    ["math", "random"],
    ["swe", "no-feedback"],
    ["code", "no-replication"],
  ] as const)
    it(`set what a project may set: ${name}`, () => {
      const text = readFileSync(join(root, `examples/${domain}-gym/template/evotrainer.yaml`), "utf8");
      ProjectSpec.parse(parse(withValues(text, arms[name].settings)));
    });
  it("differ from EvoTrainer in one setting each", () => {
    for (const name of ["no-backtests", "no-replication", "no-memory", "no-feedback"] as const) {
      assert.equal(Object.keys(arms[name].settings).length, 1, name);
      assert.ok(arms[name].draftsDiagnostics, name);
    }
    assert.deepEqual(arms["with-skills"], {
      ...arms.evotrainer,
      ...{ title: arms["with-skills"].title, hasSkills: true },
    });
    assert.deepEqual(arms["frozen-diagnostics"], {
      ...arms.evotrainer,
      title: arms["frozen-diagnostics"].title,
      draftsDiagnostics: false,
    });
  });
});

describe("a harness of the experiment", () => {
  const baseline: Harness = {
    "main.reward": "components: { a: { weight: 1 } }\n",
    train: "kl: 0.1 # a comment\n",
    environment: "turnLimit: 16\nretrieval: false\nverdict: false\n",
    curriculum: "order: random\n",
    evaluation: "samples: 4\n",
  };
  it("is distinguished from the baseline by its values", () => {
    const changed = withSettings(baseline, [{ file: "train", path: "kl", to: 0.2 }]);
    assert.match(changed.train, /# a comment/);
    assert.deepEqual(settingsOf(changed, baseline), [{ file: "train", path: "kl", to: 0.2 }]);
    assert.deepEqual(settingsOf(baseline, baseline), []);
  });
  it("says which leaks it opens, and is measured with all of them closed", () => {
    const open = withSettings(baseline, [
      { file: "environment", path: "verdict", to: true },
      { file: "environment", path: "turnLimit", to: 24 },
    ]);
    assert.deepEqual([leaksOf("math", baseline), leaksOf("math", open)], [[], ["verdict"]]);
    const closed = withoutLeaks("math", open);
    assert.deepEqual(leaksOf("math", closed), []);
    assert.match(closed.environment, /turnLimit: 24/, "what is no leak stays");
    assert.equal(withoutLeaks("math", baseline).environment, baseline.environment);
  });
});

describe("the human references", () => {
  for (const domain of plan.domains)
    it(`of ${domain} took no more trainings than an arm has, each in its log, and change declared values`, () => {
      const { trainings, settings } = readReference(domain);
      const log = readFileSync(join(root, `experiment/references/${domain}.md`), "utf8");
      assert.equal(log.match(/^\| \d+ /gm)?.length, trainings);
      assert.ok(trainings <= plan.trainings && settings.length > 0);
      for (const { file, path, to } of settings) {
        const text = readFileSync(join(root, `examples/${domain}-gym/template/harness/${file}.yaml`), "utf8");
        const now: unknown = parseDocument(text).getIn(path.split("."));
        assert.equal(typeof now, typeof to, `${file}: ${path}`);
        assert.notEqual(now, to);
      }
    });
});
