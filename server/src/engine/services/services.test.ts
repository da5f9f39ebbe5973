import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { serviceNames } from "../../../../shared/protocol/services.ts";
import { service } from "../../../../shared/protocol/services/service.ts";
import { HarnessError } from "../../base/errors.ts";
import { ingestFile } from "../../evidence/ingest/ingest.ts";
import { makeRollout, toLine } from "../../../../test/support/evidence/evidence.ts";
import { keepEngine, withEngine, type Engine } from "../owner/withEngine.ts";
import { placeOf } from "../workspace/place.ts";
import { defineService } from "../workspace/service.ts";
import { services } from "./services.ts";

const project = `apiVersion: evotrainer/v1
kind: Project
name: toy
domain: toy
trainer: { command: [node, trainer.mjs], budgetSeconds: 60 }
evaluation:
  splits: { train: train.jsonl, selection: selection.jsonl, audit: audit.jsonl }
  files: [trainer.mjs]
surfaces: [{ factor: reward, file: toy.yaml, paths: [shape] }]
gates: { autonomy: full, firstVersionsGated: 0, escalateAfterFailures: 9 }
budgets: { generations: 1, variantsPerGeneration: 1, parallelJobs: 1 }
library: { use: none }
`;
const diagnostic = `apiVersion: evotrainer/v1
kind: Diagnostic
name: long
label: { when: 'n_turns >= 1', evidence: 'turn.role == "tool"' }
`;

describe("services", function () {
  this.timeout(60_000);
  let root = "";
  before(async () => {
    root = await mkdtemp(join(tmpdir(), "evotrainer-services-"));
    const place = placeOf(root);
    await mkdir(join(root, "harness/diagnostics"), { recursive: true });
    await mkdir(place.evidenceRoot, { recursive: true });
    await writeFile(join(root, "evotrainer.yaml"), project);
    await writeFile(join(root, "harness/diagnostics/long.diagnostic.yaml"), diagnostic);
    await writeFile(join(root, "harness/diagnostics/bad.diagnostic.yaml"), "kind: Diagnostic\n");
    const owner = await keepEngine(place, { role: "verb" });
    for (const [version, passes] of [
      ["v0", 2],
      ["v1", 7],
    ] as const) {
      const path = join(place.evidenceRoot, `${version}.jsonl`);
      const rollouts = Array.from({ length: 10 }, (_, i) =>
        makeRollout({
          id: `r-${i}`,
          run: `${version}.selection.s1`,
          split: "selection",
          item: `item-${i}`,
          outcome: i < passes ? "pass" : "fail",
          reward: i / 10,
          ...(i === 9 ? { outcome: "unknown", unknown_reason: "grader" } : {}),
        }),
      );
      const broken = '{"id": 1}\n';
      await writeFile(path, rollouts.map(toLine).join("") + broken);
      await ingestFile(owner.store, { path, kind: "rollouts", version, run: `${version}.selection.s1` });
    }
    await owner.close();
  });
  after(() => rm(root, { recursive: true, force: true }));

  it("are listed under their names", async () => {
    assert.deepEqual(Object.keys(services).sort(), [...serviceNames].sort());
    for (const [name, load] of Object.entries(services)) assert.equal((await load()).name, name);
  });

  /** Each request as it is answered by the owner itself and through its socket. */
  const requests: Readonly<Record<string, (engine: Engine) => Promise<unknown>>> = {
    "a page": (e) => e.request("rollouts.list", { version: "v1", split: "selection", limit: 3 }),
    "a filtered, ordered page": (e) =>
      e.request("rollouts.list", {
        version: "v1",
        split: "selection",
        where: 'reward > 0.25 && outcome != "pass"',
        orderBy: "reward",
        descending: true,
        limit: 2,
      }),
    "groups of rollouts": (e) =>
      e.request("rollouts.groups", { version: "v1", split: "selection", by: "outcome" }),
    "a rollout": (e) => e.request("rollouts.show", { within: "v1.selection.s1", id: "r-9" }),
    "where two rollouts part": (e) =>
      e.request("rollouts.divergence", {
        a: { within: "v0.selection.s1", id: "r-1" },
        b: { within: "v1.selection.s1", id: "r-9" },
      }),
    "a diagnosis": (e) => e.request("versions.diagnose", { version: "v1", split: "selection" }),
    "a comparison": (e) => e.request("versions.compare", { a: "v0", b: "v1" }),
    "where items went": (e) => e.request("versions.flow", { a: "v0", b: "v1", by: "label" }),
    "how labels moved": (e) => e.request("versions.labels", { a: "v0", b: "v1" }),
    "how often items were solved": (e) => e.request("versions.items", {}),
    "a backtest": (e) => e.request("backtest.diagnostic", { path: "draft.yaml", text: diagnostic }),
    "a removal": (e) => e.request("backtest.removal", { diagnostic: "long" }),
    "predictions without a repository": (e) => e.request("lineage.predictions", {}),
    "problems of a condition that is typed": (e) =>
      e.request("diagnostics.liveCount", { condition: "n_turns >", version: "v1" }),
    "conditions that are tried": (e) =>
      e.request("diagnostics.try", {
        tries: [
          {
            condition: "reward > params.high",
            params: { high: 0.5 },
            rollouts: ["v1.selection.s1/r-9", "v9/x"],
          },
          { condition: "reward >", rollouts: ["v1.selection.s1/r-9"] },
          { condition: "reward < 0.5", rollouts: ["v0.selection.s1/r-9", "v0.selection.s1/r-1"] },
        ],
      }),
    "the quarantine": (e) => e.request("quarantine.list", { version: "v0" }),
  };
  for (const [what, ask] of Object.entries(requests))
    it(`give the same answer in this process and through the socket: ${what}`, async () => {
      await withEngine(placeOf(root), async (own) => {
        const here = await ask(own);
        assert.notDeepEqual(here, []);
        assert.deepEqual(await withEngine(placeOf(root), ask), here);
      });
    });

  it("say what each condition catches among the newest rollouts and those that its examples name", () =>
    withEngine(placeOf(root), async (engine) => {
      assert.deepEqual(await requests["conditions that are tried"]?.(engine), {
        tried: [
          { rollouts: 20, labelled: 8, verdicts: ["labelled", "not_archived"] },
          null,
          { rollouts: 20, labelled: 10, verdicts: ["clear", "labelled"] },
        ],
      });
      assert.deepEqual(await engine.request("diagnostics.try", { tries: [] }), { tried: [] });
    }));

  it("report what they found", () =>
    withEngine(placeOf(root), async (engine) => {
      const page = await engine.request("rollouts.list", { version: "v1", split: "selection", limit: 3 });
      assert.deepEqual(
        [page.total, page.pass, page.fail, page.unknown, page.rollouts.length],
        [10, 7, 2, 1, 3],
      );
      const next = await engine.request("rollouts.list", {
        version: "v1",
        split: "selection",
        limit: 100,
        ...(page.next === undefined ? {} : { cursor: page.next }),
      });
      assert.deepEqual([next.rollouts.length, next.next], [7, undefined]);
      const { labels, problems } = await engine.request("versions.diagnose", {
        version: "v1",
        split: "selection",
      });
      assert.deepEqual(
        labels.map((l) => [l.name, l.labelled]),
        [["long", 10]],
      );
      assert.match(problems.join(), /bad\.diagnostic\.yaml/);
      assert.equal((await engine.request("versions.compare", { a: "v0", b: "v1" })).flips.length, 5);
    }));

  it("keep the audit split sealed, and say where a condition is wrong", () =>
    withEngine(placeOf(root), async (engine) => {
      const sealed = { version: "v1", split: z.custom<"train">().parse("audit"), limit: 1 };
      await assert.rejects(engine.request("rollouts.list", sealed), (e) => HarnessError.is(e, "badInput"));
      await assert.rejects(
        engine.request("rollouts.list", { version: "v1", split: "selection", limit: 1, where: "reward >" }),
        (e) =>
          HarnessError.is(e, "badInput") && /The filter cannot be used: .*\n {2}reward >\n/.test(e.message),
      );
    }));

  it("cannot return anything that JSON does not carry", () => {
    const rest = { says: "x", editor: false, params: () => z.object({}) };
    service({
      ...rest,
      result: () =>
        z.object({ n: z.number(), list: z.array(z.string().nullable()), maybe: z.object({}).optional() }),
    });
    // @ts-expect-error a bigint is none
    service({ ...rest, result: () => z.object({ n: z.bigint() }) });
    // @ts-expect-error a date, deep inside
    service({ ...rest, result: () => z.object({ list: z.array(z.object({ at: z.date() })) }) });
    // @ts-expect-error a map would be empty
    service({ ...rest, result: () => z.map(z.string(), z.string()) });
    // @ts-expect-error nothing at all
    service({ ...rest, result: () => z.void() });
  });

  it("do not compile if they differ from the contract", () => {
    const repeatable = true;
    // @ts-expect-error no such service
    const unknown = () => defineService("rollouts.none", { repeatable, run: () => Promise.resolve({}) });
    const other = () =>
      defineService("evidence.collect", {
        repeatable,
        // @ts-expect-error another shape
        run: () => Promise.resolve({ rows: "1", quarantined: 0 }),
      });
    const less = () =>
      // @ts-expect-error a part of the answer is missing
      defineService("evidence.collect", { repeatable, run: () => Promise.resolve({ rows: 1 }) });
    const ask = async (engine: Engine): Promise<unknown> => {
      // @ts-expect-error no such request
      await engine.request("rollouts.none", {});
      // @ts-expect-error parameters of another request
      await engine.request("jobs.log", { id: "r-1" });
      // @ts-expect-error the answer has no such field
      const { lines } = await engine.request("jobs.log", { job: "j", stream: "stdout" });
      return lines as unknown;
    };
    const { "jobs.log": left, ...without } = services;
    // @ts-expect-error one of the contract is missing
    const table: typeof services = without;
    assert.ok([unknown, other, less, ask, left, table].every(Boolean));
  });
});
