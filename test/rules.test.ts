import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { questionKey } from "../server/src/language/archive/triedConditions.ts";
import { checkSpecs, type Known, type SpecFinding } from "../server/src/language/checks/checkSpecs.ts";
import { allRules } from "../server/src/language/checks/ruleSet.ts";
import { ArchiveFacts } from "../shared/protocol/views/archiveFacts.ts";

const corpus = join(import.meta.dirname, "rules");
const repository = join(import.meta.dirname, "..");

const Case = z.strictObject({
  project: z.enum(["verl", "trl"]),
  hasParent: z.boolean().default(false),
  facts: z.looseObject({}).optional(),
  /** What the archive makes of conditions of diagnostics. */
  tried: z
    .array(
      z.strictObject({
        condition: z.string(),
        params: z.record(z.string(), z.number()).default({}),
        rollouts: z.array(z.string()).default([]),
        found: z.strictObject({
          rollouts: z.number(),
          labelled: z.number(),
          verdicts: z.array(z.enum(["labelled", "clear", "undecided", "not_archived"])).default([]),
        }),
      }),
    )
    .default([]),
});

/** A line of the corpus that says what is found there: `# finds: one-factor, frozen-value`. */
const marker = /# finds: ([a-z-]+(?:, [a-z-]+)*)$/;
/** Stands for the rest of a key, so that nothing in this repository looks like one. */
const [fake, forged] = ["{fake}", "QwErTyUiOpAsDfGhJkLzXcVbNmQwErTyUi"];

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();

const shown = (findings: readonly SpecFinding[]) =>
  findings.map((f) => `${f.file}:${f.line} ${f.code}`).sort();

/** The project of a rule on disk: what all have in common, and what makes it wrong or right. */
function lay(project: string, layer: string): string {
  const root = mkdtempSync(join(tmpdir(), "evotrainer-rule-"));
  cpSync(join(corpus, "projects", project), root, { recursive: true });
  if (existsSync(layer)) cpSync(layer, root, { recursive: true });
  for (const file of filesIn(root)) {
    const text = readFileSync(join(root, file), "utf8");
    if (text.includes(fake)) writeFileSync(join(root, file), text.replaceAll(fake, forged));
  }
  return root;
}

function marked(root: string): string[] {
  return filesIn(root)
    .flatMap((file) =>
      readFileSync(join(root, file), "utf8")
        .split("\n")
        .flatMap((line, i) =>
          (marker.exec(line)?.[1]?.split(", ") ?? []).map((code) => `${file}:${i + 1} ${code}`),
        ),
    )
    .sort();
}

function knownOf(rule: string, { project, hasParent, facts, tried }: z.infer<typeof Case>): Known {
  const parent = hasParent ? lay(project, join(corpus, rule, "parent")) : undefined;
  const files =
    parent === undefined
      ? undefined
      : new Map(filesIn(parent).map((f) => [f, readFileSync(join(parent, f), "utf8")]));
  if (parent !== undefined) rmSync(parent, { recursive: true });
  const empty = {
    ...{ at: 0, rollouts: 0, versions: [], fields: {}, metrics: {}, components: {}, labels: {} },
    sharedItems: [],
  };
  return {
    parent: files && { name: "v4", files },
    archived: () =>
      Promise.resolve(
        facts && {
          facts: ArchiveFacts.parse({ ...empty, ...facts }),
          tried: new Map(tried.map(({ found, ...question }) => [questionKey(question), found])),
        },
      ),
  };
}

async function check(rule: string, side: "wrong" | "right") {
  const setup = Case.parse(parse(readFileSync(join(corpus, rule, "case.yaml"), "utf8")));
  const root = lay(setup.project, join(corpus, rule, side));
  try {
    return { found: await checkSpecs(root, knownOf(rule, setup)), expected: marked(root) };
  } finally {
    rmSync(root, { recursive: true });
  }
}

describe("the corpus of mistakes", function () {
  this.timeout(60_000);
  const cases = readdirSync(corpus).filter((name) => name !== "projects");

  it("has a project for every rule, and no other", () =>
    assert.deepEqual(cases.sort(), allRules.map(({ meta }) => meta.id).sort()));

  for (const rule of cases) {
    it(`${rule}: is found where it is, and nothing else is found`, async () => {
      const { found, expected } = await check(rule, "wrong");
      assert.deepEqual(shown(found), expected, JSON.stringify(found, null, 1));
      assert.ok(found.some(({ code }) => code === rule));
    });
    it(`${rule}: nothing is found in the corrected twin`, async () => {
      const { found, expected } = await check(rule, "right");
      // That a config differs from its parent in one factor is said, and is no fault.
      assert.deepEqual(shown(found), expected, JSON.stringify(found, null, 1));
      assert.ok(found.every(({ code, severity }) => code === "factor-distance" && severity === "info"));
    });
  }

  for (const project of [
    "examples/swe-gym/template",
    "examples/math-gym/template",
    "examples/code-gym/template",
    "dist/examples/trl-grpo",
    "dist/examples/countdown-torch",
    "dist/examples/verl",
    "dist/examples/roll",
    "examples/lineages",
    "examples/mappings",
    "library",
    "test/rules/projects/verl",
    "test/rules/projects/trl",
  ])
    it(`nothing is found in ${project}`, async () =>
      assert.deepEqual(await checkSpecs(join(repository, project)), []));

  it("never repeats a secret", async () => {
    const { found } = await check("secret", "wrong");
    assert.ok(found.every(({ message }) => !message.includes(forged.slice(0, 8))));
  });
});
