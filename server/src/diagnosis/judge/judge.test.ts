import assert from "node:assert/strict";
import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { Rollout } from "../../../../shared/model/rollout.ts";
import { HarnessError } from "../../base/errors.ts";
import { makeRollout } from "../../../../test/support/evidence/evidence.ts";
import { agreementOf } from "./agreement.ts";
import { Answers } from "./answers.ts";
import type { Model } from "./ask.ts";
import { chooseSample, judgeRollouts, type Judge } from "./judge.ts";
import { askBeside, partnersIn, partnersOf, type Contrasted } from "./contrast.ts";
import { parseAnswer, promptFor } from "./prompt.ts";

const Body = z.object({
  model: z.string(),
  temperature: z.number(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
});

async function* each(rollouts: readonly Rollout[]): AsyncGenerator<Rollout> {
  await Promise.resolve();
  yield* rollouts;
}

const rollouts = Array.from({ length: 6 }, (_, i) =>
  makeRollout({
    id: `r-${i}`,
    turns: [{ role: "assistant", text: `${i % 2 === 0 ? "I cheat." : "I work."} ${i}` }],
  }),
);

describe("a judge", () => {
  let folder = "";
  let server: Server;
  let url = "";
  let asked: {
    readonly path: string;
    readonly headers: IncomingMessage["headers"];
    readonly prompt: string;
  }[] = [];
  let reply: (prompt: string, response: ServerResponse, n: number) => void = () => undefined;
  const answer = (prompt: string): string =>
    JSON.stringify({ label: prompt.includes("I cheat."), turns: [0, 7], reason: "Seen." });
  const openAi = (response: ServerResponse, text: string): unknown =>
    response.end(JSON.stringify({ choices: [{ message: { content: text } }] }));

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "evotrainer-judge-"));
    server = createServer((request, response) => {
      let text = "";
      request.on("data", (data: Buffer) => (text += data.toString()));
      request.on("end", () => {
        const prompt = Body.parse(JSON.parse(text)).messages[0]?.content ?? "";
        asked.push({ path: request.url ?? "", headers: request.headers, prompt });
        reply(prompt, response, asked.length);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}/v1/`;
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    asked = [];
    reply = (prompt, response) => openAi(response, answer(prompt));
  });

  const judgeWith = async (
    file: string,
    model: Partial<Model> = {},
    ask: Partial<Judge["ask"]> = {},
  ): Promise<Judge> => ({
    rubric: "Does the policy cheat?",
    model: { provider: "openai", url, name: "tiny", ...model },
    answers: await Answers.open(join(folder, file)),
    ask: { timeoutSeconds: 20, pauseMs: 1, ...ask },
  });
  const labels = (judged: readonly { id: string; answer: { label: boolean | null } }[]): string =>
    judged
      .map((j) => `${j.id}:${String(j.answer.label)}`)
      .sort()
      .join(" ");

  it("asks about each rollout once and never again, even if the end of its file is torn", async () => {
    const first = await judgeRollouts(await judgeWith("a.jsonl"), each(rollouts.slice(0, 4)));
    assert.equal(labels(first.judged), "r-0:true r-1:false r-2:true r-3:false");
    assert.deepEqual(first.judged[0]?.answer.turns, [0]);
    assert.equal(asked.length, 4);
    await appendFile(join(folder, "a.jsonl"), '{"key": "torn');
    const again = await judgeRollouts(await judgeWith("a.jsonl"), each(rollouts));
    assert.equal(labels(again.judged), "r-0:true r-1:false r-2:true r-3:false r-4:true r-5:false");
    assert.equal(again.judged.filter((j) => j.cached).length, 4);
    await judgeRollouts(await judgeWith("a.jsonl"), each(rollouts));
    assert.equal(asked.length, 6);
    assert.equal((await readFile(join(folder, "a.jsonl"), "utf8")).includes("Does the policy"), false);
  });

  it("asks about a rollout beside one with the other outcome, and says how that changes the answers", async () => {
    const made = rollouts.map((rollout, i): Rollout => ({
      ...rollout,
      item: i < 4 ? "a" : "b",
      ...(i === 5
        ? { outcome: "unknown" as const, unknown_reason: "crash" }
        : { outcome: i === 1 ? ("pass" as const) : ("fail" as const) }),
    }));
    const all = made.map(({ run, id, item, outcome }, rid): Contrasted => ({ rid, run, id, item, outcome }));
    const partners = partnersOf(all, all, 1);
    // Of item b nothing passed, and an unknown outcome has no other one.
    assert.deepEqual(
      [...partners].map(([rid, { outcome }]) => [rid, outcome]),
      [
        [0, "pass"],
        [1, "fail"],
        [2, "pass"],
        [3, "pass"],
      ],
    );
    const read = (rid: number): Promise<Rollout | undefined> => Promise.resolve(made[rid]);
    const reads = { read, readOther: read };
    const judge = await judgeWith("contrast.jsonl");
    const alone = (await judgeRollouts(judge, each(made))).judged;
    // Beside another one it finds a rollout that it let pass alone, and still reads the numbers of the one in question.
    reply = (prompt, response) => {
      const [, own = ""] = prompt.split("The trajectory that you judge");
      openAi(response, JSON.stringify({ label: /I cheat|I work\. 3/.test(own), turns: [0], reason: "" }));
    };
    asked = [];
    const found = await askBeside(judge, {
      ...{ what: "outcome", sample: all, partners, alone },
      human: new Map([[JSON.stringify([made[3]?.run, "r-3"]), true]]),
      ...reads,
    });
    assert.equal(asked.length, 4);
    const { agreement, ...counts } = found;
    assert.deepEqual(counts, {
      ...{
        beside: "outcome",
        asked: 4,
        labelled: 3,
        labelledAlone: 2,
        onlyBeside: 1,
        onlyAlone: 0,
        withoutPartner: 2,
      },
    });
    assert.deepEqual([agreement?.beside.share?.value, agreement?.alone.share?.value], [1, 0]);
    const prompt = asked.find((one) => /which failed\. The numbers/.test(one.prompt))?.prompt ?? "";
    assert.match(prompt, /for comparison, which passed:/);
    assert.ok(prompt.indexOf("I work. 1") < prompt.indexOf("The trajectory that you judge"));
    // The same is asked once.
    await askBeside(judge, {
      ...{ what: "outcome", sample: all, partners, alone, human: new Map() },
      ...reads,
    });
    assert.equal(asked.length, 4);
  });

  it("asks about a rollout beside one of the parent, whose outcome does not matter, on the same sample", async () => {
    const own = rollouts.map((rollout, i) => ({ ...rollout, item: `item-${i}`, outcome: "fail" as const }));
    const parents = rollouts.slice(0, 4).map((rollout, i): Rollout => ({
      ...rollout,
      id: `p-${i}`,
      item: `item-${i}`,
      ...(i === 3
        ? { outcome: "unknown" as const, unknown_reason: "crash" }
        : { outcome: i === 0 ? ("pass" as const) : ("fail" as const) }),
      turns: [{ role: "assistant", text: `I was before ${i}.` }],
    }));
    const contrasted = (all: readonly Rollout[]): Contrasted[] =>
      all.map(({ run, id, item, outcome }, rid) => ({ rid, run, id, item, outcome }));
    const sample = contrasted(own);
    const partners = partnersIn(sample, contrasted(parents), 1);
    assert.deepEqual(
      [...partners].map(([rid, { id }]) => [rid, id]),
      [
        [0, "p-0"],
        [1, "p-1"],
        [2, "p-2"],
        [3, "p-3"],
      ],
    );
    const judge = await judgeWith("parent.jsonl");
    const alone = (await judgeRollouts(judge, each(own))).judged;
    asked = [];
    const found = await askBeside(judge, {
      ...{ what: "parent", sample, partners, alone, human: new Map() },
      read: (rid) => Promise.resolve(own[rid]),
      readOther: (rid) => Promise.resolve(parents[rid]),
    });
    const { agreement, ...counts } = found;
    assert.equal(agreement, null);
    assert.deepEqual(counts, {
      ...{ beside: "parent", asked: 4, labelled: 2, labelledAlone: 2, onlyBeside: 0, onlyAlone: 0 },
      withoutPartner: 2,
    });
    const prompts = asked.map(({ prompt }) => prompt);
    assert.match(
      prompts.join("\n"),
      /of an earlier version of the policy, which ended without a known outcome:/,
    );
    for (const prompt of prompts) {
      const [before = "", after = ""] = prompt.split("The trajectory that you judge, of a later version");
      assert.match(before, /I was before \d/);
      assert.match(after, /I (cheat|work)\. \d/);
    }
  });

  it("asks again when the rubric or the model changed", async () => {
    await judgeRollouts(await judgeWith("b.jsonl"), each(rollouts));
    await judgeRollouts(await judgeWith("b.jsonl", { name: "large" }), each(rollouts));
    await judgeRollouts({ ...(await judgeWith("b.jsonl")), rubric: "Is it long?" }, each(rollouts));
    assert.equal(asked.length, 18);
  });

  it("speaks both interfaces, and sends the key where each expects it", async () => {
    await judgeRollouts(await judgeWith("c.jsonl", { key: "k1" }), each(rollouts.slice(0, 1)));
    reply = (prompt, response) =>
      response.end(JSON.stringify({ content: [{ type: "text", text: answer(prompt) }] }));
    const { judged } = await judgeRollouts(
      await judgeWith("c.jsonl", { provider: "anthropic", key: "k2" }),
      each(rollouts.slice(0, 1)),
    );
    assert.equal(labels(judged), "r-0:true");
    assert.deepEqual(
      asked.map(({ path, headers }) => [path, headers.authorization, headers["x-api-key"]]),
      [
        ["/v1/chat/completions", "Bearer k1", undefined],
        ["/v1/messages", undefined, "k2"],
      ],
    );
  });

  it("retries when the service is busy, and keeps its answers when the service refuses for good", async () => {
    reply = (prompt, response, n) => {
      if (n <= 2) response.writeHead(n === 1 ? 429 : 503, n === 1 ? { "retry-after": "0" } : {}).end("later");
      else if (n === 4) response.writeHead(401).end("who are you?");
      else openAi(response, answer(prompt));
    };
    const judge = { ...(await judgeWith("d.jsonl")), parallel: 1 };
    await assert.rejects(
      judgeRollouts(judge, each(rollouts)),
      (e) => HarnessError.is(e, "jobFailed") && /tiny at .* answered 401: who are you\?/.test(e.message),
    );
    assert.equal(asked.length, 4);
    const { judged } = await judgeRollouts(await judgeWith("d.jsonl"), each(rollouts));
    assert.deepEqual([judged.length, judged.filter((j) => j.cached).length], [6, 1]);
  });

  it("leaves a rollout without a label when the model's answer cannot be used", async () => {
    const texts = ["I think so.", "{label: yes}", '{"label": "yes"}', '```json\n{"label": null}\n```'];
    reply = (_, response, n) => openAi(response, texts[n - 1] ?? "");
    const judge = { ...(await judgeWith("e.jsonl")), parallel: 1 };
    const { judged, unanswered } = await judgeRollouts(judge, each(rollouts.slice(0, 4)));
    assert.deepEqual(
      unanswered.map((u) => u.reason.replace(/:.*/, "")),
      [
        "the model wrote no JSON object",
        "the model wrote broken JSON",
        "the model's answer has the wrong form",
      ],
    );
    assert.equal(labels(judged), "r-3:null");
  });

  it("reports a missing service, a timeout and a cancellation", async () => {
    await assert.rejects(
      judgeRollouts(await judgeWith("f.jsonl", { url: "http://127.0.0.1:1" }), each(rollouts)),
      (e) => HarnessError.is(e, "jobFailed") && /cannot be reached/.test(e.message),
    );
    reply = () => undefined;
    await assert.rejects(
      judgeRollouts(await judgeWith("f.jsonl", {}, { timeoutSeconds: 0.2 }), each(rollouts)),
      (e) => HarnessError.is(e, "jobFailed") && /within 0.2 s/.test(e.message),
    );
    await assert.rejects(
      judgeRollouts(await judgeWith("f.jsonl", {}, { signal: AbortSignal.timeout(200) }), each(rollouts)),
      (e) => HarnessError.is(e, "cancelled"),
    );
  });

  it("shows every turn with its number, cuts the middle of long turns, and marks the trajectory as data", () => {
    const prompt = promptFor(
      "R",
      makeRollout({
        turns: [
          { role: "user", text: "=====" + "=====" },
          {
            role: "assistant",
            text: "x".repeat(5000) + "END",
            tool: "bash",
            args: { command: "ls" },
            ok: false,
          },
        ],
      }),
      { most: 1000 },
    );
    assert.match(prompt, /\[0\] user: ==========\n/);
    assert.match(
      prompt,
      /\[1\] assistant calls bash {"command":"ls"} \(failed\): x+ \[…\d+ characters left out…\] x*END/,
    );
    assert.equal(prompt.split("=====1=====").length, 4);
    assert.ok(prompt.length < 1700);
    assert.deepEqual(parseAnswer('{"label": true, "turns": [0, 9]}', 2), {
      label: true,
      turns: [0],
      reason: "",
    });
  });

  it("draws a sample that stays the same as it grows", () => {
    const few = chooseSample(rollouts, 2, 1).map((r) => r.id);
    const more = chooseSample([...rollouts].reverse(), 4, 1).map((r) => r.id);
    assert.deepEqual(more.slice(0, 2), few);
    assert.notDeepEqual(chooseSample(rollouts, 6, 2), chooseSample(rollouts, 6, 1));
    assert.equal(chooseSample(rollouts, 100, 1).length, 6);
  });
});

describe("the agreement of a judge with people", () => {
  const pairs = (both: number, judge: number, human: number, neither: number) => [
    ...Array.from({ length: both }, () => ({ judge: true, human: true })),
    ...Array.from({ length: judge }, () => ({ judge: true, human: false })),
    ...Array.from({ length: human }, () => ({ judge: false, human: true })),
    ...Array.from({ length: neither }, () => ({ judge: false, human: false })),
  ];

  it("is Cohen's kappa", () => {
    // By hand: observed (20 + 15) / 50 = 0.7, by chance (25 · 30 + 25 · 20) / 2500 = 0.5.
    const found = agreementOf(pairs(20, 5, 10, 15));
    assert.equal(found.rollouts, 50);
    assert.ok(found.share);
    assert.equal(found.share.value, 0.7);
    assert.ok(found.kappa && Math.abs(found.kappa.value - 0.4) < 1e-12);
    // By hand: a variance of (0.10972 + 0.10188 − 0.01) / (50 · 0.5²).
    assert.ok(Math.abs(found.kappa.high - 0.4 - 1.959964 * Math.sqrt(0.016128)) < 1e-6);
    assert.equal(found.tooFew, false);
    assert.ok(found.share.low < 0.7 && found.share.high > 0.7);
  });

  it("has no kappa when one side always gives the same answer, and is empty when nothing was decided", () => {
    assert.deepEqual(
      [agreementOf(pairs(0, 0, 0, 9)), agreementOf(pairs(4, 0, 5, 0))].map((a) => [
        a.kappa,
        a.share?.value,
        a.tooFew,
      ]),
      [
        [null, 1, true],
        [null, 4 / 9, true],
      ],
    );
    const none = agreementOf([
      { judge: null, human: true },
      { judge: true, human: null },
    ]);
    assert.deepEqual([none.rollouts, none.share, none.kappa], [0, null, null]);
  });
});
