import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { generateSplits, renderItems } from "../../../gym/src/data.ts";
import { Random } from "../../../gym/src/random.ts";
import { demonstrate } from "./demonstrator.ts";
import { plan } from "./generateData.ts";
import { generateItem, usual } from "./generator.ts";
import type { Item } from "./item.ts";
import { run, type Instruction, type Program, type Value } from "./language.ts";
import { Programming } from "./programming.ts";
import { Session, toolNames, type Call, type SessionSettings } from "./session.ts";

const settings: SessionSettings = { turnLimit: 10, allTests: false, skipErrors: false };
const program = (...instructions: readonly Instruction[]): Program => ({ cases: [], instructions });
const one = (kind: Instruction["kind"], number = 0): Instruction => ({ kind, number });

const task: Item = {
  id: "task",
  difficulty: 0,
  description: "Leave out the odd numbers, then give the top number.",
  phrases: [
    { phrase: 6, number: 2 },
    { phrase: 16, number: 3 },
  ],
  program: [one("keep even", 2), one("largest", 3)],
  visible: [
    { input: [2, 5, 4], output: 4 },
    { input: [6, 3, 1], output: 6 },
  ],
  hidden: [
    { input: [8, 10, 3], output: 10 },
    { input: [2, 20, 7], output: 20 },
  ],
};

const write = (session: Session, ...calls: readonly Call[]): Session => {
  for (const call of calls) session.step(call);
  return session;
};
const line = (kind: Instruction["kind"]): Call => ({ tool: "write", instruction: one(kind, 2) });

describe("a program", () => {
  const cases: (readonly [Program, readonly number[], Value | string])[] = [
    [program(one("add", 3), one("keep odd")), [2, 3, 4], [5, 7]],
    [program(one("keep below", 4), one("reverse"), one("first")), [9, 3, 1], 1],
    [program(one("drop", 1), one("times", 2), one("sum")), [9, 3, 1], 8],
    [program(one("halve")), [12, 7], [3, 7]],
    [program(one("halve")), [0, 7], "too many steps"],
    [program(one("keep above", 50), one("smallest")), [1, 2], "empty list"],
    [program(one("sum"), one("sort")), [1, 2], "not a list"],
  ];
  it("gives a value or an error", () => {
    for (const [given, input, expected] of cases) {
      const outcome = run(given, input);
      assert.deepEqual("value" in outcome ? outcome.value : outcome.error, expected);
    }
  });

  it("gives a fixed value where one is written for the input", () => {
    const special: Program = { cases: [{ input: [1, 2], output: 9 }], instructions: [one("sum")] };
    assert.deepEqual([run(special, [1, 2]), run(special, [2, 1])], [{ value: 9 }, { value: 3 }]);
  });
});

describe("writing a program", () => {
  it("passes when it is submitted and all hidden tests pass", () => {
    const session = write(new Session(task, settings), line("keep even"), line("largest"));
    assert.equal(session.judge().passed, false, "not submitted");
    const { passed, components } = write(session, { tool: "submit" }).judge();
    assert.deepEqual([passed, components["correctness"], components["ran_last"]], [true, 1, 0]);
  });

  it("sees by a run which reading is wrong, and changes the line", () => {
    const session = write(new Session(task, settings), line("keep even"), line("first"));
    const before = session.step({ tool: "run" });
    assert.deepEqual(
      before.results?.map(({ passed }) => passed),
      [false, true],
    );
    assert.ok(session.isFresh);
    write(session, { tool: "change", at: 1, instruction: one("largest") });
    assert.ok(!session.isFresh);
    write(session, { tool: "run" }, { tool: "submit" });
    assert.deepEqual([session.judge().passed, session.judge().components["ran_last"]], [true, 1]);
  });

  it("fails with fixed values for the visible tests alone, and passes with one for each hidden test", () => {
    const cases = (given: SessionSettings): Session => {
      const session = write(new Session(task, { ...given, turnLimit: 20 }), { tool: "run" });
      for (const { test } of session.lastRun ?? []) session.step({ tool: "special", test });
      return write(session, { tool: "submit" });
    };
    assert.equal(cases(settings).judge().passed, false);
    const judged = cases({ ...settings, allTests: true }).judge();
    assert.deepEqual([judged.passed, judged.components["specials"]], [true, 4]);
  });

  it("counts a test that ends in an error, unless the harness leaves it out", () => {
    const broken = (given: SessionSettings): boolean =>
      write(new Session(task, given), line("sum"), line("sort"), { tool: "submit" }).judge().passed;
    assert.deepEqual([broken(settings), broken({ ...settings, skipErrors: true })], [false, true]);
  });

  it("refuses what cannot be done, and goes on", () => {
    const programming = new Programming(task, settings);
    programming.act([toolNames.indexOf("change")]);
    programming.act([toolNames.indexOf("special")]);
    programming.act([toolNames.indexOf("undo")]);
    assert.deepEqual(
      programming.session.exchanges.map(({ ok }) => ok),
      [false, false, false],
    );
    assert.match(programming.turns([])[4]?.text ?? "", /run the tests first/);
  });

  it("is demonstrated within the limit, with every tool", () => {
    const random = new Random(5);
    const tools = new Set<number>();
    for (let i = 0; i < 300; i++) {
      const decisions = demonstrate(generateItem(i, `${i}`, usual), random, 10);
      assert.ok(decisions.length <= 10);
      for (const { picks } of decisions) tools.add(picks[0]?.chosen ?? -1);
    }
    assert.equal(tools.size, toolNames.length);
  });
});

describe("the items", () => {
  const splits = generateSplits(plan);
  const items = [...splits.values()].flat();

  it("are all different, and their programs pass all their tests", () => {
    assert.equal(new Set(items.map(plan.contentOf)).size, items.length);
    for (const item of items) {
      const session = new Session(item, settings);
      session.program = program(...item.program);
      assert.ok(
        session.testAll([...item.visible, ...item.hidden]).every((r) => r.passed),
        item.id,
      );
    }
  });

  it("are those of the template", () => {
    for (const split of ["train", "selection", "audit"] as const) {
      const file = new URL(`../../template/data/${split}.jsonl`, import.meta.url);
      assert.ok(
        readFileSync(file, "utf8") === renderItems(splits.get(split) ?? []),
        `${split}.jsonl is stale: run generateData.ts`,
      );
    }
  });
});
