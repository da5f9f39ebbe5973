import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { HarnessError } from "../../base/errors.ts";
import { fixture } from "../../../../test/support/lineage/fixtures.ts";
import { buildLineage, type Lineage } from "../graph.ts";
import { importLineages, type LineageImportReport } from "./importLineage.ts";
import { ledgerRef, openLedger } from "../ledger.ts";
import { openRepository } from "../repository.ts";
import { makeTestRepository, type TestRepository } from "../../../../test/support/lineage/repository.ts";

const header = "commit\tval_bpb\tmemory_gb\tstatus\tdescription\n";
const mapping = (more = ""): string =>
  `apiVersion: evotrainer/v1\nkind: Lineage\nname: runs\nsource: runs.jsonl\nnode: { id: id, parent: from, title: what, at: t }\nmetric: { field: m, direction: higher }\nstatus: { field: s }\n${more}`;

describe("importLineages", () => {
  let project: TestRepository;
  let other: TestRepository;
  beforeEach(() => {
    project = makeTestRepository();
    other = makeTestRepository();
  });
  afterEach(() => {
    project.dispose();
    other.dispose();
  });
  const put = (path: string, content: string): string => {
    const whole = join(other.root, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, content);
    return whole;
  };
  const run = async (paths: readonly string[], domain?: string): Promise<LineageImportReport[]> =>
    importLineages(await openRepository(project.root), {
      paths,
      ownDomain: "swe",
      ...(domain === undefined ? {} : { domain }),
    });
  const one = async (paths: readonly string[], domain?: string): Promise<LineageImportReport> => {
    const [report, ...more] = await run(paths, domain);
    assert.ok(report !== undefined && more.length === 0);
    return report;
  };
  const read = async (domain: string): Promise<Lineage> => {
    const content = await openLedger(await openRepository(project.root)).read();
    assert.deepEqual(content.quarantined, []);
    return buildLineage(content.entries, domain);
  };
  /** Every ref and what it points at: equal means that nothing at all was written. */
  const state = (): string => project.git("for-each-ref", "--format=%(refname) %(objectname)");

  it("makes a commit, a branch and ledger entries for each version", async () => {
    const path = put(
      "runs.jsonl",
      [
        '{"id":"A","from":null,"what":"first","t":1700000000,"m":1.5,"s":"keep","code":"one\\n"}',
        '{"id":"B","from":"A","what":"second","t":1700000100,"m":0,"s":"crash","code":"two\\n"}',
        '{"id":"C","from":"A","what":"third","t":1700000200,"m":-7,"s":"contender"}',
      ].join("\n"),
    );
    const report = await one([put("r.evidence.yaml", mapping("files: { src/train.py: code }")), path]);
    assert.deepEqual(
      { ...report, missing: [], notes: [] },
      {
        format: "mapping",
        lineage: "runs",
        domain: "runs",
        versionsAdded: 3,
        unchanged: 0,
        updated: 0,
        decisions: { keep: 1, reject: 1 },
        statuses: { keep: 1, crash: 1, contender: 1 },
        undecided: [{ status: "contender", versions: 1, first: "c" }],
        problems: [],
        missing: [],
        gaps: [],
        realCommits: 0,
        notes: [],
      },
    );
    const { versions, problems } = await read("runs");
    assert.deepEqual(problems, []);
    assert.deepEqual(
      versions.map((v) => [
        v.name,
        v.parent,
        v.generation,
        v.decision?.decision,
        v.evidence.selection?.measured?.value,
      ]),
      [
        ["a", null, 0, "keep", 1.5],
        ["b", "a", 1, "reject", null],
        ["c", "a", 1, undefined, -7],
      ],
    );
    assert.equal(versions[1]?.jobs[0]?.failure, "crash");
    assert.match(versions[1].decision?.reason ?? "", /^Written as "crash"\./);
    assert.equal(project.git("show", "evo/runs/b:src/train.py"), "two");
    assert.equal(project.git("show", "evo/runs/c:src/train.py"), "one");
    assert.equal(project.git("rev-parse", "evo/runs/b^"), versions[0]?.commit);
    assert.equal(
      project.git("log", "-1", "--format=%aI %an", "evo/runs/b"),
      "2023-11-14T22:15:00+00:00 EvoTrainer import",
    );
    assert.match(
      project.git("log", "-1", "--format=%B", "evo/runs/c"),
      /Imported-Id: C\nImported-Status: contender/,
    );
    assert.equal(project.git("status", "--porcelain"), "");
  });

  it("changes nothing the second time, and adds new versions later", async () => {
    const path = put("results.tsv", `${header}baseline\t1.0\t4\tkeep\tbaseline\nnone\t0\t0\trejected\tx\n`);
    await one([path], "log");
    const before = state();
    const again = await one([path], "log");
    assert.deepEqual([again.versionsAdded, again.unchanged, again.updated, again.problems], [0, 2, 0, []]);
    assert.equal(state(), before);
    appendFileSync(path, "abcdef1\t0.9\t4\tkeep\tbetter\nabcdef2\t1.2\t4\tdiscard\tworse\n");
    const grown = await one([path], "log");
    assert.deepEqual([grown.versionsAdded, grown.unchanged], [2, 2]);
    for (const line of before.split("\n"))
      if (!line.startsWith(ledgerRef)) assert.ok(state().includes(line), line);
    assert.deepEqual(
      (await read("log")).versions.map((v) => [v.name, v.parent]),
      [
        ["baseline", null],
        ["line-3", "baseline"],
        ["abcdef1", "baseline"],
        ["abcdef2", "abcdef1"],
      ],
    );
  });

  it("makes the same commits in another user's repository", async () => {
    const path = put("results.tsv", `${header}baseline\t1\t1\tkeep\ta\nb\t2\t1\tdiscard\tc\n`);
    await one([path], "log");
    const twin = makeTestRepository({ "b.txt": "else\n" });
    try {
      twin.git("config", "user.name", "Somebody Else");
      await importLineages(await openRepository(twin.root), {
        paths: [path],
        domain: "log",
        ownDomain: "swe",
      });
      assert.equal(twin.git("rev-parse", "evo/log/b"), project.git("rev-parse", "evo/log/b"));
    } finally {
      twin.dispose();
    }
  });

  it("continues after an import that ended between the branches and the ledger", async () => {
    const path = put("results.tsv", `${header}baseline\t1\t1\tkeep\ta\n`);
    await one([path], "log");
    const before = project.git("rev-parse", "evo/log/baseline");
    project.git("update-ref", "-d", ledgerRef);
    assert.equal((await one([path], "log")).versionsAdded, 1);
    assert.equal(project.git("rev-parse", "evo/log/baseline"), before);
  });

  it("adds a decision when the word in the source changed, and keeps the older one", async () => {
    const path = put("results.tsv", `${header}aaa\t1\t1\tkeep\ta\nbbb\t2\t1\tcontender\tb\n`);
    await one([path], "log");
    put("results.tsv", `${header}aaa\t1\t1\tkeep\ta\nbbb\t2\t1\tdiscard\tb\n`);
    assert.equal((await one([path], "log")).updated, 1);
    put("results.tsv", `${header}aaa\t1\t1\tkeep\ta\nbbb\t0.5\t1\tkeep\tb\n`);
    const report = await one([path], "log");
    assert.deepEqual([report.versionsAdded, report.updated, report.problems], [0, 1, []]);
    const b = (await read("log")).versions[1];
    assert.deepEqual(
      b?.decisions.map((d) => d.decision),
      ["reject", "keep"],
    );
    assert.equal(b.evidence.selection?.measured?.value, 0.5);
  });

  it("reports that a version differs in the source now, and leaves it as it was", async () => {
    const path = put("results.tsv", `${header}aaa\t1\t1\tkeep\ta\n`);
    await one([path], "log");
    const before = project.git("rev-parse", "evo/log/aaa");
    put("results.tsv", `${header}aaa\t1\t1\tkeep\tanother title\n`);
    assert.match((await one([path], "log")).problems[0]?.reason ?? "", /aaa has another title/);
    assert.equal(project.git("rev-parse", "evo/log/aaa"), before);
  });

  it("shows a missing parent, and keeps its children when the parent turns up", async () => {
    const first = put("runs.jsonl", '{"id":"b","from":"a","what":"w","t":1700000000,"m":1,"s":"keep"}\n');
    const how = put("r.evidence.yaml", mapping());
    const report = await one([how, first]);
    assert.deepEqual([report.gaps, report.versionsAdded], [["a"], 2]);
    const { versions } = await read("runs");
    assert.deepEqual(
      versions.map((v) => [v.name, v.parent, v.origin?.missing]),
      [
        ["missing-a", null, true],
        ["b", "missing-a", false],
      ],
    );
    appendFileSync(first, '{"id":"a","from":null,"what":"w","t":1600000000,"m":1,"s":"keep"}\n');
    const later = await one([how, first]);
    assert.equal(later.versionsAdded, 1);
    assert.match(later.problems[0]?.reason ?? "", /b has another .*parent/);
  });

  describe("with the git history of the log", () => {
    const history = (): { kept: string; better: string; log: string } => {
      other.write("train.py", "1\n");
      const kept = other.commit("keep one");
      other.write("train.py", "2\n");
      const better = other.commit("keep two");
      return {
        kept,
        better,
        log: put(
          "results.tsv",
          `${header}${kept.slice(0, 7)}\t1.0\t4\tkeep\tone\n${better.slice(0, 7)}\t0.9\t4\tkeep\ttwo\nfffffff\t1.1\t4\tdiscard\tgone\n`,
        ),
      };
    };
    it("uses the real commits, their times and their ancestry, from another repository", async () => {
      const { kept, better, log } = history();
      const before = other.git("for-each-ref");
      const report = await one([log], "log");
      assert.deepEqual([report.realCommits, report.problems], [2, []]);
      assert.equal(project.git("rev-parse", `evo/log/${kept.slice(0, 7)}`), kept);
      assert.equal(project.git("show", `evo/log/${better.slice(0, 7)}:train.py`), "2");
      // The discarded one is gone from git: it stands on the last one that was kept.
      assert.equal(project.git("rev-parse", "evo/log/fffffff^"), better);
      const { versions } = await read("log");
      assert.deepEqual(
        versions.map((v) => v.parent),
        [null, kept.slice(0, 7), better.slice(0, 7)],
      );
      assert.equal(
        Date.parse(versions[1]?.at ?? ""),
        Number(other.git("log", "-1", "--format=%ct", better)) * 1000,
      );
      assert.equal(other.git("for-each-ref"), before);
      const after_ = state();
      await one([log], "log");
      assert.equal(state(), after_);
    });
    it("uses them from the project's repository", async () => {
      const commit = project.commit("tried here");
      project.write("results.tsv", `${header}${commit.slice(0, 8)}\t1.0\t4\tkeep\tone\n`);
      assert.equal((await one([join(project.root, "results.tsv")], "log")).realCommits, 1);
      assert.equal(project.git("rev-parse", `evo/log/${commit.slice(0, 8)}`), commit);
    });
  });

  for (const [what, domain, pattern] of [
    ["the project's own domain", "swe", /is the project's own/],
    ["the folder of proposals", "proposals", /proposals are kept/],
    ["a domain of versions made here", "math", /versions that were made here/],
    ["a domain of another lineage", "taken", /already holds the autoresearch lineage/],
  ] as const)
    it(`never writes into ${what}`, async () => {
      const path = put("runs/results.tsv", `${header}aaa\t1\t1\tkeep\ta\n`);
      if (domain === "taken") await one([put("first/results.tsv", `${header}bbb\t1\t1\tkeep\ta\n`)], domain);
      if (domain === "math")
        await openLedger(await openRepository(project.root)).append([
          LedgerEntry.parse({
            id: "version:math:v0",
            at: "2026-01-01T00:00:00Z",
            domain,
            type: "version",
            version: "v0",
            commit: project.git("rev-parse", "HEAD"),
            parent: null,
            generation: 0,
            factor: null,
            intervention: null,
            title: "base",
          }),
        ]);
      const before = state();
      await assert.rejects(
        run([path], domain),
        (e: unknown) => HarnessError.is(e, "badInput") && pattern.test(e.message),
      );
      assert.equal(state(), before);
    });

  it("refuses a branch that somebody else made", async () => {
    const path = put("results.tsv", `${header}aaa\t1\t1\tkeep\ta\n`);
    project.git("branch", "evo/log/aaa");
    await assert.rejects(run([path], "log"), (e: unknown) => HarnessError.is(e, "refMoved"));
    assert.deepEqual((await read("log")).versions, []);
  });
  it("says what to do when it recognises nothing", () =>
    assert.rejects(
      run([put("x.txt", "hello")]),
      (e: unknown) =>
        HarnessError.is(e, "badInput") && /No lineage was recognised.*kind: Lineage/.test(e.message),
    ));
  it("keeps texts that could confuse git and its streams", async () => {
    const what = 'line\nfeed\u0000 "quotes" data 5\ndone\n\u202e';
    const path = put(
      "runs.jsonl",
      ["done", "from :1", "~:&", "-x", "refs/heads/main"]
        .map((id) => JSON.stringify({ id, from: null, what, t: 0, m: 1, s: "x\ny", code: `${what}\ndone\n` }))
        .join("\n"),
    );
    const how = put("r.evidence.yaml", mapping('files: { "a b/\\"q\\" ü.py": code }'));
    assert.equal((await one([how, path])).versionsAdded, 5);
    const file = execFileSync("git", ["show", 'evo/runs/done:a b/"q" ü.py'], {
      cwd: project.root,
      encoding: "utf8",
    });
    assert.equal(file, `${what}\ndone\n`);
    assert.equal(project.git("fsck", "--strict", "--no-dangling"), "");
  });

  it("imports 786 real nodes, and changes nothing the second time", async function () {
    const source = join(fixture(this, "lineage_openevolve_mas"), "DERIVED_all_runs_index.jsonl");
    cpSync(source, join(other.root, "index.jsonl"));
    const how = put(
      "index.evidence.yaml",
      "apiVersion: evotrainer/v1\nkind: Lineage\nname: index\nsource: index.jsonl\nnode: { id: id, parent: parent_id, at: timestamp, title: metadata.changes }\nmetric: { field: metrics.combined_score, direction: higher }\n",
    );
    const report = await one([how]);
    assert.deepEqual([report.versionsAdded, report.gaps.length, report.problems.length], [786 + 9, 9, 0]);
    const { versions, problems } = await read("index");
    assert.deepEqual([versions.length, problems.length], [795, 0]);
    assert.equal(versions.filter((v) => v.parent?.startsWith("missing-") === true).length, 10);
    const before = state();
    assert.equal((await one([how])).unchanged, 795);
    assert.equal(state(), before);
  }).timeout(120_000);
  it("imports real openevolve checkpoints with their code", async function () {
    const report = await one([fixture(this, "lineage_openevolve_mas")]);
    assert.deepEqual(
      [report.versionsAdded, report.gaps, report.decisions],
      [44, [], { base: 1, prune: 14, keep: 29 }],
    );
    assert.match(report.notes.at(-1) ?? "", /^15 versions have exactly the files of an earlier one/);
    const { versions } = await read("multi_agent_evolution");
    assert.equal(versions.filter((v) => v.jobs[0]?.failure === "crash").length, 3);
    assert.match(project.git("show", "evo/multi_agent_evolution/i0-13b97d62:program.py"), /multi-agent/);
  });
  it("imports a real DGM node with its score and bounds", async function () {
    await one([fixture(this, "agent_dgm_initial")]);
    const score = (await read("agent_dgm_initial")).versions[0]?.evidence.selection?.score;
    assert.deepEqual([score?.items, score?.unknown], [58, 2]);
    assert.deepEqual(score?.bounds, [12 / 60, 14 / 60]);
  });
});

describe("ledgers from before imports", () => {
  const common = { at: "2026-01-01T00:00:00Z", domain: "swe", version: "v1" };
  for (const entry of [
    {
      ...common,
      id: "a",
      type: "version",
      commit: "0".repeat(40),
      parent: null,
      generation: 0,
      factor: null,
      intervention: null,
      title: "t",
    },
    {
      ...common,
      id: "b",
      type: "job",
      job: "j",
      state: "finished",
      failure: null,
      message: "m",
      seconds: 1.5,
    },
    {
      ...common,
      id: "c",
      type: "evidence",
      split: "selection",
      score: null,
      cleanScore: null,
      labels: [],
      signals: {},
    },
  ])
    it(`can still be read: ${entry.type}`, () => assert.deepEqual(LedgerEntry.parse(entry), entry));
});
