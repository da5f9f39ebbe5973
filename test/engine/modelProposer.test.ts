import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { calls, handsOver, startModelServer, words, type Reply } from "../support/proposers/modelServer.ts";
import { booksWith, makeProposerProject, questionIn, type AskedOf } from "./proposerQuestion.ts";
import type { ModelPrice } from "../../shared/spec/proposer.ts";
import { HarnessError } from "../../server/src/base/errors.ts";
import { withOwnedSurfaces } from "../../server/src/project/ownedSurfaces.ts";
import type { Idea } from "../../server/src/proposals/draft.ts";
import type { ProposerQuestion } from "../../server/src/proposals/proposers/proposer.ts";
import { openModel, type ModelTuning } from "../../server/src/proposals/model/callModel.ts";
import { modelProposer } from "../../server/src/proposals/model/modelProposer.ts";

const key = "sk-very-secret-0123456789";
const prompt = { path: "prompts/own.md", text: "Propose.", sha256: "0".repeat(64) };

const linear = {
  name: "linear-shape",
  because: "Most groups have one reward.",
  factor: "reward",
  edit: [{ file: "harness/toy.yaml", path: "shape", from: "flat", to: "linear" }],
  targets: ["low-score"],
  fixes: ["echo-trap"],
  atLeast: 0.02,
};
const editing = (file: string, path: string, from: unknown, to: unknown, more: object = {}) => ({
  ...{ ...linear, name: "other", edit: [{ file, path, from, to }] },
  ...more,
});
const patching = (path: string, factor = "environment") => ({
  ...linear,
  ...{ name: "patched", factor },
  edit: [{ patch: `--- a/${path}\n+++ b/${path}\n@@ -1,1 +1,1 @@\n-old\n+new\n` }],
});

interface Options {
  readonly question?: Partial<ProposerQuestion>;
  readonly tokens?: number;
  readonly own?: object;
  readonly tuning?: ModelTuning;
  readonly timeoutSeconds?: number;
  readonly price?: ModelPrice;
}

describe("a language model that proposes", function () {
  this.timeout(60_000);
  let root = "";
  let of: AskedOf;
  const servers: { close(): Promise<void> }[] = [];
  before(async () => {
    root = makeProposerProject();
    of = await questionIn(root);
  });
  after(() => rmSync(root, { recursive: true, force: true }));
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  const ask = async (script: readonly Reply[], options: Options = {}) => {
    const server = await startModelServer(...script);
    servers.push(server);
    const { kept, books } = booksWith(options);
    const { timeoutSeconds = 20, tuning = {}, price } = options;
    const model = { provider: "openai", url: server.url, name: "scripted", key } as const;
    const proposer = modelProposer({
      spec: {
        ...{ name: "clever", kind: "model", model: "m", steps: 8, tokens: 400_000, answerTokens: 1000 },
        feedback: "on",
        ...options.own,
      },
      ...{ prompt, price },
      open: () => openModel({ model, timeoutSeconds, parallel: 1 }, { pauseMs: 1, ...tuning }),
      books: () => Promise.resolve(books),
    });
    const question = { ...of.question, ...options.question };
    let ideas: readonly Idea[] = [];
    let [message, reason] = ["", "none"];
    try {
      ideas = await proposer.propose(question, new AbortController().signal);
    } catch (e) {
      if (!HarnessError.is(e)) throw e;
      ({ message, reason } = e);
    }
    return { ideas, message, reason, kept, asked: server.asked };
  };
  const names = (ideas: readonly Idea[]): string[] => ideas.map(({ spec }) => spec.name);

  it("reads with tools, hands over drafts, and is in the books with its tokens and its price", async () => {
    const { ideas, asked, kept } = await ask(
      [calls({ name: "evotrainer_lineage", args: { version: "v1" } }), handsOver(linear)],
      { price: { currency: "EUR", input: 1, output: 10 } },
    );
    const [idea] = ideas;
    assert.ok(idea !== undefined && ideas.length === 1);
    assert.deepEqual(idea.spec.predicts, { fixes: ["echo-trap"], risks: [] });
    assert.equal(idea.finding, "low-score");
    assert.deepEqual(
      asked.map(({ path, authorization }) => [path, authorization]),
      [
        ["/v1/chat/completions", `Bearer ${key}`],
        ["/v1/chat/completions", `Bearer ${key}`],
      ],
    );
    const [first, second] = asked;
    assert.ok(first !== undefined);
    assert.equal(first.max_tokens, 1000);
    assert.deepEqual(
      first.tools?.map((t) => t.function.name),
      ["evotrainer_lineage", "hand_over_drafts"],
    );
    assert.match(JSON.stringify(first.messages), /look at the shape.*shape: flat.*You solve tasks/s);
    assert.doesNotMatch(JSON.stringify(first.messages), /audit-\d/);
    assert.match(JSON.stringify(second?.messages.at(-1)), /evotrainer_lineage .*v1/);
    assert.deepEqual([kept.calls, kept.tokens, kept.money], [2, 2200, 0.004]);
    assert.deepEqual(kept.ended, {
      drafts: ["linear-shape"],
      model: "scripted",
      outcome: "1 of 1 draft passed the checks.",
      prompt: `prompts/own.md ${prompt.sha256}`,
    });
    assert.doesNotMatch(kept.traced, new RegExp(key));
  });

  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    ["a path that leaves the project", editing("../../etc/passwd", "a", 1, 2), /stays inside the project/],
    ["a file of git", patching(".git/config"), /\.git\/config must stay as it is/],
    [
      "a file of git as values",
      editing(".git/config", "a", 1, 2),
      /\.git\/config, which the parent does not have/,
    ],
    ["the evaluator", patching("trainer.mjs"), /trainer\.mjs must stay as it is/],
    ["the audit split", patching("data/audit.jsonl"), /data\/audit\.jsonl must stay as it is/],
    ["the project's own file", patching("evotrainer.yaml"), /evotrainer\.yaml must stay as it is/],
    ["the ledger", patching(".evotrainer/loop.json"), /\.evotrainer\/loop\.json must stay as it is/],
    [
      "another value than the one that is there",
      editing("harness/toy.yaml", "shape", "round", "linear"),
      /expects other content/,
    ],
    ["a value on no surface", editing("harness/toy.yaml", "step_ms", 30, 1), /not on a declared surface/],
    ["another factor", editing("harness/toy.yaml", "history", "hidden", "visible"), /belongs to environment/],
    ["a wrong type", { ...linear, edit: "all of it" }, /wrong form: edit/],
    ["a number for a name", { ...linear, name: 7 }, /draft 1 has the wrong form: name/],
    ["no edits", { ...linear, edit: [] }, /wrong form: edit/],
    ["nothing at all", null, /draft 1 has the wrong form/],
  ];
  for (const [what, draft, why] of refused)
    it(`is told why it may not propose ${what}, and then refused by name`, async () => {
      const { ideas, message, reason, asked, kept } = await ask([handsOver(draft)]);
      assert.deepEqual(names(ideas), []);
      assert.equal(reason, "specInvalid");
      assert.match(message, /^clever handed over nothing that can be used/);
      assert.match(message, why);
      assert.equal(asked.length, 3, "it was sent back twice");
      assert.match(JSON.stringify(asked[1]?.messages.at(-1)), /Not all of this can be used/);
      assert.match(kept.ended?.outcome ?? "", why);
    });

  it("may correct itself, and keeps what is sound of its answer", async () => {
    const bad = editing("harness/toy.yaml", "step_ms", 30, 1);
    const corrected = await ask([handsOver(bad), handsOver(linear)]);
    assert.deepEqual([names(corrected.ideas), corrected.asked.length], [["linear-shape"], 2]);
    const stubborn = await ask([handsOver(linear, bad)]);
    assert.deepEqual([names(stubborn.ideas), stubborn.asked.length], [["linear-shape"], 3]);
    assert.match(stubborn.kept.ended?.outcome ?? "", /1 of 2 drafts passed the checks\. other is refused/);
  });

  it("may answer in words that hold the JSON, and is told when they do not", async () => {
    const inWords = await ask([words(`Here it is:\n${JSON.stringify({ drafts: [linear] })}\nBye.`)]);
    assert.deepEqual(names(inWords.ideas), ["linear-shape"]);
    const chatting = await ask([words("I would rather talk."), handsOver(linear)]);
    assert.match(JSON.stringify(chatting.asked[1]?.messages.at(-1)), /in words only/);
    assert.deepEqual(names(chatting.ideas), ["linear-shape"]);
  });

  it("proposes no more than it was asked for", async () => {
    const drafts = Array.from({ length: 5 }, (_, i) => ({ ...linear, name: `n${i}` }));
    const { ideas } = await ask([handsOver(...drafts)], { question: { count: 2 } });
    assert.deepEqual(names(ideas), ["n0", "n1"]);
  });

  it("cannot write control codes for a terminal into what people read", async () => {
    const { ideas } = await ask([handsOver({ ...linear, because: "\u001b[2Jgood\u202e" })]);
    const [idea] = ideas;
    assert.deepEqual(
      [idea?.because, idea?.spec.hypothesis.because],
      ["\\x1b[2Jgood\\u202e", "\\x1b[2Jgood\\u202e"],
    );
  });

  it("that owns some surfaces is refused the others, and how evidence is read", async () => {
    const spec = withOwnedSurfaces(of.question.project.spec, { name: "clever", owns: ["optimisation"] });
    const project = { ...of.question.project, spec };
    const { message } = await ask([handsOver(linear)], { question: { project } });
    assert.match(message, /shape in harness\/toy\.yaml is not on a declared surface/);
    const leak = editing("harness/diagnostics/leak.diagnostic.yaml", "alert.above", 0.1, 0.2, {
      factor: "diagnostics",
    });
    const own = await ask([handsOver(leak)], { question: { project } });
    assert.match(own.message, /not on a declared surface/);
    assert.deepEqual(names((await ask([handsOver(leak)])).ideas), ["other"]);
    assert.throws(
      () => withOwnedSurfaces(of.question.project.spec, { name: "clever", owns: ["rewards"] }),
      /owns rewards, but no surface .* Did you mean reward/,
    );
  });

  describe("behind a server that", () => {
    it("refuses for a while is asked again when it says", async () => {
      const busy: Reply = { type: "raw", status: 429, headers: { "retry-after": "0" }, text: "{}" };
      const { ideas, asked } = await ask([busy, busy, handsOver(linear)], { tuning: { pauseMs: 600_000 } });
      assert.deepEqual([names(ideas), asked.length], [["linear-shape"], 3]);
    });
    it("refuses for ever is given up by name, without the key that it repeats", async () => {
      const { message, asked } = await ask([
        { type: "raw", status: 429, text: JSON.stringify({ error: { message: `no, ${key}` } }) },
      ]);
      assert.equal(asked.length, 5);
      assert.match(message, /scripted at http:.* answered 429: no, <key>/);
    });
    it("hangs is given up, and what it may have cost is in the books", async () => {
      const { message, kept } = await ask([{ type: "hang" }], { timeoutSeconds: 0.3 });
      assert.match(message, /did not answer within 0\.3 s/);
      assert.ok(kept.calls === 1 && kept.tokens > 100, `${kept.tokens} tokens`);
    });
    it("never stops sending is given up", async () => {
      const { message } = await ask([{ type: "flood" }], { tuning: { bodyBytes: 1024 * 1024 } });
      assert.match(message, /answered with more than 1048576 bytes/);
    });
    it("redirects elsewhere is not followed", async () => {
      const { reason, asked } = await ask([
        { type: "raw", status: 307, headers: { location: "/v1/chat/completions?again" }, text: "" },
      ]);
      assert.equal(asked.length, 1);
      assert.equal(reason, "jobFailed");
    });
    for (const text of [
      "not JSON",
      "{}",
      '{"choices":[]}',
      "[1,2]",
      '{"choices":[{"message":{"role":"x","content":{}}}]}',
    ])
      it(`answers ${text} is given up by name`, async () => {
        const { message, reason } = await ask([{ type: "raw", text }]);
        assert.equal(reason, "jobFailed");
        assert.match(message, /^The model scripted at .* gave an answer that does not fit its interface/);
      });
    it("calls its tools with what is no JSON, or tools that are not there, ends after three tries", async () => {
      const garbled = await ask([calls({ name: "hand_over_drafts", args: '{"drafts": [' })]);
      assert.equal(garbled.asked.length, 3);
      assert.match(garbled.message, /nothing that can be used/);
      const unknown = await ask([calls({ name: "rm", args: {} }), handsOver(linear)]);
      assert.deepEqual(names(unknown.ideas), ["linear-shape"]);
    });
    it("never hands anything over ends with its last call", async () => {
      const { message, asked } = await ask([calls({ name: "evotrainer_lineage", args: {} })], {
        own: { steps: 4 },
      });
      assert.equal(asked.length, 4);
      assert.match(JSON.stringify(asked[3]?.messages.at(-1)), /This is your last call/);
      assert.match(message, /handed over no drafts in 4 calls/);
    });
    it("counts no tokens, or lies about them, is counted by the characters", async () => {
      for (const usage of [{}, { prompt_tokens: -5, completion_tokens: -7 }, { prompt_tokens: 1e300 }]) {
        const { kept } = await ask([words(JSON.stringify({ drafts: [linear] }), usage)]);
        assert.ok(kept.tokens > 100 && kept.tokens < 20_000, `${JSON.stringify(usage)}: ${kept.tokens}`);
      }
    });
  });

  it("is not called when a budget is spent, and no further than the budget goes", async () => {
    const none = await ask([handsOver(linear)], { tokens: 0 });
    assert.deepEqual([none.asked.length, none.reason], [0, "budgetSpent"]);
    const some = await ask([calls({ name: "evotrainer_lineage", args: {} })], { tokens: 7000 });
    assert.ok(some.asked.length > 0 && some.asked.length < 8, `${some.asked.length} calls`);
    assert.match(some.message, /clever was not asked: the budget of 7000 tokens/);
    const own = await ask([handsOver(linear)], { own: { tokens: 1500 } });
    assert.deepEqual([own.asked.length, own.reason], [0, "budgetSpent"]);
    assert.match(own.message, /`tokens` of this proposer allows 1500/);
  });
});
