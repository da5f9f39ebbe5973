import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { generateSplits, renderItems } from "../../../gym/src/data.ts";
import { Random } from "../../../gym/src/random.ts";
import { answersOf } from "./answers.ts";
import { demonstrate } from "./demonstrator.ts";
import { compute, operationsIn, parseExpression, show, valueOf } from "./expression.ts";
import { plan } from "./generateData.ts";
import { generateItem, usual } from "./generator.ts";
import type { Item } from "./item.ts";
import { Solving } from "./solving.ts";
import { Working, type Call, type WorkSettings } from "./working.ts";

const settings: WorkSettings = { turnLimit: 16, retrieval: false, verdict: false };
const sum: Item = {
  id: "sum",
  difficulty: 0,
  kind: "arithmetic",
  question: "Compute (7 - 19) * 4.",
  expression: "(7 - 19) * 4",
  answer: "-48",
};
const list: Item = {
  id: "list",
  difficulty: 0,
  kind: "sorting",
  question: "Sort 9 2 5 from the smallest to the largest.",
  numbers: [9, 2, 5],
  answer: "2 5 9",
};

function doStep(working: Working, value: number): void {
  const place = working.places[0];
  assert.ok(place !== undefined);
  working.write({ tool: "step", step: { kind: "compute", place, result: { value } } });
}

const answer = (value: string): Call[] => [
  { tool: "open" },
  { tool: "answer", value, source: "working" },
  { tool: "close" },
];

function write(working: Working, ...calls: readonly Call[]): Working {
  for (const call of calls) working.write(call);
  return working;
}

describe("an expression", () => {
  it("is read as it was written, and refused as anything else", () => {
    for (let seed = 0; seed < 300; seed++) {
      const { expression, answer: right } = generateItem(seed, "x", usual);
      if (expression === undefined) continue;
      const parsed = parseExpression(expression);
      assert.equal(show(parsed), expression);
      assert.equal(`${valueOf(parsed)}`, right);
      assert.ok(operationsIn(parsed) >= 2);
    }
    for (const text of ["", "(1 + 2", "1 + + 2", "1 2", "a + 1"])
      assert.throws(() => parseExpression(text), /is not an expression with brackets/);
  });
});

describe("working on a problem", () => {
  it("passes with the right answer between tags, however it came about", () => {
    const working = new Working(sum, settings);
    doStep(working, -12);
    doStep(working, -48);
    assert.ok(working.isDone);
    write(working, ...answer(working.outcome), { tool: "stop" });
    const { passed, stop, components } = working.judge();
    assert.deepEqual([passed, stop, components["steps_right"]], [true, "success", 1]);
    assert.equal(write(new Working(sum, settings), ...answer("-48"), { tool: "stop" }).judge().passed, true);
  });

  it("fails without tags, without an end, and with another answer after the right one", () => {
    const cases: (readonly [Call[], string])[] = [
      [[{ tool: "answer", value: "-48", source: "working" }, { tool: "stop" }], "no_answer"],
      [
        [{ tool: "open" }, { tool: "answer", value: "-48", source: "working" }, { tool: "stop" }],
        "no_answer",
      ],
      [answer("-48"), "max_turns"],
      [[...answer("-48"), ...answer("-38"), { tool: "stop" }], "fail"],
    ];
    for (const [calls, stop] of cases) {
      const verdict = write(new Working(sum, settings), ...calls).judge();
      assert.deepEqual([verdict.passed, verdict.stop], [false, stop]);
    }
  });

  it("checks the last digit and the sign, so a slip by ten agrees", () => {
    for (const [value, agrees] of [
      [-12, true],
      [-13, false],
      [-22, true],
      [12, false],
    ] as const) {
      const working = new Working(sum, settings);
      doStep(working, value);
      assert.equal(working.write({ tool: "check" }).ok, agrees, `${value}`);
    }
  });

  it("takes a step back, and then offers the same results in the same order", () => {
    const solving = new Solving(sum, settings);
    const before = solving.working.places.map((place) => solving.working.results(place));
    solving.act([0, 0, 2]);
    solving.act([2]);
    assert.deepEqual(
      solving.working.places.map((place) => solving.working.results(place)),
      before,
    );
    assert.equal(solving.tried.size, 1);
    const offered = before[0]?.map(({ value }) => value) ?? [];
    assert.ok(offered.includes(compute("-", 7, 19)) && new Set(offered).size === offered.length);
  });

  it("sorts by taking numbers, and a check names one that is smaller", () => {
    const working = new Working(list, settings);
    working.write({ tool: "step", step: { kind: "take", number: 5 } });
    assert.deepEqual(working.write({ tool: "check" }), {
      call: { tool: "check" },
      ok: false,
      reply: "2 is smaller and was left.",
    });
    working.write({ tool: "undo" });
    for (const number of [2, 5, 9]) working.write({ tool: "step", step: { kind: "take", number } });
    write(working, ...answer(working.outcome), { tool: "stop" });
    assert.equal(working.judge().passed, true);
  });

  it("shows the solved problem and the grader's word only where the harness says so", () => {
    const answerOf = (given: WorkSettings): boolean =>
      answersOf(new Working(sum, given)).some(({ source }) => source === "example");
    assert.deepEqual([answerOf(settings), answerOf({ ...settings, retrieval: true })], [false, true]);
    const prompt = (given: WorkSettings): string => new Solving(sum, given).turns([])[0]?.text ?? "";
    assert.ok(!prompt(settings).includes("-48") && prompt({ ...settings, retrieval: true }).includes("-48"));
    const replyOf = (given: WorkSettings): unknown =>
      write(new Working(sum, given), ...answer("5")).lines.at(-1)?.reply;
    assert.deepEqual(
      [replyOf(settings), replyOf({ ...settings, verdict: true })],
      [null, "The answer is wrong."],
    );
  });

  it("is demonstrated within the limit, with every tool and every stop reason", () => {
    const random = new Random(5);
    const tools = new Set<number>();
    for (let i = 0; i < 400; i++) {
      const decisions = demonstrate(generateItem(i, `${i}`, usual), random, 16);
      assert.ok(decisions.length <= 16);
      for (const { picks } of decisions) tools.add(picks[0]?.chosen ?? -1);
    }
    assert.equal(tools.size, 8);
  });
});

describe("the items", () => {
  const splits = generateSplits(plan);
  const of = (name: keyof typeof plan.splits): readonly Item[] => splits.get(name) ?? [];

  it("are all different, in the shifted split too, which has longer problems", () => {
    const contents = [...splits.values()].flat().map(plan.contentOf);
    assert.equal(new Set(contents).size, contents.length);
    const steps = (items: readonly Item[]): number =>
      items.reduce((n, i) => n + (i.numbers?.length ?? operationsIn(parseExpression(i.expression ?? ""))), 0);
    assert.ok(steps(of("shifted")) > 1.3 * steps(of("audit")));
  });

  it("are those of the template", () => {
    for (const split of ["train", "selection", "audit"] as const) {
      const file = new URL(`../../template/data/${split}.jsonl`, import.meta.url);
      assert.ok(readFileSync(file, "utf8") === renderItems(of(split)), `${split}.jsonl is stale`);
    }
  });
});
