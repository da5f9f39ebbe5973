import assert from "node:assert/strict";
import {
  mostSevereFirst,
  namedTurns,
  readFirst,
  readMark,
  turnsToRead,
  turnsWithNewNumbers,
} from "./namedTurns.ts";

describe("the turns that a reader is sent to", () => {
  for (const [what, labels, expected] of [
    ["none without labels", [], []],
    ["none of labels that no turn shows", [[], []], []],
    ["the ends and the middle of a streak", [[4, 5, 6, 7, 8, 9]], [4, 7, 9]],
    ["the first of each label before a second of any", [[8, 9], [2, 3], [5]], [2, 5, 8]],
    ["each turn once", [[1], [1, 6]], [1, 6]],
    ["three, the most severe labels first", [[1], [2], [3], [0]], [1, 2, 3]],
  ] as const)
    it(`are ${what}`, () => assert.deepEqual(namedTurns(labels.map((turns) => ({ turns }))), expected));
});

describe("the turns of a failure to read where no label names one", () => {
  const said = (role: string, text: string, args?: Record<string, unknown>) => ({
    role,
    text,
    ...(args === undefined ? {} : { args }),
  });
  const policy = (...texts: string[]) => texts.map((text) => said("assistant", text));

  for (const [what, turns, expected] of [
    ["those that bring in the most numbers", policy("a", "1 2 3", "4", "b", "5 6 7 8", "9 10"), [1, 4, 5]],
    [
      "not those that repeat what a tool or the task said",
      [
        said("user", "add 7 and 8"),
        ...policy("a 7", "8 15", "b"),
        said("tool", "1 2 3"),
        ...policy("1 2 3", "c"),
      ],
      [1, 2, 3],
    ],
    [
      "also by what a call was given",
      [...policy("a", "b", "c"), said("assistant", "", { lines: [4, 5] })],
      [0, 1, 3],
    ],
    ["filled up with the first where fewer bring any", policy("a", "b", "c", "d", "x9"), [0, 1, 4]],
    [
      "by whole words in either case, with letters of any script",
      policy("ab1c 日2 x_3 4𝟙", "AB1C 日2 X_3 4𝟙", "b1c d2 5", "1 2", "a5b6 77"),
      [0, 2, 3],
    ],
    ["only of the policy", [said("tool", "1 2 3"), said("system", "4"), said("assistant", "5")], [2]],
    ["none without the policy", [said("tool", "1")], []],
  ] as const)
    it(`are ${what}`, () => assert.deepEqual(turnsWithNewNumbers(turns), expected));
});

describe("where a reader of a rollout begins", () => {
  const turns = ["a", "b 1", "c 2", "d 3", "e"].map((text) => ({ role: "assistant", text }));

  it("is where its labels say", () =>
    assert.deepEqual(turnsToRead({ outcome: "fail", turns }, [{ turns: [4] }]), {
      shownBy: "labels",
      turns: [4],
    }));
  it("is at new numbers in a failure of which no label names a turn", () =>
    assert.deepEqual(turnsToRead({ outcome: "fail", turns }, [{ turns: [] }]), {
      shownBy: "numbers",
      turns: [1, 2, 3],
    }));
  for (const [what, rollout] of [
    ["passed", { outcome: "pass", turns }],
    ["has an unknown outcome", { outcome: "unknown", turns }],
    ["has no more turns than would be named", { outcome: "fail", turns: turns.slice(0, 3) }],
  ] as const)
    it(`is nowhere in particular if no label names a turn and the rollout ${what}`, () =>
      assert.deepEqual(turnsToRead(rollout, []).turns, []));

  it("is said with the reason, and goes by the most severe label", () => {
    const diagnostics = [
      { name: "mild", severity: "info" },
      { name: "grave", severity: "critical" },
    ];
    const labels = [
      { label: "gone", turns: [0] },
      { label: "mild", turns: [1] },
      { label: "grave", turns: [2, 3, 4] },
    ];
    assert.deepEqual(
      mostSevereFirst(labels, diagnostics).map(({ label }) => label),
      ["grave", "mild", "gone"],
    );
    const rollout = { outcome: "fail", turns } as const;
    const said = (some: typeof labels) => readFirst({ rollout, labels: some, diagnostics });
    assert.deepEqual(said(labels), { turns: [0, 1, 2], because: "they show its labels" });
    assert.deepEqual(said([{ label: "mild", turns: [1] }]), { turns: [1], because: "it shows a label" });
    assert.deepEqual(said([]), {
      turns: [1, 2, 3],
      because: "no label names a turn; these have the most numbers that no earlier turn has",
    });
    assert.equal(readFirst({ rollout: { outcome: "pass", turns }, labels: [], diagnostics }), undefined);
  });

  it("are marked so that one is first, and the others follow it", () =>
    assert.deepEqual(
      [5, 6, 8].map((turn) => readMark({ turns: [5, 8] }, turn)),
      ["read this turn first", undefined, "then this one"],
    ));
});
