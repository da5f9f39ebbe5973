import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import { placeOf } from "../../engine/workspace/place.ts";
import { keepEngine } from "../../engine/owner/withEngine.ts";
import { ingestFile } from "../../evidence/ingest/ingest.ts";
import { openStore } from "../../evidence/archive/store.ts";
import { makeRollout, toLine } from "../../../../test/support/evidence/evidence.ts";
import { questionKey } from "../archive/triedConditions.ts";
import { archiveStamp, openEngines } from "./askEngine.ts";
import { keepConditions } from "./conditionKeeper.ts";
import { keepFacts } from "./factsKeeper.ts";

/** All of these are tried on archives as they are. */
describe("asking the archive of a project", function () {
  this.timeout(60_000);
  let root = "";
  beforeEach(async () => void (root = await mkdtemp(join(tmpdir(), "evotrainer-ask-"))));
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function add(version: string, rollouts: number): Promise<void> {
    const place = placeOf(root);
    await mkdir(place.evidenceRoot, { recursive: true });
    const owner = await keepEngine(place, { role: "verb" });
    const path = join(place.evidenceRoot, `${version}.jsonl`);
    const lines = Array.from({ length: rollouts }, (_, i) =>
      toLine(makeRollout({ id: `r-${i}`, run: version, reward: i, split: "selection" })),
    );
    await writeFile(path, lines.join(""));
    await ingestFile(owner.store, { path, kind: "rollouts", version, run: version });
    await owner.close();
  }
  /** Takes the archive as soon as nobody else has it. */
  async function hold() {
    const { archive: path, evidenceRoot } = placeOf(root);
    for (;;)
      try {
        return await openStore({ path, evidenceRoot });
      } catch (e) {
        if (!HarnessError.is(e, "storeBusy")) throw e;
        await new Promise((wake) => setTimeout(wake, 50));
      }
  }

  it("never creates an archive", async () => {
    const ask = openEngines().ask;
    assert.equal(await ask(root, "archive.facts", {}), undefined);
    assert.equal(await archiveStamp(root), undefined);
    assert.deepEqual(await readdir(root), []);
  });

  it("answers several questions at once, and releases the archive a moment later", async () => {
    await add("v1", 3);
    const ask = openEngines().ask;
    const answers = await Promise.all([1, 2, 3].map(() => ask(root, "archive.facts", {})));
    assert.deepEqual(
      answers.map((facts) => facts?.rollouts),
      [3, 3, 3],
    );
    const held = await hold();
    await held.close();
  });

  it("releases the archive at once for a new evolution, and asks the evolution what was asked meanwhile", async () => {
    await add("v1", 3);
    const { ask, yieldTo } = openEngines();
    assert.equal((await ask(root, "archive.facts", {}))?.rollouts, 3);
    let late: Promise<unknown> = Promise.resolve();
    const owner = await yieldTo(root, async () => {
      late = ask(root, "archive.facts", {});
      // Within the patience of an evolution, although the archive was held a moment ago.
      return keepEngine(placeOf(root), { role: "evolve", patience: { verbMs: 500 } });
    });
    assert.equal(((await late) as { rollouts: number }).rollouts, 3);
    await assert.rejects(
      yieldTo(root, () => Promise.reject(new Error("It does not start."))),
      /does not start/,
    );
    assert.equal((await ask(root, "archive.facts", {}))?.rollouts, 3);
    await owner.close();
  });

  it("reads facts at once, again only after a write, and logs the reason of a failure once", async () => {
    const noted: number[] = [];
    const warned: string[] = [];
    let mayAsk = false;
    const keeper = keepFacts({
      folders: () => (mayAsk ? [root] : []),
      ask: openEngines().ask,
      note: (_, { rollouts }) => void noted.push(rollouts),
      log: { ...silentLog, warn: (_, message) => void warned.push(message) },
    });
    await add("v1", 3);
    await keeper.look();
    assert.deepEqual(noted, []);
    mayAsk = true;
    await keeper.look();
    await keeper.look();
    assert.deepEqual(noted, [3]);
    await add("v2", 2);
    await keeper.look();
    assert.deepEqual(noted, [3, 5]);
    keeper.stop();
    const refused = keepFacts({
      folders: () => [root],
      ask: () => Promise.reject(new HarnessError("storeBusy", "Another program has it.")),
      note: () => assert.fail("nothing is known"),
      log: { ...silentLog, warn: (_, message) => void warned.push(message) },
    });
    await refused.look();
    await refused.look();
    assert.deepEqual(warned, ["facts not read"]);
    refused.stop();
  });

  it("tries conditions once, and again when new rollouts may change the answer", async () => {
    await add("v1", 3);
    const asked: number[] = [];
    const ask = openEngines().ask;
    const question = (condition: string, ...rollouts: string[]) => ({ condition, params: {}, rollouts });
    const [some, never, named] = [
      question("reward > 1.5"),
      question("reward > 3.5"),
      question("reward > 0.5", "v1/r-1", "v2/r-4"),
    ] as const;
    let wake = (): void => undefined;
    let seen: ReadonlyMap<string, unknown> = new Map();
    const keeper = keepConditions({
      ask: (at, name, params, options) => {
        asked.push("tries" in params ? params.tries.length : 0);
        return ask(at, name, params, options);
      },
      note: (_, tried) => {
        seen = tried;
        wake();
      },
      log: silentLog,
    });
    const next = () => new Promise<void>((resolve) => (wake = resolve));
    let told = next();
    keeper.look(root, some);
    keeper.lookAgain(root, [some, never, named]);
    await told;
    const counts = (labelled: number, rollouts: number, ...verdicts: string[]) => ({
      ...{ rollouts, labelled, verdicts },
    });
    assert.deepEqual(
      [some, never, named].map((one) => seen.get(questionKey(one))),
      [counts(1, 3), counts(0, 3), counts(2, 3, "labelled", "not_archived")],
    );
    await add("v2", 5);
    told = next();
    keeper.look(root, never);
    keeper.lookAgain(root, [some, never, named]);
    await told;
    assert.deepEqual(
      [some, never, named].map((one) => seen.get(questionKey(one))),
      [counts(1, 3), counts(1, 8), counts(6, 8, "labelled", "labelled")],
    );
    assert.deepEqual(asked, [3, 2]);
    keeper.stop();
  });
});
