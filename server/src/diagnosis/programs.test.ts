import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { Readable } from "node:stream";
import { z } from "zod";
import { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { HarnessError } from "../base/errors.ts";
import { skipBecause } from "../../../test/support/base/skip.ts";
import { forget } from "../evidence/ingest/retention.ts";
import { ingestFile } from "../evidence/ingest/ingest.ts";
import { readRollout } from "../evidence/queries/readRollout.ts";
import type { LabelTally } from "../../../shared/model/labelShare.ts";
import type { Store } from "../evidence/archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../test/support/evidence/evidence.ts";
import { runAnalyzer } from "./analyzer.ts";
import { countLabels } from "./countLabels.ts";
import { diagnose, type Diagnosis } from "./diagnose.ts";
import { addHumanLabel, humanLabelsPath } from "./judge/humanLabels.ts";
import type { LabelPrograms } from "./label/labelPrograms.ts";

const scope = { split: "selection", version: "v1" } as const;
/** Even ones cheat, in their second turn; the program cannot tell of those that end on 9. */
const many = 40;

/** Writes down how many rollouts it was given at a time, and with which fields. */
const program = `
const { appendFileSync } = require("node:fs");
const rollouts = [];
require("node:readline").createInterface({ input: process.stdin })
  .on("line", (l) => rollouts.push(JSON.parse(l)))
  .on("close", () => {
    appendFileSync("calls.txt", rollouts.length + " " + Object.keys(rollouts[0]).sort().join(",") + "\\n");
    for (const { run, id, turns } of rollouts) {
      if (id.endsWith("8")) continue;
      const label = id.endsWith("9") ? null : turns[1].text.includes("cheat");
      console.log(JSON.stringify({ run, id, label, turns: label ? [1, 99] : [] }));
    }
  });
`;

const spec = (name: string, label: object, more: object = {}): DiagnosticSpec =>
  DiagnosticSpec.parse({ apiVersion: "evotrainer/v1", kind: "Diagnostic", name, label, ...more });
const analyzer = (more: object = {}): DiagnosticSpec =>
  spec("cheats", {
    analyzer: { command: [process.execPath, "cheats.cjs"], files: ["cheats.cjs"], reads: ["turns"], ...more },
  });

describe("programs and judges among the diagnostics", () => {
  let workspace: Workspace;
  let store: Store;
  let server: Server;
  let url = "";
  let questions = 0;
  const countOf = async (of: DiagnosticSpec): Promise<LabelTally> => {
    const count = (await countLabels(store, [of], scope)).get(of.name);
    assert.ok(count);
    return count;
  };
  const storedLabels = async (): Promise<unknown[]> =>
    (
      await store.query({
        sql: "SELECT l.label FROM labels l JOIN rollouts r USING (rid) WHERE r.version = 'v1' GROUP BY l.label, l.revision",
        params: [],
      })
    ).map((row) => row["label"]);
  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
    for (const [version, count] of [
      ["v1", many],
      ["v2", 5],
    ] as const) {
      const rollouts = Array.from({ length: count }, (_, i) =>
        makeRollout({
          id: `r-${i}`,
          run: version,
          split: "selection",
          item: `item-${i}`,
          turns: [
            { role: "user", text: "Do it." },
            { role: "assistant", text: `${i % 2 === 0 ? "I cheat." : "I work."} ${i}` },
          ],
        }),
      );
      const path = workspace.file(`${version}.jsonl`);
      await writeFile(path, rollouts.map(toLine).join(""));
      await ingestFile(store, { path, kind: "rollouts", version, run: version });
    }
    await writeFile(workspace.file("cheats.cjs"), program);
    server = createServer((request, response) => {
      let text = "";
      request.on("data", (data: Buffer) => (text += data.toString()));
      request.on("end", () => {
        questions++;
        const prompt = z
          .object({ messages: z.array(z.object({ content: z.string() })) })
          .parse(JSON.parse(text)).messages[0]?.content;
        const label = prompt?.includes("I cheat.") === true;
        const content = JSON.stringify({
          label,
          turns: label ? [1] : [],
          reason: label ? "It says so." : "",
        });
        response.end(JSON.stringify({ choices: [{ message: { content } }] }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}/v1`;
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await workspace.remove();
  });

  const outside = (more: Partial<LabelPrograms> = {}): LabelPrograms => ({
    root: workspace.root,
    engineFolder: join(workspace.root, ".evotrainer"),
    refused: null,
    models: {},
    environment: { EVOTRAINER_MODEL_URL: url, EVOTRAINER_MODEL: "tiny" },
    ...more,
  });
  const run = (
    diagnostics: readonly DiagnosticSpec[],
    more: Partial<LabelPrograms> = {},
    version = "v1",
  ): Promise<Diagnosis> =>
    diagnose(store, { version, domain: "swe", aggregator: "micro", diagnostics, outside: outside(more) });
  const calls = async (): Promise<string[]> =>
    (await readFile(workspace.file("calls.txt"), "utf8").catch(() => "")).trim().split("\n").filter(Boolean);

  describe("an analyzer", () => {
    it("does not run in an untrusted workspace, and the diagnosis says so", async () => {
      const { labels, notRun } = await run([analyzer()], { refused: "this workspace is not trusted." });
      assert.deepEqual(labels, []);
      assert.deepEqual(notRun, [
        {
          name: "cheats",
          message: `cheats was not run over ${many} rollouts: this workspace is not trusted.`,
        },
      ]);
      assert.deepEqual(await calls(), []);
    });

    it("labels rollouts with the turns that it names; a rollout that it cannot judge or leaves out has no value", async () => {
      const { labels, notRun } = await run([analyzer()]);
      assert.deepEqual(notRun, []);
      // 20 are even, of which those that end on 8 are left out; those that end on 9 are not told.
      assert.deepEqual(
        labels.map(({ name, labelled, undecided, rollouts }) => [name, labelled, undecided, rollouts]),
        [["cheats", 16, 8, many]],
      );
      const { labels: stored } = await readRollout(store, { within: "v1", id: "r-2" });
      assert.deepEqual(stored, [{ label: "cheats", revision: labels[0]?.revision, turns: [1] }]);
      assert.deepEqual(await calls(), [`${many} id,run,turns`]);
    });

    it("does not run again, because its labels are stored", async () => {
      const { labels, notRun } = await run([analyzer()], { refused: "this workspace is not trusted." });
      assert.deepEqual([labels[0]?.labelled, notRun, (await calls()).length], [16, [], 1]);
      assert.equal((await countOf(analyzer())).labelled, 16);
    });

    it("runs over new rollouts only, and over all when the program or its arguments changed", async () => {
      await run([analyzer()], {}, "v2");
      await run([analyzer({ timeoutSeconds: 60 })]);
      assert.deepEqual((await calls()).slice(1), ["5 id,run,turns"]);
      await writeFile(workspace.file("cheats.cjs"), `${program}\n// changed\n`);
      await run([analyzer()]);
      assert.deepEqual((await calls()).slice(2), [`${many} id,run,turns`]);
      const more = analyzer({ reads: ["turns", "outcome"] });
      assert.equal((await countOf(more)).undecided, many);
      await run([more]);
      assert.deepEqual((await calls()).slice(3), [`${many} id,outcome,run,turns`]);
      assert.equal((await storedLabels()).filter((label) => label === "cheats").length, 1);
    });

    it("that fails does not stop the rest of the diagnosis", async () => {
      const { labels, notRun } = await run([
        analyzer({ command: [process.execPath, "-e", "process.exit(3)"] }),
        spec("any", { when: "n_turns > 0" }),
      ]);
      assert.deepEqual(
        labels.map((l) => [l.name, l.labelled]),
        [["any", many]],
      );
      assert.match(notRun[0]?.message ?? "", /^The analyzer .* ended with 3\.$/);
      const missing = await run([analyzer({ files: ["gone.py"] })]);
      assert.match(missing.notRun[0]?.message ?? "", /^The analyzer cheats lists gone\.py under files/);
      const strange = await run([
        analyzer({ command: [process.execPath, "-e", `console.log('{"run":"x","id":"y","label":true}')`] }),
      ]);
      assert.match(strange.notRun[0]?.message ?? "", /answers for x\/y, which it was not given/);
    });

    it("from the documentation works", async function () {
      if (spawnSync("python3", ["--version"]).status !== 0)
        return skipBecause(this, "python3 is not installed");
      const docs = await readFile(new URL("../../../docs/diagnostics.md", import.meta.url), "utf8");
      const source = /```python\n([^`]+)```/.exec(docs)?.[1] ?? "";
      const written = ["a", "b", "a", "a"].map((content) => ({
        role: "assistant",
        text: "",
        tool: "write",
        args: { path: "x.py", content },
      }));
      const given = [makeRollout({ id: "undone", turns: written }), makeRollout({ id: "plain" })];
      const verdicts = await runAnalyzer(
        {
          command: ["python3", "-c", source],
          cwd: workspace.root,
          timeoutSeconds: 60,
          maxOutputBytes: 10_000,
        },
        Readable.from(given),
      );
      assert.deepEqual(
        verdicts.map((v) => [v.id, v.label, v.turns]),
        [
          ["undone", true, [2, 3]],
          ["plain", false, []],
        ],
      );
    });

    it("is cancelled together with the diagnosis", async () => {
      const stop = new AbortController();
      const hanging = run([analyzer({ command: [process.execPath, "-e", "setInterval(() => {}, 1000)"] })], {
        signal: stop.signal,
        progress: () => stop.abort(),
      });
      await assert.rejects(hanging, (e) => HarnessError.is(e, "cancelled"));
    });

    it("is forgotten together with the rollouts", async () => {
      await run([analyzer()], {}, "v2");
      await forget(store, { version: "v2" });
      const [row] = await store.query({
        sql: "SELECT count(*)::INTEGER AS n FROM tried WHERE rid NOT IN (SELECT rid FROM rollouts)",
        params: [],
      });
      assert.equal(row?.["n"], 0);
    });
  });

  describe("a judge", () => {
    const judge = (more: object = {}, alert: object = {}): DiagnosticSpec =>
      spec("judged", { judge: { rubric: "Does it cheat?", sample: 20, seed: 3, ...more } }, alert);

    it("is asked about a sample, and gives an estimate with an interval instead of labels", async () => {
      const { judged, labels, findings } = await run([judge({}, { alert: { above: 0.1, critical: 0.9 } })]);
      const [found] = judged;
      assert.ok(found?.rate);
      assert.deepEqual([found.asked, found.of, questions, found.cached], [20, many, 20, 0]);
      assert.equal(found.labelled + found.clear, 20);
      assert.equal(found.rate.value, found.labelled / 20);
      assert.ok(found.rate.low < 0.5 && found.rate.high > 0.5);
      assert.deepEqual(found.shown[0] && [found.shown[0].turns, found.shown[0].reason], [[1], "It says so."]);
      assert.deepEqual([labels, found.agreement], [[], null]);
      assert.equal((await storedLabels()).includes("judged"), false);
      assert.match(
        findings[0]?.message ?? "",
        /^An estimated [\d.]+ % of the rollouts \[[\d.]+, [\d.]+\] are judged, judged by a sample of 20 of 40\.$/,
      );
      // 20 answers do not show that more than 90 % are.
      assert.equal(findings[0]?.severity, "warning");
    });

    it("is not asked anything twice, and only about new rollouts when the sample grows", async () => {
      questions = 0;
      assert.equal((await run([judge()])).judged[0]?.cached, 20);
      assert.equal(questions, 0);
      await run([judge({ sample: 25 })]);
      assert.equal(questions, 5);
      await run([judge({ sample: 25, answers: { yes: "It says that it cheats." } })]);
      assert.equal(questions, 30);
    });

    it("is compared with people's labels, even outside the sample; a person's last label counts", async () => {
      const path = humanLabelsPath(outside().engineFolder);
      const say = (i: number, labelled: boolean): Promise<void> =>
        addHumanLabel(path, {
          run: "v1",
          id: `r-${i}`,
          label: "judged",
          labelled,
          by: "me",
          at: new Date().toISOString(),
        });
      await say(0, false);
      for (let i = 0; i < 36; i++) await say(i, i % 2 === 0 || i < 4);
      await writeFile(path, `${await readFile(path, "utf8")}{"torn`);
      const { judged } = await run([judge()]);
      const { agreement } = judged[0] ?? {};
      assert.ok(agreement?.kappa);
      assert.deepEqual(
        [
          agreement.rollouts,
          agreement.bothLabelled,
          agreement.onlyHuman,
          agreement.onlyJudge,
          agreement.tooFew,
        ],
        [36, 18, 2, 0, false],
      );
      assert.ok(agreement.kappa.low < agreement.kappa.value && agreement.kappa.high <= 1);
      assert.equal(judged[0]?.asked, 20);
    });

    it("is not asked without trust, without a model or without a key; a model that does not answer is reported", async () => {
      questions = 0;
      const message = async (s: DiagnosticSpec, more: Partial<LabelPrograms>): Promise<string> => {
        const { judged, notRun } = await run([s], more);
        assert.deepEqual(judged, []);
        return notRun[0]?.message ?? "";
      };
      const model = { provider: "openai", url, model: "m", timeoutSeconds: 5, parallel: 1 } as const;
      assert.equal(await message(judge(), { refused: "no." }), "judged was not asked: no.");
      assert.match(await message(judge(), { environment: {} }), /no model is set up; name one under models/);
      assert.match(
        await message(judge({ model: "larg" }), { models: { large: model } }),
        /no model larg .*large/,
      );
      assert.match(
        await message(judge({ model: "large" }), { models: { large: { ...model, keyFrom: "MY_KEY" } } }),
        /the environment variable MY_KEY, which holds the key of the model large, is not set\.$/,
      );
      assert.match(
        await message(judge({ model: "gone" }), {
          models: { gone: { ...model, url: "http://127.0.0.1:9/v1" } },
        }),
        /^judged was not asked about all rollouts: The model m at .* cannot be reached/,
      );
      assert.equal(questions, 0);
    });

    it("is left out when every rollout has to be labelled", async () =>
      assert.rejects(
        countOf(judge()),
        (e) => HarnessError.is(e, "specInvalid") && /A judge sees only a sample/.test(e.message),
      ));
  });
});
