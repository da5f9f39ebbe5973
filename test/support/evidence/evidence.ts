import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Rollout } from "../../../shared/model/rollout.ts";
import { openStore, type Store } from "../../../server/src/evidence/archive/store.ts";
import type { StoreOptions } from "../../../server/src/evidence/store/database.ts";
import type { TermsOf } from "../../../server/src/evidence/store/runTerms.ts";

/** For tests: a rollout that keeps the contract, with the fields that the test cares about replaced. */
export function makeRollout(changes: Partial<Rollout> = {}): Rollout {
  return {
    id: "r-1",
    run: "run-1",
    split: "train",
    step: 0,
    item: "item-1",
    group: "g-1",
    sample: 0,
    outcome: "pass",
    reward: 1,
    components: { tests: 1, format: 0.5 },
    stop_reason: "success",
    turns: [
      { role: "user", text: "Fix it." },
      {
        role: "assistant",
        text: "Looking… ☃",
        tool: "open",
        args: { path: "a.py", deep: [1] },
        ok: true,
        tokens: 7,
        ms: 1.5,
      },
      { role: "tool", text: "line 1\nline 2" },
    ],
    tokens: 7,
    logprob_mean: -0.25,
    policy: "ckpt-0",
    harness: "0123456789abcdef0123456789abcdef01234567",
    seed: 1,
    started_at: "2026-01-01T00:00:00.000Z",
    duration_ms: 12.5,
    extra: { host: "node-7", nested: { a: null } },
    ...changes,
  };
}

export const toLine = (record: object): string => `${JSON.stringify(record)}\n`;

export interface Workspace {
  readonly root: string;
  readonly database: string;
  file(name: string): string;
  open(termsOf?: TermsOf, isOwnVersion?: StoreOptions["isOwnVersion"]): Promise<Store>;
  remove(): Promise<void>;
}

/** For tests: an empty folder with the path of its archive; `remove` closes what is open. */
export async function makeWorkspace(): Promise<Workspace> {
  const root = await mkdtemp(join(tmpdir(), "evotrainer-evidence-"));
  const database = join(root, ".evotrainer", "archive.duckdb");
  const opened: Store[] = [];
  return {
    root,
    database,
    file: (name) => join(root, name),
    open: async (termsOf, isOwnVersion) => {
      const store = await openStore({
        path: database,
        evidenceRoot: root,
        threads: 1,
        memoryLimitMb: 512,
        ...(termsOf === undefined ? {} : { termsOf }),
        ...(isOwnVersion === undefined ? {} : { isOwnVersion }),
      });
      opened.push(store);
      return store;
    },
    remove: async () => {
      for (const store of opened) await store.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
