import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import type { Outcome, Split } from "../../../../shared/model/rollout.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { ingestFile } from "../../evidence/ingest/ingest.ts";
import { runService } from "../workspace/service.ts";
import { versionsItems } from "./versionsItems.ts";

const { signal } = new AbortController();

describe("versions.items", () => {
  let workspace: Workspace;
  let store: Store;
  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
    await addVersion("v0", "selection", { a: "pf", b: "pp", c: "ff" });
    await addVersion("v1", "selection", { a: "ff", b: "pu", c: "uu" });
    await addVersion("v2", "selection", { a: "pp", b: "pp", d: "pp" });
    await addVersion("v3", "selection", { a: "ff", b: "pf", c: "pf" });
    await addVersion("sealed", "audit", { a: "pp" });
    await addVersion("dumped", "train", { t: "pf" });
  });
  after(() => workspace.remove());

  /** One letter per rollout of each item: passed, failed or unknown. */
  async function addVersion(
    version: string,
    split: Split,
    items: Readonly<Record<string, string>>,
  ): Promise<void> {
    const outcomes: Readonly<Record<string, Outcome>> = { p: "pass", f: "fail", u: "unknown" };
    const rollouts = Object.entries(items).flatMap(([item, letters]) =>
      Array.from(letters).map((letter, sample) => {
        const outcome = outcomes[letter] ?? "unknown";
        return makeRollout({
          id: `${item}-${sample}`,
          run: version,
          split,
          item,
          group: item,
          sample,
          outcome,
          ...(outcome === "unknown" ? { unknown_reason: "grader" } : {}),
        });
      }),
    );
    await writeFile(workspace.file(`${version}.jsonl`), rollouts.map(toLine).join(""));
    await ingestFile(store, {
      path: workspace.file(`${version}.jsonl`),
      kind: "rollouts",
      version,
      run: version,
    });
  }
  const ask = (params: object): ReturnType<typeof versionsItems.run> =>
    runService(
      versionsItems,
      { store, root: workspace.root, trusted: false },
      { signal, progress: () => undefined, params },
    );

  it("counts passes, known outcomes and rollouts per version, what changed most first", async () => {
    const { versions, split, total, items } = await ask({ split: "selection" });
    assert.deepEqual([versions, split, total], [["v0", "v1", "v2", "v3"], "selection", 4]);
    const told = items.map(({ item, changes, cells }) => [
      item,
      changes,
      cells.map((cell) => (cell === null ? "–" : `${cell.passes}/${cell.known}/${cell.rollouts}`)).join(" "),
    ]);
    assert.deepEqual(told, [
      // Half is neither passed nor failed: only f → p → f counts.
      ["a", 2, "1/2/2 0/2/2 2/2/2 0/2/2"],
      ["b", 0, "2/2/2 1/1/2 2/2/2 1/2/2"],
      ["c", 0, "0/2/2 0/0/2 – 1/2/2"],
      ["d", 0, "– – 2/2/2 –"],
    ]);
  });

  it("takes the versions in the order asked for, and at most as many items as asked for", async () => {
    const { versions, total, items } = await ask({ versions: ["v2", "v0"], limit: 1 });
    assert.deepEqual([versions, total], [["v2", "v0"], 4]);
    assert.deepEqual(
      items.map(({ item, cells }) => [item, cells.map((cell) => cell?.passes)]),
      [["a", [2, 1]]],
    );
  });

  it("says how many older versions it leaves out beyond the newest hundred", async () => {
    for (let i = 0; i < 101; i++) await addVersion(`w${i}`, "selection", { a: "p" });
    const { versions, older } = await ask({ split: "selection" });
    assert.deepEqual([versions.length, versions[0], versions.at(-1), older], [100, "w1", "w100", 5]);
    assert.equal((await ask({ versions: ["v0"] })).older, 0);
  });

  it("takes the training split where versions have no other, and never opens the sealed one", async () => {
    assert.deepEqual((await ask({ versions: ["dumped"] })).split, "train");
    assert.deepEqual((await ask({ versions: ["sealed"] })).items, []);
    assert.ok(!(await ask({})).versions.includes("sealed"));
  });

  it("shows versions by their names, however they came, unless they are named", async () => {
    const [first, own] = [store, workspace];
    workspace = await makeWorkspace();
    store = await workspace.open();
    for (const version of ["v10", "v2", "v1"]) await addVersion(version, "selection", { a: "pf" });
    const shown = async (params: object): Promise<readonly string[]> => (await ask(params)).versions;
    assert.deepEqual(await shown({}), ["v1", "v2", "v10"]);
    assert.deepEqual(await shown({ versions: ["v10", "v1"] }), ["v10", "v1"]);
    await workspace.remove();
    [store, workspace] = [first, own];
  });
});
