import assert from "node:assert/strict";
import { ask, config, reward, testsTried } from "../../../../test/support/proposals/toySearch.ts";
import type { Case } from "../../memory/cases/case.ts";
import { beliefsFrom } from "./belief.ts";

const joinedIn = ({ drafts }: Awaited<ReturnType<typeof ask>>) =>
  drafts.filter(({ joins }) => joins !== undefined);

describe("the search joins two changes", () => {
  it("where a tried one looked better, but not clearly: with changes of other factors, each edit as it was tried", async () => {
    const asked = await ask([testsTried(0.106)]);
    const turns = joinedIn(asked).find(({ spec }) => spec.name === "turns-up-with-v2");
    assert.ok(
      turns !== undefined,
      joinedIn(asked)
        .map(({ spec }) => spec.name)
        .join(", "),
    );
    assert.deepEqual(turns.spec.edit, [
      { file: reward, path: "components.tests.weight", from: 0, to: 0.25 },
      { file: config, path: "turns", from: 12, to: 24 },
    ]);
    assert.deepEqual(turns.joins?.factors, ["reward", "environment"]);
    assert.match(
      turns.spec.hypothesis.because,
      /^v2-tests looked better than v1 by \+10\.6 points \[.*\], but not clearly\. /,
    );
    assert.match(
      turns.files.find(({ path }) => path === reward)?.after ?? "",
      /tests: \{ shape: linear, weight: 0\.25 \}/,
    );
  });

  it("and tries that before other single changes, because it is expected to do more", async () => {
    const [first] = (await ask([testsTried(0.106)])).drafts;
    assert.equal(first?.joins?.version, "v2-tests");
  });

  it("not where the tried change was clear, worse, no better, of another parent, or altered at its gate", async () => {
    for (const [why, change] of [
      ["better", testsTried(0.3, { ended: "better" })],
      ["worse", testsTried(-0.3, { ended: "worse" })],
      ["quarantined", testsTried(0.3, { ended: "invalid", effect: null })],
      ["no better", testsTried(0.01)],
      ["of another parent", testsTried(0.106, { parent: "v0" })],
      ["altered", testsTried(0.106, { edits: [] })],
    ] as const)
      assert.deepEqual(joinedIn(await ask([change])), [], why);
  });

  it("even where the archive says that the tried one alone changes no advantage, because the other one may", async () => {
    const weight: Case["edits"] = [
      { type: "value", file: reward, path: "components.correctness.weight", from: 1, to: 2 },
    ];
    const names = joinedIn(await ask([testsTried(0.106, { edits: weight })])).map(({ spec }) => spec.name);
    assert.ok(names.includes("turns-up-with-v2"), names.join(", "));
  });

  it("not in a random order, and not without memory or feedback", async () => {
    for (const search of ["ranking: random", "memory: off", "feedback: off"])
      assert.deepEqual(
        joinedIn(await ask([testsTried(0.106)], { search: `search: { ${search} }\n` })),
        [],
        search,
      );
    assert.ok(
      joinedIn(await ask([testsTried(0.106)], { search: "search: { ranking: score }\n" })).length > 0,
    );
  });

  it("with a change that was inside the noise alone, and with none that was worse", async () => {
    const turns = (difference: number, ended: Case["ended"]): Case =>
      testsTried(difference, {
        ...{ version: "v3-turns-up", factor: "environment", template: "turns-up", ended },
        edits: [{ type: "value", file: config, path: "turns", from: 12, to: 24 }],
      });
    const names = async (one: Case) =>
      joinedIn(await ask([testsTried(0.106), one])).map(({ spec }) => spec.name);
    assert.ok((await names(turns(-0.01, "noise"))).includes("turns-up-with-v2"));
    assert.ok(!(await names(turns(-0.3, "worse"))).includes("turns-up-with-v2"));
  });

  it("not with one that was quarantined or worse together with another, nor alone", async () => {
    const turns: Case["edits"] = [{ type: "value", file: config, path: "turns", from: 12, to: 24 }];
    const first = testsTried(0.106);
    for (const ended of ["invalid", "worse"] as const) {
      const both = testsTried(-0.3, {
        ...{ version: "v3-turns-up-with-v2", factor: null, template: "turns-up-with-v2", ended },
        edits: [...first.edits, ...turns],
        parts: [
          { factor: "reward", template: "tests", edits: first.edits },
          { factor: "environment", template: "turns-up-with-v2", edits: turns },
        ],
      });
      const [without, asked] = [await ask([first]), await ask([first, both])];
      const names = ({ drafts }: typeof asked) => drafts.map(({ spec }) => spec.name);
      assert.ok(names(without).includes("turns-up"));
      assert.ok(!names(asked).some((name) => name.startsWith("turns-up")), names(asked).join(", "));
      assert.ok(names(asked).includes("turns-down-with-v2"));
    }
  });

  it("once, and three at most", async () => {
    const first = testsTried(0.106);
    const own: Case["edits"] = [{ type: "value", file: config, path: "turns", from: 12, to: 24 }];
    const pair = testsTried(0.12, {
      ...{ version: "v3-turns-up-with-v2", factor: null, template: "turns-up-with-v2" },
      edits: [...first.edits, ...own],
      parts: [
        { factor: "reward", template: "tests", edits: first.edits },
        { factor: "environment", template: "turns-up-with-v2", edits: own },
      ],
    });
    const asked = joinedIn(await ask([first, pair]));
    assert.ok(!asked.some(({ spec }) => spec.name === "turns-up-with-v2"));
    const three = asked.find(({ spec }) => spec.name === "kl-up-with-v3");
    assert.deepEqual(three?.joins?.factors, ["reward", "environment", "optimisation"]);
    const kl: Case["edits"] = [{ type: "value", file: config, path: "kl", from: 0.1, to: 0.2 }];
    const all = { ...pair, version: "v4-kl-up-with-v3", edits: [...pair.edits, ...kl] };
    const parts = [...(pair.parts ?? []), { factor: "optimisation" as const, template: null, edits: kl }];
    const after = joinedIn(await ask([{ ...all, parts, effect: pair.effect }]));
    assert.deepEqual(after, []);
  });
});

describe("what is believed of two changes together", () => {
  const turns: Case["edits"] = [{ type: "value", file: config, path: "turns", from: 12, to: 24 }];
  const ofTurns = { factor: "environment" as const, template: "turns-up", edits: turns };
  const ofTests = { factor: "reward" as const, template: "tests", edits: testsTried(0).edits };
  const unknown = { triggers: ["low-score"], declared: null, backtest: null };

  it("is the sum of what is believed of each, and less certain than either", () => {
    const believe = beliefsFrom([testsTried(0.106)]);
    const [pair, alone] = [
      believe({ ...unknown, parts: [ofTests, ofTurns] }),
      believe({ ...unknown, parts: [ofTurns] }),
    ];
    assert.ok(pair.mean > alone.mean && pair.sd > alone.sd, JSON.stringify({ pair, alone }));
  });

  it("takes a version that made both as evidence of both", () => {
    const both = testsTried(0.2, {
      factor: null,
      edits: [...ofTests.edits, ...turns],
      parts: [ofTests, ofTurns],
    });
    const before = beliefsFrom([])({ ...unknown, parts: [ofTurns] });
    const after = beliefsFrom([both])({ ...unknown, parts: [ofTurns] });
    assert.ok(after.mean > before.mean, JSON.stringify({ before, after }));
  });
});
