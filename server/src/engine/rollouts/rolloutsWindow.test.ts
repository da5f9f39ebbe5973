import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Rollout } from "../../../../shared/model/rollout.ts";
import { ingestFile } from "../../evidence/ingest/ingest.ts";
import { makeRollout, toLine } from "../../../../test/support/evidence/evidence.ts";
import type { Owner } from "../owner/owner.ts";
import { keepEngine } from "../owner/withEngine.ts";
import { placeOf } from "../workspace/place.ts";
import type { ServiceName } from "../../../../shared/protocol/services.ts";
import { services, type ParamsOf, type ResultOf } from "../services/services.ts";
import { runService, type Service } from "../workspace/service.ts";

describe("windows of a list of rollouts", function () {
  this.timeout(60_000);
  let root = "";
  let owner: Owner;
  const ask = async <N extends ServiceName>(
    name: N,
    params: ParamsOf<N>,
    signal = new AbortController().signal,
  ): Promise<ResultOf<N>> => {
    const service: Service = await services[name]();
    const answer: unknown = await runService(
      service,
      { store: owner.store, root, trusted: true },
      { params, signal, progress: () => undefined },
    );
    return answer as ResultOf<N>;
  };
  const add = async (name: string, from: number, count: number, split: "train" | "audit" = "train") => {
    const path = join(placeOf(root).evidenceRoot, `${name}.jsonl`);
    const rollouts = Array.from({ length: count }, (_, i) =>
      makeRollout({
        id: `r-${from + i}`,
        run: name,
        split,
        item: `item-${(from + i) % 7}`,
        reward: ((from + i) * 37) % 101,
        outcome: (from + i) % 3 === 0 ? "pass" : "fail",
        turns: [{ role: "assistant", text: (from + i) % 10 === 0 ? "a needle here" : "hay" }],
      }),
    );
    await writeFile(path, rollouts.map(toLine).join(""));
    await ingestFile(owner.store, { path, kind: "rollouts", version: "v1", run: name });
  };
  before(async () => {
    root = await mkdtemp(join(tmpdir(), "evotrainer-window-"));
    await mkdir(placeOf(root).evidenceRoot, { recursive: true });
    owner = await keepEngine(placeOf(root), { role: "verb" });
    await add("a", 0, 500);
    await add("sealed", 500, 50, "audit");
  });
  after(async () => {
    await owner.close();
    await rm(root, { recursive: true, force: true });
  });

  for (const orderBy of ["arrival", "reward", "item", "outcome", "n_turns"] as const)
    for (const descending of [false, true])
      it(`are in the same order as the pages by ${orderBy}${descending ? ", descending" : ""}`, async () => {
        const paged: number[] = [];
        let cursor: string | undefined;
        do {
          const page = await ask("rollouts.list", {
            version: "v1",
            orderBy,
            descending,
            limit: 100,
            ...(cursor === undefined ? {} : { cursor }),
          });
          paged.push(...page.rollouts.map(({ rid }) => rid));
          cursor = page.next;
        } while (cursor !== undefined);
        const first = await ask("rollouts.window", {
          version: "v1",
          orderBy,
          descending,
          offset: 0,
          limit: 50,
          counts: true,
        });
        assert.equal(first.rows, 500);
        assert.equal(first.counts?.pass, 167);
        const middle = await ask("rollouts.window", {
          version: "v1",
          orderBy,
          descending,
          offset: 230,
          limit: 50,
        });
        assert.equal(middle.rows, 500);
        assert.deepEqual(
          first.rollouts.map(({ rid }) => rid),
          paged.slice(0, 50),
        );
        assert.deepEqual(
          middle.rollouts.map(({ rid }) => rid),
          paged.slice(230, 280),
        );
      });

  it("of a search show how many rollouts were found once they are past the first page", async () => {
    const at = { version: "v1", search: "needle", limit: 10 };
    const first = await ask("rollouts.window", { ...at, offset: 0 });
    assert.equal(first.rows, null);
    const later = await ask("rollouts.window", { ...at, offset: 40 });
    assert.equal(later.rows, 50);
    assert.deepEqual(
      later.rollouts.map(({ id, snippet }) => [id, snippet?.hit]),
      Array.from({ length: 10 }, (_, i) => [`r-${400 + 10 * i}`, "needle"]),
    );
    assert.equal((await ask("rollouts.window", { ...at, search: "nothing", offset: 10 })).rows, 0);
  });

  it("keep their list while rollouts arrive, and include the new ones when asked for again", async () => {
    const at = { version: "v1", orderBy: "reward" as const, descending: true, limit: 20 };
    const before = await ask("rollouts.window", { ...at, offset: 100 });
    assert.ok(before.list);
    await add("b", 600, 40);
    const same = await ask("rollouts.window", { ...at, offset: 100, list: before.list });
    assert.deepEqual(same, before);
    const now = await ask("rollouts.window", { ...at, offset: 100 });
    assert.equal(now.rows, 540);
    assert.notEqual(now.list, before.list);
    await ask("archive.forget", { target: { run: "b" } });
    // The list that was made with them is made anew as soon as a gone one would be shown.
    const after = await ask("rollouts.window", { ...at, limit: 540, offset: 0, list: now.list ?? "" });
    assert.equal(after.rows, 500);
    assert.notEqual(after.list, now.list);
  });

  it("can be cancelled, and the next request gets the list", async () => {
    const at = { version: "v1", where: 'turns.exists(t, t.text.contains("hay"))', offset: 5, limit: 5 };
    await assert.rejects(ask("rollouts.window", at, AbortSignal.abort()), { reason: "cancelled" });
    assert.equal((await ask("rollouts.window", at)).rows, 450);
  });

  it("show which rollouts have notes, and find rollouts by a note", async () => {
    await ask("rollouts.note", { run: "a", id: "r-12", note: "Gives up too EARLY", by: "ada" });
    await ask("rollouts.note", { run: "a", id: "r-12", note: "See also r-13", by: "bob" });
    await assert.rejects(
      ask("rollouts.note", { run: "sealed", id: "r-500", note: "x", by: "ada" }),
      /sealed/,
    );
    const noted = await ask("rollouts.window", { version: "v1", note: "early", offset: 0, limit: 5 });
    assert.deepEqual(
      noted.rollouts.map(({ id, notes }) => [id, notes]),
      [["r-12", 2]],
    );
    assert.equal(
      (await ask("rollouts.window", { version: "v1", note: "never", offset: 0, limit: 5 })).rows,
      0,
    );
    const { groups } = await ask("rollouts.groups", { version: "v1", note: "", by: "item" });
    assert.deepEqual(groups, [{ value: "item-5", rollouts: 1, pass: 1, notValid: 0 }]);
    const shown = await ask("rollouts.show", { within: "a", id: "r-12" });
    assert.deepEqual(
      shown.notes.map(({ note, by }) => [note, by]),
      [
        ["Gives up too EARLY", "ada"],
        ["See also r-13", "bob"],
      ],
    );
  });

  it("are exported in their order as lines of the contract, completely or not at all", async () => {
    const path = join(root, "out.jsonl");
    const list = { version: "v1", orderBy: "reward" as const, descending: true, where: 'outcome == "pass"' };
    assert.deepEqual(await ask("rollouts.export", { ...list, path }), { path, rollouts: 167 });
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    const rewards = lines.map((line) => Rollout.parse(JSON.parse(line)).reward ?? -1);
    assert.deepEqual(
      rewards,
      rewards.toSorted((a, b) => b - a),
    );
    const gone = join(root, "missing", "out.jsonl");
    await assert.rejects(ask("rollouts.export", { ...list, path: gone }), { reason: "badInput" });
    await assert.rejects(ask("rollouts.export", { ...list, path: "out.jsonl" }), /absolute/);
    assert.deepEqual(
      (await readdir(root)).filter((name) => name.endsWith(".part")),
      [],
    );
  });
});
