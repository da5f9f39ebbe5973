import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

const root = join(import.meta.dirname, "..");
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");
const Facts = z.object({
  verl: z.object({
    commit: z.string().length(40),
    settings: z.record(z.string(), z.array(z.string())),
    entry: z.object({ module: z.string(), config: z.string() }),
    metricsFile: z.string(),
    dump: z.array(z.string()),
    data: z.array(z.string()),
  }),
  ROLL: z.object({
    commit: z.string().length(40),
    classes: z.record(z.string(), z.object({ bases: z.array(z.string()), fields: z.array(z.string()) })),
    entry: z.record(z.string(), z.string()),
  }),
});
/** What verl's and ROLL's own sources say, at the commits that the file names. */
const { verl, ROLL } = Facts.parse(parse(textOf("test/stored/frameworkSchemas.yaml")));

/** Dotted paths of the leaves of settings; a list is a leaf. */
function leavesOf(value: unknown, at = ""): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [at];
  return Object.entries(value).flatMap(([key, below]) => leavesOf(below, at === "" ? key : `${at}.${key}`));
}

describe("templates, held against the sources of the frameworks", () => {
  const isKnown = (path: string): boolean => {
    const cut = path.lastIndexOf(".");
    return verl.settings[path.slice(0, cut)]?.includes(path.slice(cut + 1)) === true;
  };

  it("verl: every setting of the template and of both programs is one of verl's", () => {
    const template = leavesOf(parse(textOf("examples/verl/template/harness/verl.yaml")));
    const program = textOf("examples/verl/template/trainer/run.py");
    const set = [...program.matchAll(/at\(settings, "([\w.]+)"\)\.update\(([^]*?)\n? *\)\n/g)].flatMap(
      ([, section = "", given = ""]) =>
        [...given.matchAll(/(?:^|[\s,(])(\w+)=/g)].map(([, key = ""]) => `${section}.${key}`),
    );
    const launch = [
      ...textOf("examples/verl/launch/verl_launch.py").matchAll(/^ {8}"([\w.]+\.[\w.]+)":/gm),
    ].map(([, path = ""]) => path);
    for (const [found, atLeast] of [
      [template, 25],
      [set, 12],
      [launch, 14],
    ] as const)
      assert.ok(found.length >= atLeast, found.join(", "));
    assert.deepEqual(
      [...template, ...set, ...launch].filter((path) => !isKnown(path)),
      [],
    );
    assert.equal(isKnown("trainer.rollout_dir"), false);
  });

  it("verl: what is started, the metrics' file, the columns of a dump and the kind of data file are verl's", () => {
    for (const file of ["examples/verl/template/trainer/run.py", "examples/verl/launch/verl_launch.py"]) {
      const program = textOf(file);
      assert.ok(program.includes(verl.metricsFile), file);
      const read = [...program.matchAll(/told(?:\.get\(|\[)"(\w+)"[\])]/g)].map(([, key = ""]) => key);
      for (const key of ["input", "output", "step"]) assert.ok(verl.dump.includes(key), key);
      // The rest is what the reward function returns, or a line of metrics.
      const own = ["split", "item", "grader_error", "acc", "data"];
      assert.deepEqual(
        read.filter((key) => !verl.dump.includes(key) && !own.includes(key)),
        [],
        file,
      );
      assert.ok(verl.data.includes(".json") && program.includes('".json"'), file);
    }
    const template = textOf("examples/verl/template/trainer/run.py");
    assert.ok(
      template.includes(verl.entry.module) &&
        template.includes(`"defaults": ["${verl.entry.config}", "_self_"]`),
    );
  });

  it("ROLL: every setting of the template and its program is a field of ROLL's classes, and its entry points are there", () => {
    const fieldsOf = (name: string): string[] => {
      const { fields, bases } = ROLL.classes[name] ?? { fields: [], bases: [] };
      return [...fields, ...bases.flatMap(fieldsOf)];
    };
    const parts: Readonly<Record<string, string>> = {
      model_args: "ModelArguments",
      training_args: "TrainingArguments",
      data_args: "DataArguments",
      generating_args: "GeneratingArguments",
      strategy_args: "StrategyArguments",
    };
    const workers = ["actor_train", "actor_infer", "reference", "validation"];
    const unknown = (of: string, keys: readonly string[]): string[] =>
      keys.filter((key) => !fieldsOf(of).includes(key)).map((key) => `${of}.${key}`);
    const settings = z
      .record(z.string(), z.unknown())
      .parse(parse(textOf("examples/roll/template/harness/roll.yaml")));
    const found = unknown("RLVRConfig", Object.keys(settings));
    for (const worker of workers) {
      const own = z.record(z.string(), z.unknown()).parse(settings[worker]);
      found.push(...unknown("WorkerConfig", Object.keys(own)));
      for (const [key, value] of Object.entries(own)) {
        const part = parts[key];
        if (part !== undefined)
          found.push(...unknown(part, Object.keys(z.record(z.string(), z.unknown()).parse(value))));
      }
    }
    const program = textOf("examples/roll/template/trainer/run.py");
    const [, given = ""] = /^ {4}settings\.update\(\n([^]*?)\n {4}\)\n/m.exec(program) ?? [];
    const set = [...given.matchAll(/^ {8}(\w+)=/gm)].map(([, key = ""]) => key);
    assert.ok(set.length >= 10, given);
    found.push(...unknown("RLVRConfig", set));
    found.push(
      ...unknown(
        "RewardConfig",
        [...given.matchAll(/^ {16}"(\w+)":/gm)].map(([, key = ""]) => key),
      ),
    );
    assert.deepEqual(found, []);
    const start = textOf("examples/roll/template/trainer/start.py");
    const imports = [...start.matchAll(/from (roll\.[\w.]+) import (\w+)/g)].map(
      ([, module = "", name = ""]) => [module, name],
    );
    assert.equal(imports.length, Object.keys(ROLL.entry).length);
    for (const [module = "", name] of imports) assert.equal(ROLL.entry[module], name, module);
  });
});
