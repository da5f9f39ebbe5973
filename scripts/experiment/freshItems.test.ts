import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { generateSplits, renderItems, type DataPlan } from "../../examples/gym/src/data.ts";
import { plan as codePlan } from "../../examples/code-gym/trainer/src/generateData.ts";
import { plan as mathPlan } from "../../examples/math-gym/trainer/src/generateData.ts";
import { plan as swePlan } from "../../examples/swe-gym/trainer/src/generateData.ts";
import { domains } from "./domains.ts";
import { freshItems, type SplitName } from "./freshItems.ts";
import { harnessFiles, withSettings, type Harness } from "./harness.ts";
import { root } from "./paths.ts";
import { domainNames, readPlan, type DomainName } from "./plan.ts";
import { Bench } from "./trainings.ts";

const Toy = z.object({ id: z.string(), setting: z.string(), task: z.int() });

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");

/** Of a domain: the content of the items of a file's text, and of all usual ones. */
function contents<I, Setting>(plan: DataPlan<I, SplitName, Setting>) {
  const contentOf = (text: string): string[] =>
    // They were rendered from items of this domain.
    linesOf(text).map((line) => plan.contentOf(JSON.parse(line) as I));
  const usual = generateSplits(plan);
  return { contentOf, usual: contentOf(renderItems([...usual.values()].flat())), splits: usual };
}
const known = { math: contents(mathPlan), code: contents(codePlan), swe: contents(swePlan) };
const settings = { math: mathPlan.splits, code: codePlan.splits, swe: swePlan.splits };

/** Of all fresh items of a domain. */
const drawn = { math: "a861030a8da27957", code: "4fb926612b07c8ca", swe: "9d86b9436b23dd4f" };

describe("fresh items", () => {
  for (const domain of domainNames)
    it(`of ${domain} are as many as the usual ones, and others`, () => {
      const { contentOf, usual } = known[domain];
      const { audit, shifted } = domains[domain].fresh();
      const { length: audits } = linesOf(audit);
      const { length: shifteds } = linesOf(shifted);
      assert.deepEqual([audits, shifteds], [settings[domain].audit.count, settings[domain].shifted.count]);
      const own = [...contentOf(audit), ...contentOf(shifted)];
      assert.equal(new Set(own).size, own.length, "no two are the same task");
      assert.equal(new Set([...own, ...usual]).size, own.length + usual.length, "none is a usual one");
      const ids = linesOf(audit).map((line) => z.object({ id: z.string() }).parse(JSON.parse(line)).id);
      assert.deepEqual([ids[0], ids.at(-1)], ["audit-fresh-001", "audit-fresh-120"]);
      // The runs before a mend and after are paired item by item: both have to draw these.
      const digest = createHash("sha256").update(audit).update(shifted).digest("hex");
      assert.equal(digest.slice(0, 16), drawn[domain], "they are the same each time");
    });
  it("leave out what the usual draw has, and what they have already, and have the settings of their split", () => {
    // Far from 0 this generator makes again what it made there, and each task twice: 0, 0, 1, 1, 2, 2, …
    const small: DataPlan<z.infer<typeof Toy>, SplitName, string> = {
      splits: {
        train: { count: 2, setting: "usual" },
        selection: { count: 1, setting: "usual" },
        audit: { count: 2, setting: "usual" },
        shifted: { count: 2, setting: "longer" },
      },
      generate: (seed, id, setting) => ({ id, setting, task: Math.floor((seed % 1_000_000) / 2) }),
      contentOf: ({ task }) => String(task),
    };
    const { audit, shifted } = freshItems(small);
    const tasks = (text: string): string[] =>
      linesOf(text).map((line) => {
        const { id, setting, task } = Toy.parse(JSON.parse(line));
        return `${id}: ${setting} ${task}`;
      });
    assert.deepEqual(tasks(audit), ["audit-fresh-001: usual 7", "audit-fresh-002: usual 8"]);
    assert.deepEqual(tasks(shifted), ["shifted-fresh-001: longer 9", "shifted-fresh-002: longer 10"]);
  });
});

/** Solves nothing, and leaves the items of the audit split that it was given. */
const trainer = `
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
mkdirSync(process.env.EVO_RUN_DIR, { recursive: true });
copyFileSync("data/audit.jsonl", join("..", basename(process.cwd()) + ".measured"));
writeFileSync(join(process.env.EVO_RUN_DIR, "rollouts.jsonl"), "");
`;

describe("what the bench measures on", () => {
  const folder = mkdtempSync(join(tmpdir(), "evo-bench-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const project = join(folder, "project");
  const own = '{"id":"audit-001"}\n';

  /** The audit items of each measurement of a version with a leak: closed, closed and shifted, as it is. */
  function measured(domain: DomainName, plan: Partial<ReturnType<typeof readPlan>>): string[] {
    for (const part of ["trainer", "data"]) mkdirSync(join(project, part), { recursive: true });
    for (const file of ["trainer/trainer.mjs", "trainer/cached.mjs"])
      writeFileSync(join(project, file), trainer);
    for (const split of ["train", "selection", "audit"])
      writeFileSync(join(project, `data/${split}.jsonl`), own);
    const [reward = "", train = "", environment = "", curriculum = "", evaluation = ""] = harnessFiles.map(
      (name) => readFileSync(join(root, `examples/${domain}-gym/template/harness/${name}.yaml`), "utf8"),
    );
    const harness: Harness = { "main.reward": reward, train, environment, curriculum, evaluation };
    const open = withSettings(harness, [{ file: "environment", path: "verdict", to: true }]);
    const bench = new Bench({ ...readPlan(), ...plan }, domain, project);
    const { withLeak } = bench.measure(open, { seed: 1, selection: 0, policy: "" });
    assert.equal(withLeak, 0);
    const texts = readdirSync(`${project}.bench`)
      .filter((name) => name.endsWith(".measured"))
      .sort()
      .map((name) => readFileSync(join(`${project}.bench`, name), "utf8"));
    bench.close();
    assert.ok(!existsSync(`${project}.bench`));
    return texts;
  }
  const { audit, shifted } = domains.math.fresh();
  it("are the audit items of the project and the usual shifted ones, where the plan says nothing of items", () => {
    assert.equal(readPlan().items, "usual");
    assert.deepEqual(measured("math", {}), [own, domains.math.shifted(), own]);
  });
  it("are fresh ones where the plan says so, also with a leak", () => {
    assert.deepEqual(measured("math", { items: "fresh" }), [audit, shifted, audit]);
  });
  it("are the first of them in a trial", () => {
    const small = { steps: 1, demonstrations: 1, prompts: 1, items: 2 };
    const first = (text: string): string => `${linesOf(text).slice(0, 2).join("\n")}\n`;
    const expected = [first(audit), first(shifted), first(audit)];
    assert.deepEqual(measured("math", { items: "fresh", small }), expected);
  });
});
