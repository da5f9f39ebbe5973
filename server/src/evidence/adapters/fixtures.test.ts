import assert from "node:assert/strict";
import { after, before, describe, it } from "mocha";
import { coverageOf, type FormatCoverage } from "../archive/coverage.ts";
import type { Store } from "../store/database.ts";
import { filesUnder } from "../importing/discover.ts";
import { foreignFile } from "../importing/foreignFile.ts";
import { fixtureSet, importPaths, type ImportResult } from "../../../../test/support/evidence/import.ts";
import { makeWorkspace, type Workspace } from "../../../../test/support/evidence/evidence.ts";
import { adapterNamed, allAdapters, detectFormats, formatNames } from "./registry.ts";

/** Files that each format claims. What is not here belongs to a lineage, lies beside a file that is claimed, or is prose. */
const claimed: Readonly<Record<string, number>> = {
  verl: 2,
  verifiers: 48,
  "nemo-gym": 26,
  "tinker-rewardhack": 40,
  "swe-agent": 27,
  "mini-swe-agent": 24,
  openhands: 4,
  dgm: 1,
  inspect: 16,
  atif: 5,
  "gemini-cli": 1,
  "tau-bench": 1,
  "who-and-when": 40,
  "verl-metrics": 2,
  tensorboard: 13,
};

const ofMetrics: ReadonlySet<string> = new Set(["verl-metrics", "tensorboard"]);

/** Fields that no real file at hand has although the format can have them, and why. */
const lackedByTheFiles: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  verl: { outcome: "no reward function at hand writes acc" },
  verifiers: {
    outcome: "no metadata.json at hand has a pass_threshold",
    stop_reason: "written since 2026; the files are older",
    tokens: "token_usage is younger than the files",
    started_at: "timing.start_time is younger than the files",
  },
  "nemo-gym": {
    logprob_mean: "log-probabilities are kept by trainers only",
    "turns.tokens": "token ids are kept by trainers only",
  },
  "tinker-rewardhack": { outcome: "39 of 40 broke with docker_error, and rewards are no verdict" },
  "swe-agent": { harness: "info.swe_agent_hash is younger than the files" },
  "mini-swe-agent": {
    outcome: "no report lies beside the trajectories",
    components: "the tests of a report, of which there is none",
  },
  openhands: { reward: "no row has test_result.reward" },
  inspect: {
    logprob_mean: "only where the configuration asks for log-probabilities",
    seed: "only where the configuration sets one",
  },
  "gemini-cli": {
    outcome: "a session holds no verdict",
    "turns.tool": "the one session at hand calls no tool",
    "turns.args": "the one session at hand calls no tool",
    "turns.ok": "the one session at hand calls no tool",
    "turns.ms": "the one session at hand calls no tool",
  },
};

describe("the real files of all formats", function () {
  this.timeout(180_000);
  let root: string;
  let place: Workspace | undefined;
  let store: Store;
  let first: ImportResult;
  let coverage: readonly FormatCoverage[];

  before(async function () {
    root = fixtureSet(this, ".");
    place = await makeWorkspace();
    store = await place.open();
    first = await importPaths(store, [root]);
    coverage = await coverageOf(store, [...first.skipped.runs]);
  });
  after(() => place?.remove());

  it("are each claimed by one format or by none", async () => {
    const claims: Record<string, number> = {};
    for await (const path of filesUnder([root])) {
      const names = (await detectFormats(await foreignFile(path))).map(({ name }) => name);
      assert.ok(names.length <= 1, `${path}: ${names.join(", ")}`);
      for (const name of names) claims[name] = (claims[name] ?? 0) + 1;
    }
    assert.deepEqual(claims, claimed);
  });

  it("are all read, and the report says what is left out", () => {
    const { counts, skipped } = first;
    const { read, rollouts, metrics, quarantined, nonFinite, refused, waiting } = counts;
    assert.deepEqual(
      { read, rollouts, metrics, quarantined, nonFinite, refused, waiting },
      { read: 250, rollouts: 3200, metrics: 1520, quarantined: 2, nonFinite: 0, refused: [], waiting: [] },
    );
    assert.equal(skipped.unrecognisedCount, 165);
    assert.deepEqual(
      counts.problems.map((p) => `${p.line}: ${p.reason}`),
      [
        "59: 2 of the 60 submitted instances are in none of its lists: their evaluation broke, and no file names them",
        "1: the log of testtaskname (status cancelled) has no samples, so it contains no rollouts",
      ],
    );
  });

  it("change nothing the second time", async () => {
    const tables = async (): Promise<unknown> =>
      store.query({
        sql: `SELECT (SELECT count(*) FROM rollouts)::INT AS rollouts, (SELECT count(*) FROM turns)::INT AS turns,
                     (SELECT count(*) FROM metrics)::INT AS metrics, (SELECT count(*) FROM sources)::INT AS sources,
                     (SELECT count(*) FROM quarantine)::INT AS quarantined,
                     (SELECT bit_xor(hash(r)) FROM rollouts r)::VARCHAR AS content`,
        params: [],
      });
    const before = await tables();
    const { counts } = await importPaths(store, [root]);
    assert.deepEqual(
      [counts.read, counts.unchanged, counts.rollouts, counts.metrics, counts.quarantined],
      [0, 250, 0, 0, 0],
    );
    assert.deepEqual(await tables(), before);
  });

  for (const format of Object.keys(claimed).filter((name) => !ofMetrics.has(name)))
    it(`from ${format} lack exactly what the format says they lack`, async () => {
      const found = coverage.find((c) => c.format === format);
      assert.ok(found !== undefined);
      const { absent } = await adapterNamed(format);
      const lacking = found.fields.filter((f) => f.rollouts === 0).map((f) => f.field);
      const known = new Set(found.fields.map((f) => f.field));
      assert.deepEqual(
        Object.keys(absent).filter((field) => known.has(field) && !lacking.includes(field)),
        [],
        "called absent, but some rollout has it",
      );
      assert.deepEqual(
        lacking.filter((field) => !(field in absent)).sort(),
        Object.keys(lackedByTheFiles[format] ?? {}).sort(),
        "in no rollout, and not called absent",
      );
    });

  it("have no training step where their format says so", async () => {
    const rows = await store.query({
      sql: "SELECT DISTINCT s.format AS format FROM rollouts JOIN sources s USING (source) WHERE step <> 0",
      params: [],
    });
    assert.deepEqual(rows, [{ format: "verl" }]);
    assert.ok(!("step" in (await adapterNamed("verl")).absent));
  });
});

describe("formats", () => {
  it("are listed by their names", async () =>
    assert.deepEqual(
      (await allAdapters()).map(({ name }) => name),
      formatNames,
    ));

  it("are all described for docs/importing.md, with a verdict if they say how rollouts ended", async () => {
    for (const { name, provides, note } of await allAdapters()) {
      assert.ok(note !== undefined, `${name} has no note`);
      assert.equal(note.verdict !== undefined, provides !== "metrics", name);
    }
  });

  it("have a name for --as, a title, a source, and a reason for every field that they lack", async () => {
    for (const { name, title, source, absent, inferred } of await allAdapters()) {
      assert.match(name, /^[a-z0-9-]+$/);
      assert.ok(title.length > 0 && source.length > 0, name);
      for (const reason of Object.values({ ...absent, ...inferred })) assert.match(reason, /\S/, name);
    }
  });
});
