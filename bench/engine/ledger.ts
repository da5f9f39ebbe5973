import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { lineageMethod, LineageReply } from "../../shared/protocol/lsp.ts";
import { openLedger } from "../../server/src/lineage/ledger.ts";
import { openRepository } from "../../server/src/lineage/repository.ts";
import { makeBigLedger } from "./bigLedger.ts";
import { LanguageClient } from "../language/languageClient.ts";
import type { BenchRow } from "../row.ts";

const bundle = fileURLToPath(new URL("../../dist/server.cjs", import.meta.url));

/**
 * A long ledger: how long its first reader takes, and the next one, which finds what the first has kept; how much memory the
 * language server takes once it has given all versions to a view.
 */
export async function benchLedger({ versions }: { readonly versions: number }): Promise<BenchRow[]> {
  const root = await makeBigLedger(versions);
  try {
    const first = await timeReading(root);
    const second = await timeReading(root);
    if (first.entries !== second.entries) throw new Error("What was kept is not what was read.");
    const what = `ledger of ${versions.toLocaleString("en")} versions`;
    const detail = ({ entries, ms, processor }: Reading) =>
      `${entries} entries, ${(ms / 1000).toFixed(1)} s, of which this process worked ${(processor / 1000).toFixed(1)} s`;
    return [
      {
        name: `${what}, first reading`,
        measured: first.ms,
        target: versions / 10,
        unit: "ms",
        detail: detail(first),
      },
      {
        name: `${what}, read again by another process`,
        measured: second.ms,
        target: versions / 25,
        unit: "ms",
        detail: detail(second),
      },
      await memoryOfServer(root, versions),
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

interface Reading {
  readonly ms: number;
  readonly processor: number;
  readonly entries: number;
}

async function timeReading(root: string): Promise<Reading> {
  const repository = await openRepository(root);
  const [start, before] = [performance.now(), process.cpuUsage()];
  const { entries } = await openLedger(repository).read();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - start, processor: (user + system) / 1000, entries: entries.length };
}

async function memoryOfServer(root: string, versions: number): Promise<BenchRow> {
  const client = new LanguageClient(bundle);
  try {
    await client.start(root, {}, { trusted: true });
    const start = performance.now();
    let known = 0;
    let epoch: string | undefined;
    for (let below: number | undefined; ;) {
      const asked = { root, epoch, since: 0, below };
      const reply = LineageReply.parse(await client.connection.sendRequest(lineageMethod, asked));
      if (reply.type !== "lineage") throw new Error(`The language server answered ${reply.type}.`);
      known += reply.page.index.length;
      if (reply.page.rest === 0) break;
      epoch = reply.page.epoch;
      below = reply.page.index.at(-1);
    }
    if (known !== versions) throw new Error(`The language server gave ${known} of ${versions} versions.`);
    const ms = performance.now() - start;
    return {
      name: `language server that has given ${versions.toLocaleString("en")} versions, resident`,
      measured: await client.resident(),
      target: 300,
      unit: "MB",
      detail: `${(await client.memory()).toFixed(0)} MB of it in use; all versions after ${(ms / 1000).toFixed(1)} s`,
    };
  } finally {
    await client.stop();
  }
}
