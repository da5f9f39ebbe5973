import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { HarnessError } from "../../base/errors.ts";
import { ingestFile } from "../../evidence/ingest/ingest.ts";
import type { Store } from "../../evidence/archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import { patience } from "../../../../test/support/base/patience.ts";
import { services } from "../services/services.ts";
import { runService } from "./service.ts";

/** Each turn of 100,000 is compared with each, and no two of them fit: hours of work. */
const nested = 'turns.exists(t, turns.exists(u, u.text.contains(t.text + "x")))';
const deeper = "turns.all(t, turns.exists(u, turns.exists(v, v.index + u.index == t.index - 1)))";

const project = `apiVersion: evotrainer/v1
kind: Project
name: p
domain: p
trainer: { command: [node, trainer.mjs] }
evaluation: { splits: { train: t.jsonl, selection: s.jsonl, audit: a.jsonl } }
surfaces: [{ factor: reward, file: harness/x.yaml }]
`;

describe("a condition with nested quantifiers over a rollout of 100,000 turns", function () {
  this.timeout(20_000 * patience);
  let workspace: Workspace;
  let store: Store;
  before(async () => {
    workspace = await makeWorkspace();
    const turns = Array.from({ length: 100_000 }, (_, i) => ({
      role: "assistant",
      text: `turn ${i} says what it does`,
      tool: "bash",
      ok: true,
    }));
    const path = workspace.file("rollouts.jsonl");
    await writeFile(path, toLine(makeRollout({ split: "selection", turns })));
    store = await workspace.open();
    await ingestFile(store, { path, kind: "rollouts", version: "v1", run: "run-1" });
    await mkdir(join(workspace.root, "harness", "diagnostics"), { recursive: true });
    await writeFile(join(workspace.root, "evotrainer.yaml"), project);
    await writeFile(
      join(workspace.root, "harness", "diagnostics", "endless.diagnostic.yaml"),
      `apiVersion: evotrainer/v1\nkind: Diagnostic\nname: endless\nlabel: { when: '${nested}', evidence: '${nested.replaceAll("turns.exists(t, ", "").replace(/\)$/, "").replaceAll("t.text", "turn.text")}' }\n`,
    );
  });
  after(() => workspace.remove());

  const list = { version: "v1", limit: 20, descending: false, ignoreCase: false };
  const spec = `apiVersion: evotrainer/v1\nkind: Diagnostic\nname: x\nlabel: { when: '${nested}' }\n`;
  const requests: readonly (readonly [keyof typeof services, unknown])[] = [
    ["rollouts.list", { ...list, where: nested }],
    ["rollouts.list", { ...list, where: deeper, orderBy: "reward" }],
    ["rollouts.window", { version: "v1", where: nested, offset: 0, limit: 20 }],
    ["diagnostics.try", { tries: [{ condition: nested, params: {}, rollouts: [] }] }],
    ["diagnostics.liveCount", { condition: deeper, params: {}, version: "v1", stream: "s" }],
    ["versions.diagnose", { version: "v1" }],
    ["backtest.diagnostic", { path: "x.diagnostic.yaml", text: spec, against: "all" }],
  ];
  for (const [name, params] of requests)
    it(`is given up within a second: ${name} ${JSON.stringify(params).slice(0, 60)}`, async () => {
      const service = await services[name]();
      const stop = new AbortController();
      const ended: number[] = [];
      const asked = runService(
        service as never,
        { store, root: workspace.root, trusted: true },
        { signal: stop.signal, progress: () => undefined, params },
      );
      const rejected = assert.rejects(
        asked.finally(() => ended.push(Date.now())),
        (e: Error) => {
          assert.ok(HarnessError.is(e, "cancelled"), e.stack);
          return true;
        },
      );
      rejected.catch(() => undefined);
      await delay(1500);
      assert.deepEqual(ended, [], "it is still at work");
      const before = Date.now();
      stop.abort();
      await rejected;
      const took = Math.max(...ended) - before;
      assert.ok(took < 1000 * patience, `${took} ms`);
      assert.deepEqual(
        await store.query({ sql: "SELECT count(*)::INTEGER AS n FROM rollouts", params: [] }),
        [{ n: 1 }],
      );
    });
});
